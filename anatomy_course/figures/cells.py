"""Matrices as colored cells: what heat maps and small multiples are drawn with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from anatomy_course.figures import palette
from anatomy_course.figures.canvas import Kind, Number, colors, ink_on, number, rectangle, width_of
from anatomy_course.figures.style import INK, PAGE, QUIET

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MASKED = palette.ROLES["masked"].light
GRID, CLOSED, EDGE_LINE = "#e6e8eb", "#f1f2f3", "#aab1b8"
EDGE = 12
WIDEST = 690
"""Of a picture of cells, as wide as a notebook shows it."""
BAR = 56


def limit_of(matrices: Sequence[np.ndarray], kind: Kind, limit: Number | None = None) -> tuple[Number, Number]:
    """Color limits: 0 to 1 for weights, ± the largest size for signed values (`limit` overrides the largest)."""
    if kind == "weights":
        return 0.0, 1.0 if limit is None else limit
    finite = [np.abs(m[np.isfinite(m)]) for m in matrices]
    largest = max((float(m.max()) for m in finite if m.size), default=0.0) if limit is None else limit
    return -(largest or 1.0), largest or 1.0


def draw_cells(
    axes: Axes,
    matrix: np.ndarray,
    place: tuple[Number, Number, Number, Number],
    limits: tuple[Number, Number],
    kind: Kind,
    seen: np.ndarray | None = None,
    digits: int | None = None,
    size: Number = 10,
    which: np.ndarray | None = None,
) -> None:
    """Color the cells of a matrix at (x, y, cell width, cell height) of a sheet.

    Cells that are not `seen` are hatched; `digits` decimals are printed if that is not None, in all cells or in
    `which` are True; NaN always.
    """
    seen = np.ones(matrix.shape, bool) if seen is None else seen
    shown = np.where(seen & np.isfinite(matrix), matrix, 0.0)
    (rows, columns), (x, y, across, down) = matrix.shape, place
    right, bottom = x + columns * across, y + rows * down
    axes.imshow(
        shown, cmap=colors(kind), vmin=limits[0], vmax=limits[1], aspect="auto", interpolation="nearest",
        extent=(x, right, bottom, y), zorder=1.5,
    )  # fmt: skip
    if not seen.all():
        _hatch(axes, seen, place)
    if min(across, down) > 6:
        style: Any = {"colors": GRID if kind == "weights" else PAGE, "linewidth": 1.0, "zorder": 2.5}
        axes.vlines([x + j * across for j in range(1, columns)], y, bottom, **style)
        axes.hlines([y + i * down for i in range(1, rows)], x, right, **style)
    rectangle(axes, x, y, right - x, bottom - y, fill=False, edgecolor=EDGE_LINE, linewidth=1, zorder=2.6)
    wanted = np.isnan(matrix) if digits is None else np.isnan(matrix) | (True if which is None else which)
    if printed := np.argwhere(seen & wanted).tolist():
        tone, span = colors(kind), limits[1] - limits[0]
        for i, j in printed:
            value = matrix[i, j]
            ink = ink_on(tone((shown[i, j] - limits[0]) / span)[:3])
            if np.isnan(value):
                ink = {"color": palette.FAIL.light}
            axes.text(x + (j + 0.5) * across, y + (i + 0.5) * down + 0.5, number(value, digits or 0), fontsize=size,
                      ha="center", va="center", zorder=3, **ink)  # fmt: skip


def _hatch(axes: Axes, seen: np.ndarray, place: tuple[Number, Number, Number, Number]) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    x, y, across, down = place
    unit = Path.unit_rectangle()
    squares = [
        Path(np.asarray(unit.vertices) * (across, down) + (x + j * across, y + i * down), unit.codes)
        for i, j in np.argwhere(~seen)
    ]
    closed = Path.make_compound_path(*squares)
    axes.add_patch(PathPatch(closed, facecolor=CLOSED, edgecolor=MASKED, hatch="////", linewidth=0, zorder=2))


def color_bar(axes: Axes, x: Number, y: Number, height: Number, limits: tuple[Number, Number], kind: Kind) -> None:
    """A thin color bar with its two ends and its middle printed, at a place on a sheet."""
    axes.imshow(np.linspace(1, 0, 128)[:, None], cmap=colors(kind), aspect="auto", extent=(x, x + 10, y + height, y))
    rectangle(axes, x, y, 10, height, fill=False, edgecolor=EDGE_LINE, linewidth=1)
    low, high = limits
    for share, stop in ((0, high), (0.5, (low + high) / 2), (1, low)):
        digits = 1 if abs(high) >= 10 or (kind == "weights" and high == 1) else 2
        axes.text(x + 15, y + share * height, number(stop, digits), fontsize=10, va="center", color=INK)


def masked_key(axes: Axes, x: Number, y: Number) -> None:
    """The key for hatched cells: a small hatched box and the words."""
    rectangle(axes, x, y - 10, 16, 11, facecolor=CLOSED, edgecolor=MASKED, hatch="////////", linewidth=0.8)
    axes.text(x + 22, y, "masked: may not be attended to", fontsize=10, color=QUIET)


def mark_key(axes: Axes, x: Number, y: Number, marks: tuple[str, str]) -> None:
    """The key for booleans: a dark and an empty box with what they say."""
    for shade, words in zip((colors("weights")(1.0), PAGE), marks, strict=True):
        rectangle(axes, x, y - 10, 11, 11, facecolor=shade, edgecolor=EDGE_LINE, linewidth=1)
        axes.text(x + 17, y, words, fontsize=11, color=QUIET)
        x += 37 + width_of(words)


def _every(count: int, room: Number, need: Number) -> range:
    """Which of `count` labels to print when each has `room` pixels and wants `need`."""
    return range(0, count, max(1, int(np.ceil(need / room))))


def label_rows(axes: Axes, labels: Sequence[str], x: Number, y: Number, down: Number) -> None:
    """Row labels that end left of x; where rows are too thin only every second, third … is printed."""
    for i in _every(len(labels), down, 13):
        axes.text(x - 6, y + (i + 0.5) * down + 0.5, labels[i], fontsize=11, ha="right", va="center", parse_math=False)


def label_columns(axes: Axes, labels: Sequence[str], x: Number, y: Number, across: Number, upright: bool) -> None:
    """Column labels above y, upright where they are too long for a cell."""
    for j in _every(len(labels), across, 13 if upright else 1):
        axes.text(x + (j + 0.5) * across, y - 5, labels[j], fontsize=11, ha="center", va="bottom",
                  rotation=90 if upright else 0, parse_math=False)  # fmt: skip


def head(axes: Axes, title: str, shape: str) -> None:
    """A picture's first line: its title, and the shape of what it draws."""
    axes.text(EDGE, EDGE + 12, title, fontsize=13, weight="bold", parse_math=False)
    after = width_of(title, 13, True) + 8 if title else 0
    axes.text(EDGE + after, EDGE + 12, shape, fontsize=11, color=QUIET)
