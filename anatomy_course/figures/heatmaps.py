"""Heat maps, alone or as small multiples that share limits and one color bar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from anatomy_course.figures.arrays import array, labels_for, to_array
from anatomy_course.figures.canvas import Kind, Number, finish, number, page, printable, shape_text, sheet, width_of
from anatomy_course.figures.cells import (
    BAR,
    EDGE,
    WIDEST,
    color_bar,
    draw_cells,
    head,
    label_columns,
    label_rows,
    limit_of,
    mark_key,
    masked_key,
)
from anatomy_course.figures.picture import Picture
from anatomy_course.figures.style import QUIET, look

if TYPE_CHECKING:
    from matplotlib.figure import Figure


HIGHEST = 560
GAP = 16


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


def _peak(matrix: np.ndarray, seen: np.ndarray, rows: list[str], columns: list[str]) -> str:
    usable = np.where(seen & np.isfinite(matrix), matrix, -np.inf)
    if not np.isfinite(usable).any():
        return "no cell may be attended to"
    i, j = np.unravel_index(int(usable.argmax()), matrix.shape)
    return f"the largest value is {number(matrix[i, j])}, row {rows[i]}, column {columns[j]}"


@look()
def heatmap(
    matrix: Any,
    rows: Sequence[object] | None = None,
    columns: Sequence[object] | None = None,
    *,
    title: str = "",
    kind: Kind = "weights",
    values: Any = None,
    mask: Any = None,
    axes: tuple[str, str] = ("query", "key"),
    limit: Number | None = None,
    marks: tuple[str, str] = ("yes", "no"),
    alt: str = "",
) -> Picture:
    """One matrix as colored cells with its shape, color bar and (where they fit) printed values.

    Args:
        matrix: (row, column) numbers, where −∞ counts as masked and NaN is named in its cell; or booleans, which are
            dark or empty cells without a number and without a color bar.
        rows: one label per row; numbers by default.
        columns: one label per column; numbers by default.
        title: what the matrix is; its shape is printed beside it.
        kind: "weights" for 0 to 1, "signed" for values on both sides of zero.
        values: print the number in each cell; by default where the cells are large enough. Or (row, column) booleans:
            in which cells.
        mask: (row, column) booleans, True = may attend; the other cells are hatched and named.
        axes: names of the two axes, for the shape.
        limit: the largest value of the color bar, to share limits with another picture.
        marks: of booleans: what True and False say.
        alt: alt text; a plain description of shape and largest value by default.

    Raises:
        ValueError: no two axes, no numbers, or another number of labels or mask cells than rows and columns.
    """
    numbers = array(matrix, 2)
    names = labels_for(numbers.shape[0], rows, "row"), labels_for(numbers.shape[1], columns, "column")
    seen = _open_cells(numbers, mask)
    limits = limit_of([np.where(seen, numbers, 0.0)], kind, limit)
    shape = shape_text(numbers.shape, axes)
    marked = to_array(matrix).dtype == bool
    told = f"{numbers.sum():.0f} of {numbers.size} cells: {marks[0]}" if marked else _peak(numbers, seen, *names)
    alt = alt or f"{title or 'Matrix'} {shape}: {told}."
    return finish(_one_map(numbers, names, seen, limits, kind, title, shape, values, marks if marked else None), alt)


def _one_map(
    matrix: np.ndarray,
    names: tuple[list[str], list[str]],
    seen: np.ndarray,
    limits: tuple[Number, Number],
    kind: Kind,
    title: str,
    shape: str,
    values: Any,
    marks: tuple[str, str] | None,
) -> Figure:
    rows, columns = matrix.shape
    left = EDGE + max(width_of(n) for n in names[0]) + 6
    longest = max(width_of(n) for n in names[1])
    across = min(46.0, (WIDEST - left - 60) / columns)
    down = min(34.0, across, HIGHEST / rows)
    upright = longest > across - 5
    if upright and across > down * 1.3:
        across = max(down, 34.0 if values is True else 24.0)
    top = EDGE + 22 + (longest if upright else 14) + 8
    right, bottom = left + across * columns, top + down * rows
    closed, heading = not seen.all(), width_of(title, 13, True) + 8 + width_of(shape, 11) + 2 * EDGE
    keyed = closed or marks is not None
    figure = page(max(right + 62, heading, 230 if keyed else 0), bottom + EDGE + 22 * keyed)
    axes = sheet(figure)
    head(axes, title, shape)
    which = np.ones(matrix.shape, bool) if values is None or isinstance(values, bool) else array(values, 2, "values")
    fitting = across >= (29 if kind == "weights" else 33) and down >= 14
    printing = marks is None and (values if isinstance(values, bool) else fitting)
    digits = _digits(limits) if printing else None
    size = min(10.5, across / 3.2)
    draw_cells(axes, matrix, (left, top, across, down), limits, kind, seen, digits, size, which.astype(bool))
    label_rows(axes, names[0], left, top, down)
    label_columns(axes, names[1], left, top, across, upright)
    if marks is None:
        color_bar(axes, right + 12, top, max(down * rows, 40), limits, kind)
    else:
        mark_key(axes, left, bottom + 20, marks)
    if closed:
        masked_key(axes, left, bottom + 20)
    return figure


@look()
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
    """Several matrices side by side with the same color limits and one color bar.

    Args:
        maps: (title, matrix) pairs; row and column labels are drawn where all matrices have the labels' size.
        per_row: how many stand in a row; as many as fit by default.
        alt: alt text; by default the titles and shapes, and with `values=True` the numbers, row by row.

    The other arguments are those of `heatmap`.

    Raises:
        ValueError: no matrix at all, or one that `heatmap` would refuse.
    """
    if not maps:
        raise ValueError("There is no matrix to draw; give at least one (title, matrix) pair.")
    matrices = [(str(name), array(matrix, 2, f"matrix {name!r}")) for name, matrix in maps]
    seen = [_open_cells(m, mask) for _, m in matrices]
    limits = limit_of([np.where(s, m, 0.0) for s, (_, m) in zip(seen, matrices, strict=True)], kind, limit)
    row_names = [labels_for(m.shape[0], rows, "row") if rows else None for _, m in matrices]
    column_names = [labels_for(m.shape[1], columns, "column") if columns else None for _, m in matrices]
    names = list(zip(row_names, column_names, strict=True))
    told = [f"{name} {shape_text(m.shape, axes)}" for name, m in matrices[:12]]
    if values:
        lines = [_row_by_row(m, left, _digits(limits)) for (_, m), left in zip(matrices, row_names, strict=True)]
        told = [f"{each}: {line}" for each, line in zip(told, lines, strict=False)]
    more = f" and {len(matrices) - 12} more" if len(matrices) > 12 else ""
    alt = alt or f"{title or 'Matrices'} side by side: {'; '.join(told)}{more}."
    return finish(grid(matrices, seen, names, limits, kind, title, axes, values, per_row), alt)


def _digits(limits: tuple[Number, Number]) -> int:
    """How many digits a cell's number has after the point."""
    return 1 if limits[1] >= 10 else 2


def _row_by_row(matrix: np.ndarray, rows: Sequence[str] | None, digits: int) -> str:
    """All numbers of a matrix as a text, for whoever does not see the cells."""
    lines = zip(rows or range(len(matrix)), matrix, strict=True)
    return ", ".join(f"{name} {' '.join(number(value, digits) for value in line)}" for name, line in lines)


def _per_row(count: int, columns: int, margin: Number, printing: bool) -> int:
    """How many maps stand side by side: all that keep cells of a readable size, in rows of nearly equal length."""
    comfortable = columns * (34 if printing else 16 if columns <= 16 else 6 if columns <= 40 else 2)
    fit = int((WIDEST - EDGE - BAR - margin) // (max(44, min(comfortable, 300)) + GAP))
    fit = max(1, min(count, max(fit, min(count, 12) if count > 30 else 1)))
    return int(np.ceil(count / np.ceil(count / fit)))


def grid(
    maps: Sequence[tuple[str, np.ndarray]],
    seen: Sequence[np.ndarray],
    names: Sequence[tuple[list[str] | None, list[str] | None]],
    limits: tuple[Number, Number],
    kind: Kind,
    title: str,
    axes: tuple[str, str],
    values: bool | None,
    per_row: int | None,
) -> Figure:
    """The figure behind `heatmaps`."""
    rows = max(m.shape[0] for _, m in maps)
    columns = max(m.shape[1] for _, m in maps)
    alike = all(m.shape == maps[0][1].shape for _, m in maps)
    margin = max((width_of(n) for left, _ in names for n in left or ()), default=0) + (6 if names[0][0] else 0)
    above = max((width_of(n) for _, top in names for n in top or ()), default=0)
    side = per_row or _per_row(len(maps), columns, margin, bool(values))
    gap = GAP if side <= 6 else 8
    cell = min(40.0, (WIDEST - EDGE - BAR - margin - side * gap) / side / columns)
    upright = above > cell - 4
    above = (above + 8 if upright else 18) if above else 0
    over = 36 if side <= 6 and not alike else 20
    down = min(cell, 30.0) if columns <= 24 else cell
    # A title wider than its own map would run into its neighbor.
    size = 12.0 if side <= 6 else 9.0
    longest = max(width_of(printable(n, 40), size, True) for n, _ in maps)
    step_x = columns * cell + gap
    if side <= 6 and longest + gap > step_x:
        step_x = min(longest + gap, (WIDEST - EDGE - BAR - margin) / side)
    step_y = over + above + rows * down + gap
    lines = int(np.ceil(len(maps) / side))
    crown = EDGE + (26 if title or alike else 0)
    closed = not all(s.all() for s in seen)
    shape = shape_text(maps[0][1].shape, axes) + (" each" if len(maps) > 1 else "") if alike else ""
    heading = width_of(title, 13, True) + width_of(shape) + 3 * EDGE
    figure = page(max(EDGE + margin + side * step_x + BAR, heading), crown + lines * step_y + (20 if closed else 0))
    canvas = sheet(figure)
    head(canvas, title, shape)
    printing = (cell >= (29 if kind == "weights" else 33) and down >= 14) if values is None else values
    digits = _digits(limits) if printing else None
    for n, ((name, matrix), open_cells, (left, top)) in enumerate(zip(maps, seen, names, strict=True)):
        x, y = EDGE + margin + (n % side) * step_x, crown + (n // side) * step_y
        canvas.text(x, y + 12, printable(name, 40), fontsize=size, weight="bold", parse_math=False)
        if not alike:
            canvas.text(x, y + 28, shape_text(matrix.shape), fontsize=10, color=QUIET)
        place = (x, y + over + above, cell, down)
        draw_cells(canvas, matrix, place, limits, kind, open_cells, digits, min(10.0, cell / 3.2))
        if left and n % side == 0:
            label_rows(canvas, left, x, place[1], down)
        if top:
            label_columns(canvas, top, x, place[1], cell, upright)
    bar = max(48.0, min(rows * down, 160))
    color_bar(canvas, EDGE + margin + side * step_x - gap + 12, crown + over + above, bar, limits, kind)
    if closed:
        masked_key(canvas, EDGE + margin, crown + lines * step_y + 4)
    return figure
