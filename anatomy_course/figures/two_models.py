"""What two models make of one sentence: how one goes on with it, and where the heads of the other look.

The first words' still picture: what notebook 00 shows before anything was run.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np

from anatomy_course.figures.canvas import Number, colors, number, printable, role, width_of
from anatomy_course.figures.cells import WIDEST
from anatomy_course.figures.drawing import Pen
from anatomy_course.figures.picture import Picture
from anatomy_course.figures.style import INK, PAGE, QUIET, look

LEFT, LINE, ROW = 14.0, 20.0, 19.0
BARS = (96.0, 170.0)
"""Where the bars of the likeliest words start, and how long one of probability 1 is."""
MAPS = (372.0, 300.0)
"""Where the small maps start, and how wide they are together."""
WEAK = 0.06
"""Weights below it are not drawn."""


@look()
def two_models(
    sentence: str, new: str, likeliest: Sequence[tuple[str, Number]], tokens: Sequence[str], weights: Any, *,
    chosen: tuple[int, int], query: int | None, title: str, alt: str,
) -> Picture:  # fmt: skip
    """A sentence with what was written after it, its likeliest next words, all heads, and one head's lines.

    Args:
        sentence: what was given.
        new: what was written after it, with its first space.
        likeliest: the likeliest next words with their probabilities; none where nothing was written.
        tokens: the sentence as the other model reads it.
        weights: (layer, head, query, key) its attention.
        chosen: the layer and head whose lines are drawn.
        query: position of the token whose lines are drawn; no lines where it is None.
        title: the picture's title.
        alt: alt text.
    """
    table = np.asarray(weights, dtype=float)
    layers, heads = table.shape[:2]
    text = textwrap.wrap(sentence + new, 96)
    top = 42 + LINE * len(text)
    side = min(26.0, MAPS[1] / heads)
    under = top + 52 + max(ROW * len(likeliest), side * layers)
    pen = Pen(WIDEST, under + (118 if query is not None else 0), title)
    _text(pen, text, len(sentence))
    if likeliest:
        pen.text(LEFT, top + 20, "SmolLM2 writes: its likeliest next words", ha="left", weight="bold")
        _bars(pen, top + 36, likeliest)
    pen.text(MAPS[0], top + 20, f"MiniLM reads: its {layers * heads} heads", ha="left", weight="bold")
    _maps(pen, top + 36, side, table, chosen)
    caption = "Each square: how much every word looks at every word."
    pen.note(MAPS[0], top + 46 + side * layers, caption, ha="left")
    if query is not None:
        said = f"Where “{printable(tokens[query])}” looks in the framed head (layer {chosen[0]}, head {chosen[1]})"
        pen.text(LEFT, under + 10, said, ha="left", weight="bold")
        _lines(pen, under + 88, [printable(token, 12) for token in tokens], table[chosen][query], query)
    return pen.picture(alt)


def _text(pen: Pen, lines: Sequence[str], given: int) -> None:
    """What was given is quiet, what was written bold."""
    begun = 0
    for i, line in enumerate(lines):
        old, new = line[: max(0, given - begun)], line[max(0, given - begun) :]
        y = 52 + LINE * i
        pen.text(LEFT, y, old, 13, QUIET, ha="left", va="baseline")
        start = LEFT + (width_of(f"{old}n", 13) if old else 0)
        pen.text(start, y, new.lstrip(), 13, INK, ha="left", va="baseline", weight="bold")
        begun += len(line) + 1


def _bars(pen: Pen, top: Number, likeliest: Sequence[tuple[str, Number]]) -> None:
    for i, (word, probability) in enumerate(likeliest):
        y = top + ROW * i
        pen.text(BARS[0] - 8, y + ROW / 2, printable(word, 11), 11, ha="right", weight="normal" if i else "bold")
        shade = role("weights") if not i else colors("weights")(0.55)
        wide = max(1.5, BARS[1] * probability)
        pen.rectangle(BARS[0], y + 4, wide, ROW - 8, facecolor=shade)
        pen.text(BARS[0] + wide + 7, y + ROW / 2, f"{number(100 * probability, 0)} %", 11, ha="left")


def _maps(pen: Pen, top: Number, side: Number, table: np.ndarray, chosen: tuple[int, int]) -> None:
    small = (side - 3) / table.shape[-1]
    for layer, row in enumerate(table):
        for head, matrix in enumerate(row):
            x, y = MAPS[0] + side * head, top + side * layer
            pen.cells(x + 1.5, y + 1.5, np.sqrt(matrix), small, small, "weights")
            if (layer, head) == chosen:
                pen.rectangle(x + 1, y + 1, side - 2, side - 2, fill=False, edgecolor=INK, linewidth=2.2, zorder=4)
    pen.sheet.set(xlim=(0, pen.width), ylim=(pen.height, 0))


def _lines(pen: Pen, y: Number, tokens: Sequence[str], weights: np.ndarray, query: int) -> None:
    """Arches from one token to those it looks at, the thicker the more."""
    from matplotlib.patches import FancyBboxPatch, PathPatch
    from matplotlib.path import Path

    widths = [width_of(token, 11) + 8 for token in tokens]
    gap = min(8.0, (pen.width - 2 * LEFT - sum(widths)) / max(1, len(tokens) - 1))
    starts = LEFT + np.cumsum([0.0, *(wide + gap for wide in widths[:-1])])
    middles = starts + np.array(widths) / 2
    for k, (token, weight) in enumerate(zip(tokens, weights, strict=True)):
        box = (starts[k], y - 11)
        edge = role("query") if k == query else "none"
        fill = colors("weights")(0.55 * weight) if weight >= WEAK else PAGE
        pen.sheet.add_patch(
            FancyBboxPatch(box, widths[k], 20, boxstyle="round,pad=0,rounding_size=4", facecolor=fill, edgecolor=edge,
                           linewidth=1.4, zorder=4)
        )  # fmt: skip
        pen.word(middles[k], y - 1, token)
        if weight < WEAK:
            continue
        rise = min(52.0, 14 + 0.16 * abs(middles[k] - middles[query])) if k != query else 20.0
        out, back = (middles[query], middles[k]) if k != query else (middles[k] - 7, middles[k] + 7)
        path = Path([(out, y - 11), (out, y - 11 - rise), (back, y - 11 - rise), (back, y - 11)], [1, 4, 4, 4])
        pen.sheet.add_patch(
            PathPatch(path, facecolor="none", edgecolor=role("weights"), linewidth=1 + 4 * weight,
                      alpha=0.3 + 0.7 * float(weight), zorder=3)
        )  # fmt: skip
        if k != query:
            pen.text(middles[k], y + 19, f"{number(100 * float(weight), 0)} %", 10, QUIET)
