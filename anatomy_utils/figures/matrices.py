"""Matrices and vectors as coloured cells: heat maps, small multiples, strips.

Weights use the sequential map from 0 to 1, signed values the diverging one centred at zero with equal limits on both
sides. A colour bar is always there, numbers are printed where they fit, and cells that a mask closes are hatched and
named in words, so that colour is never the only carrier.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from anatomy_utils.figures import palette
from anatomy_utils.figures.canvas import (
    INK,
    PAGE,
    QUIET,
    Kind,
    Number,
    array,
    colours,
    finish,
    ink_on,
    labels_for,
    look,
    number,
    page,
    shape_text,
    sheet,
    width_of,
)
from anatomy_utils.figures.picture import Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MASKED = palette.ROLES["masked"].light
GRID, CLOSED, EDGE_LINE = "#e6e8eb", "#f1f2f3", "#aab1b8"
WIDEST, HIGHEST = 690, 560
EDGE = 12


def limit_of(matrices: Sequence[np.ndarray], kind: Kind, limit: Number | None = None) -> tuple[Number, Number]:
    """Colour limits: 0 to 1 for weights, ± the largest size for signed values (`limit` overrides the largest)."""
    if kind == "weights":
        return 0.0, 1.0 if limit is None else limit
    finite = [np.abs(m[np.isfinite(m)]) for m in matrices]
    largest = max((float(m.max()) for m in finite if m.size), default=0.0) if limit is None else limit
    return -(largest or 1.0), largest or 1.0


def _open_cells(matrix: np.ndarray, mask: Any) -> np.ndarray:
    """True where a cell may be attended to: by the given mask, and never where the matrix holds −∞."""
    seen = ~np.isneginf(matrix)
    if mask is None:
        return seen
    given = array(mask, 2, "mask").astype(bool)
    try:
        return seen & np.broadcast_to(given, matrix.shape)
    except ValueError:
        raise ValueError(
            f"The mask has shape {given.shape} and the matrix {matrix.shape}; give one mask cell for each cell."
        ) from None


def draw_cells(
    axes: Axes,
    matrix: np.ndarray,
    place: tuple[Number, Number, Number, Number],
    limits: tuple[Number, Number],
    kind: Kind,
    seen: np.ndarray | None = None,
    digits: int | None = None,
    size: Number = 10,
) -> None:
    """Colour the cells of a matrix at (x, y, cell width, cell height) of a sheet.

    Cells that are not `seen` are hatched; `digits` decimals are printed if that is not None, NaN always.
    """
    from matplotlib.patches import Rectangle

    seen = np.ones(matrix.shape, bool) if seen is None else seen
    shown = np.where(seen & np.isfinite(matrix), matrix, 0.0)
    (rows, columns), (x, y, across, down) = matrix.shape, place
    right, bottom = x + columns * across, y + rows * down
    axes.imshow(
        shown, cmap=colours(kind), vmin=limits[0], vmax=limits[1], aspect="auto", interpolation="nearest",
        extent=(x, right, bottom, y), zorder=1.5,
    )  # fmt: skip
    if not seen.all():
        _hatch(axes, seen, place)
    if min(across, down) > 6:
        style: Any = {"colors": GRID if kind == "weights" else PAGE, "linewidth": 1.0, "zorder": 2.5}
        axes.vlines([x + j * across for j in range(1, columns)], y, bottom, **style)
        axes.hlines([y + i * down for i in range(1, rows)], x, right, **style)
    axes.add_patch(Rectangle((x, y), right - x, bottom - y, fill=False, edgecolor=EDGE_LINE, linewidth=1, zorder=2.6))
    if printed := np.argwhere(seen if digits is not None else seen & np.isnan(matrix)).tolist():
        tone, span = colours(kind), limits[1] - limits[0]
        for i, j in printed:
            value = matrix[i, j]
            colour = palette.FAIL.light if np.isnan(value) else ink_on(tone((shown[i, j] - limits[0]) / span)[:3])
            axes.text(x + (j + 0.5) * across, y + (i + 0.5) * down + 0.5, number(value, digits or 0), fontsize=size,
                      color=colour, ha="center", va="center", zorder=3)  # fmt: skip


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


def colour_bar(axes: Axes, x: Number, y: Number, height: Number, limits: tuple[Number, Number], kind: Kind) -> None:
    """A thin colour bar with its two ends and its middle printed, at a place on a sheet."""
    from matplotlib.patches import Rectangle

    axes.imshow(np.linspace(1, 0, 128)[:, None], cmap=colours(kind), aspect="auto", extent=(x, x + 10, y + height, y))
    axes.add_patch(Rectangle((x, y), 10, height, fill=False, edgecolor=EDGE_LINE, linewidth=1))
    low, high = limits
    for share, stop in ((0, high), (0.5, (low + high) / 2), (1, low)):
        digits = 1 if abs(high) >= 10 or (kind == "weights" and high == 1) else 2
        axes.text(x + 15, y + share * height, number(stop, digits), fontsize=10, va="center", color=INK)


def masked_key(axes: Axes, x: Number, y: Number) -> None:
    """The key for hatched cells: a small hatched box and the words."""
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((x, y - 10), 16, 11, facecolor=CLOSED, edgecolor=MASKED, hatch="////////", linewidth=0.8))
    axes.text(x + 22, y, "masked: may not be attended to", fontsize=10, color=QUIET)


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


def _peak(matrix: np.ndarray, seen: np.ndarray, rows: list[str], columns: list[str]) -> str:
    usable = np.where(seen & np.isfinite(matrix), matrix, -np.inf)
    if not np.isfinite(usable).any():
        return "no cell may be attended to"
    i, j = np.unravel_index(int(usable.argmax()), matrix.shape)
    return f"the largest value is {number(matrix[i, j])}, row {rows[i]}, column {columns[j]}"


def heatmap(
    matrix: Any,
    rows: Sequence[object] | None = None,
    columns: Sequence[object] | None = None,
    *,
    title: str = "",
    kind: Kind = "weights",
    values: bool | None = None,
    mask: Any = None,
    axes: tuple[str, str] = ("query", "key"),
    limit: Number | None = None,
    alt: str = "",
) -> Picture:
    """One matrix as coloured cells with its shape, colour bar and (where they fit) printed values.

    Args:
        matrix: (row, column) numbers; −∞ counts as masked, NaN is named in its cell.
        rows: one label per row; numbers by default.
        columns: one label per column; numbers by default.
        title: what the matrix is; its shape is printed beside it.
        kind: "weights" for 0 to 1, "signed" for values on both sides of zero.
        values: print the number in each cell; by default where the cells are large enough.
        mask: (row, column) booleans, True = may attend; the other cells are hatched and named.
        axes: names of the two axes, for the shape.
        limit: the largest value of the colour bar, to share limits with another picture.
        alt: alt text; a plain description of shape and largest value by default.

    Raises:
        ValueError: no two axes, no numbers, or another number of labels or mask cells than rows and columns.
    """
    numbers = array(matrix, 2)
    names = labels_for(numbers.shape[0], rows, "row"), labels_for(numbers.shape[1], columns, "column")
    seen = _open_cells(numbers, mask)
    limits = limit_of([np.where(seen, numbers, 0.0)], kind, limit)
    shape = shape_text(numbers.shape, axes)
    alt = alt or f"{title or 'Matrix'} {shape}: {_peak(numbers, seen, *names)}."
    with look():
        return finish(_one_map(numbers, names, seen, limits, kind, title, shape, values), alt)


def _one_map(
    matrix: np.ndarray,
    names: tuple[list[str], list[str]],
    seen: np.ndarray,
    limits: tuple[Number, Number],
    kind: Kind,
    title: str,
    shape: str,
    values: bool | None,
) -> Figure:
    rows, columns = matrix.shape
    left = EDGE + max(width_of(n) for n in names[0]) + 6
    longest = max(width_of(n) for n in names[1])
    across = min(46.0, (WIDEST - left - 60) / columns)
    down = min(34.0, across, HIGHEST / rows)
    upright = longest > across - 5
    if upright and across > down * 1.3:
        across = max(down, 34.0 if values else 24.0)
    top = EDGE + 22 + (longest if upright else 14) + 8
    right, bottom = left + across * columns, top + down * rows
    closed, heading = not seen.all(), width_of(title, 13, True) + 8 + width_of(shape, 11) + 2 * EDGE
    figure = page(max(right + 62, heading, 230 if closed else 0), bottom + EDGE + 22 * closed)
    axes = sheet(figure)
    head(axes, title, shape)
    printing = (across >= (29 if kind == "weights" else 33) and down >= 14) if values is None else values
    digits = (1 if limits[1] >= 10 else 2) if printing else None
    draw_cells(axes, matrix, (left, top, across, down), limits, kind, seen, digits, min(10.5, across / 3.2))
    label_rows(axes, names[0], left, top, down)
    label_columns(axes, names[1], left, top, across, upright)
    colour_bar(axes, right + 12, top, max(down * rows, 40), limits, kind)
    if closed:
        masked_key(axes, left, bottom + 20)
    return figure


def head(axes: Axes, title: str, shape: str) -> None:
    """A picture's first line: its title, and the shape of what it draws."""
    axes.text(EDGE, EDGE + 12, title, fontsize=13, weight="bold", parse_math=False)
    after = width_of(title, 13, True) + 8 if title else 0
    axes.text(EDGE + after, EDGE + 12, shape, fontsize=11, color=QUIET)


def heatmaps(
    maps: Sequence[tuple[str, Any]],
    rows: Sequence[object] | None = None,
    columns: Sequence[object] | None = None,
    *,
    title: str = "",
    kind: Kind = "weights",
    values: bool | None = None,
    mask: Any = None,
    axes: tuple[str, str] = ("query", "key"),
    limit: Number | None = None,
    per_row: int | None = None,
    alt: str = "",
) -> Picture:
    """Several matrices side by side with the same colour limits and one colour bar.

    Args:
        maps: (title, matrix) pairs; row and column labels are drawn where all matrices have the labels' size.
        per_row: how many stand in a row; as many as fit by default.
        alt: alt text; the titles and shapes by default.

    The other arguments are those of `heatmap`.

    Raises:
        ValueError: no matrix at all, or one that `heatmap` would refuse.
    """
    if not maps:
        raise ValueError("There is no matrix to draw; give at least one (title, matrix) pair.")
    matrices = [(str(name), array(matrix, 2, f"matrix {name!r}")) for name, matrix in maps]
    seen = [_open_cells(m, mask) for _, m in matrices]
    limits = limit_of([np.where(s, m, 0.0) for s, (_, m) in zip(seen, matrices, strict=True)], kind, limit)
    names = [
        (
            labels_for(m.shape[0], rows, "row") if rows else None,
            labels_for(m.shape[1], columns, "column") if columns else None,
        )
        for _, m in matrices
    ]
    alt = alt or (
        f"{title or 'Matrices'} side by side: "
        + "; ".join(f"{name} {shape_text(m.shape, axes)}" for name, m in matrices[:12])
        + (f" and {len(matrices) - 12} more." if len(matrices) > 12 else ".")
    )
    from anatomy_utils.figures.multiples import grid

    with look():
        return finish(grid(matrices, seen, names, limits, kind, title, axes, values, per_row), alt)
