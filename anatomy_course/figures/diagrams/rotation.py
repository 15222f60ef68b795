"""One pair of features under rotary positions: the query's and the key's hand, turned by their positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anatomy_course.figures.arrays import array
from anatomy_course.figures.canvas import Number
from anatomy_course.figures.drawing import Pen
from anatomy_course.figures.picture import Picture
from anatomy_course.figures.style import look

RADIUS = 68.0


@look()
def rotated_pair(places: Sequence[tuple[int, int]], query: Any, key: Any) -> Picture:
    """A clock face for each pair of positions, with the turned query and the turned key as hands.

    Args:
        places: (position of the query, position of the key), two to four.
        query: (place, 2): the query's pair of features after its turn.
        key: (place, 2): the key's.

    Raises:
        ValueError: fewer than two or more than four places, or sizes that disagree.
    """
    if not 2 <= len(places) <= 4:
        raise ValueError(f"There are {len(places)} pairs of positions; two to four have room side by side.")
    hands = {"query": array(query, 2, "query"), "key": array(key, 2, "key")}
    for name, turned in hands.items():
        if turned.shape != (len(places), 2):
            raise ValueError(
                f"{name} has shape {turned.shape}; expected {(len(places), 2)}, one pair of features each."
            )
    products = (hands["query"] * hands["key"]).sum(axis=1)
    longest = float(max(np.hypot(*turned.T).max() for turned in hands.values()))
    pen = Pen(230 * len(places), 330, "One pair of features, turned by its position", "query · key below")
    for n, (at, other) in enumerate(places):
        x, y = 115.0 + 230 * n, 178.0
        pen.note(x, 64, f"query at {at}, key at {other}", 11)
        pen.circle(x, y, RADIUS + 8, facecolor="#fbfbfc", edgecolor="#aab1b8", linewidth=1.2, zorder=1)
        for name, hand in hands.items():
            _hand(pen, x, y, hand[n] * RADIUS / longest, name)
        turn = _angle(pen, x, y, hands["query"][n], hands["key"][n])
        pen.text(x, 296, f"angle {turn:.0f}°, query · key = {_two(products[n])}", 12)
    return pen.picture(
        "Two clock hands, the turned query and the turned key, at "
        + ", ".join(f"positions {at} and {other}" for at, other in places)
        + ". The angle from one to the other is the same wherever the offset is the same; query · key: "
        + ", ".join(_two(product) for product in products)
        + "."
    )


def _two(number: float) -> str:
    return f"{number:.2f}".replace("-", "−")


def _angle(pen: Pen, x: Number, y: Number, query: np.ndarray, key: np.ndarray) -> float:
    """An arc from the query's hand to the key's, counterclockwise, and its degrees from 0 to 360."""
    from matplotlib.patches import Arc

    start, end = (np.degrees(np.arctan2(-hand[1], hand[0])) for hand in (query, key))  # the page's y points down
    pen.sheet.add_patch(Arc((x, y), 50, 50, theta1=end, theta2=start, color="#59636e", linewidth=1.6, zorder=2))
    return float((start - end) % 360)


def _hand(pen: Pen, x: Number, y: Number, hand: np.ndarray, name: str) -> None:
    """From the middle; the first feature points right, the second up. Its name is outside of the circle."""
    tip = (x + float(hand[0]), y - float(hand[1]))
    pen.arrow((x, y), tip, role=name, width=2.2)
    away = hand / (float(np.hypot(*hand)) or 1.0)
    behind = {"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.8}
    reach = RADIUS + 8
    pen.text(x + float(away[0]) * (reach + 20), y - float(away[1]) * (reach + 11), name, 10.5, bbox=behind)
