"""Attention's six steps for one word of a real sentence side by side: a row per key word, a column per step.

The attention stepper's still picture. `diagrams.six_steps` draws the same steps with all numbers for a small example.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from anatomy_course.figures.arrays import labels_for, steps_of
from anatomy_course.figures.canvas import Number, colors, number, printable, role
from anatomy_course.figures.cells import EDGE_LINE, limit_of
from anatomy_course.figures.drawing import Pen
from anatomy_course.figures.picture import Picture
from anatomy_course.figures.style import INK, look

MOST_WORDS = 32
LEFT, TOP, ROW = 84.0, 116.0, 20.0
COLUMNS = {"key": (84.0, 100.0), "value": (194.0, 100.0), "score": (304.0, 92.0), "scaled": (406.0, 92.0),
           "weight": (508.0, 74.0), "weighed": (592.0, 100.0)}  # fmt: skip
"""Column → where it starts and how wide it is, in pixels."""
HEADINGS = (
    ("key", "1 Project", "key"),
    ("value", "", "value"),
    ("score", "2 Score", "q · k"),
    ("scaled", "3 Scale", ""),
    ("weight", "4 Softmax", "weight"),
    ("weighed", "5 Weigh", "weight × value"),
)


@look()
def word_steps(
    words: Sequence[object], steps: Mapping[str, Any], query: int, *, title: str = "", alt: str = ""
) -> Picture:
    """The six steps of attention for one word, with the numbers of a real computation.

    Args:
        words: the sentence, at most 32 words.
        steps: "query", "key" (position, d_head), "value", "context" (position, d_value), "scores" (query, key; already
            divided by √d_head) and "weights" (query, key).
        query: position of the word whose new vector is made.
        title: the picture's title.
        alt: alt text; the steps and the three largest weights by default.

    Raises:
        ValueError: a tensor is missing, the sizes disagree, too many words, or `query` is no position.
    """
    got = steps_of(steps)
    count = len(got["key"])
    labels = [printable(word, 11) for word in labels_for(count, words, "word")]
    if count > MOST_WORDS or got["weights"].shape != (count, count) or query not in range(count):
        raise ValueError(
            f"There are {count} words, weights {got['weights'].shape} and query {query}; "
            f"expected at most {MOST_WORDS} words, weights of each word for each, and the position of one."
        )
    return _drawn(labels, got, query, title, alt)


def _drawn(words: list[str], got: Mapping[str, np.ndarray], query: int, title: str, alt: str) -> Picture:
    count, d_head = got["key"].shape
    word, bottom = words[query], TOP + ROW * count
    scaled, weights = got["scores"][query], got["weights"][query]
    scores = scaled * np.sqrt(d_head)
    limits = {name: limit_of([got[name]], "signed")[1] for name in ("query", "key", "value")}
    pen = Pen(704, bottom + 66, title, f"{count} words × {d_head} numbers")
    for column, heading, below in HEADINGS:
        x = COLUMNS[column][0]
        pen.text(x, 54, heading, 11.5, ha="left", va="baseline", weight="bold")
        pen.note(x, 70, below or f"÷ √{d_head}", ha="left", va="baseline")
    strips = ((COLUMNS["key"], got["key"], "key"), (COLUMNS["value"], got["value"], "value"),
              (COLUMNS["weighed"], weights[:, None] * got["value"], "value"))  # fmt: skip
    for (x, wide), matrix, name in strips:
        pen.cells(x, TOP, matrix, wide / matrix.shape[1], ROW, limit=limits[name])
    x, wide = COLUMNS["key"]
    pen.text(x - 6, 88, f"q of {word}", 10.5, role("query"), ha="right", weight="bold")
    pen.cells(x, 80, got["query"][query][None], wide / d_head, ROW, limit=limits["query"])
    for i, name in enumerate(words):
        color, weight = (role("query"), "bold") if i == query else (INK, "normal")
        pen.word(LEFT - 6, TOP + ROW * (i + 0.5), name, 10.5, color=color, ha="right", weight=weight)
    largest = float(np.abs(scores).max()) or 1.0
    _signed_bars(pen, COLUMNS["score"], scores, largest)
    _signed_bars(pen, COLUMNS["scaled"], scaled, largest)
    _bars(pen, COLUMNS["weight"], weights)
    x, wide = COLUMNS["weighed"]
    middle = x + wide / 2
    pen.arrow((middle, bottom + 3), (middle, bottom + 19))
    pen.text(x - 8, bottom + 31, f"6 Sum: the new vector of {word}", 11.5, ha="right", weight="bold")
    context = got["context"][query]
    pen.cells(x, bottom + 22, context[None], wide / len(context), ROW, limit=limits["value"])
    for name, at in (("query", 84.0), ("key", 194.0), ("value", 304.0)):
        _color_bar(pen, at, bottom + 50, limits[name], name)
    pen.note(416, bottom + 54, "both scores on one axis; weights from 0 to 1", ha="left")
    most = np.argsort(-weights, kind="stable")[:3]
    told = ", ".join(f"{words[j]} {number(weights[j])}" for j in most)
    return pen.picture(alt or (
        f"Six steps of attention for the word {word} over {count} words: its query meets every key, the scores are "
        f"divided by √{d_head}, the softmax makes them weights (the largest: {told}), each value is multiplied by its "
        "weight, and their sum is the word's new vector."
    ))  # fmt: skip


def _signed_bars(pen: Pen, place: tuple[Number, Number], values: np.ndarray, largest: Number) -> None:
    """Bars from a middle line, hatched to the left, each with its number."""
    x, wide = place
    half = (wide - 38) / 2
    middle = x + 38 + half
    pen.arrow((middle, TOP), (middle, TOP + ROW * len(values)), tip=False, width=0.8)
    for i, value in enumerate(values):
        length, y = half * float(value) / largest, TOP + ROW * i
        filled: dict[str, Any] = {"facecolor": role("weights")} if value > 0 else {"fill": False, "hatch": "//////"}
        style = {**filled, "edgecolor": role("weights"), "linewidth": 0.8, "zorder": 3}
        pen.rectangle(middle + min(length, 0), y + 4, abs(length), ROW - 8, **style)
        pen.text(x + 34, y + ROW / 2, number(float(value), 1), 9.5, ha="right")


def _bars(pen: Pen, place: tuple[Number, Number], weights: np.ndarray) -> None:
    """Bars from 0 to 1, each with its number."""
    x, wide = place
    for i, weight in enumerate(weights):
        y = TOP + ROW * i
        length = float(weight) * (wide - 36)
        pen.rectangle(x + 34, y + 4, length, ROW - 8, facecolor=role("weights"), zorder=3)
        pen.text(x + 28, y + ROW / 2, number(float(weight)), 9.5, ha="right")


def _color_bar(pen: Pen, x: Number, y: Number, limit: Number, name: str) -> None:
    """A lying color bar with its ends printed and the name of what it colors."""
    pen.sheet.imshow(np.linspace(-1, 1, 128)[None], cmap=colors("signed"), aspect="auto", extent=(x, x + 34, y + 8, y))
    pen.rectangle(x, y, 34, 8, fill=False, edgecolor=EDGE_LINE, linewidth=1)
    pen.note(x + 39, y + 4, f"{name} ± {number(limit, 1)}", ha="left")
