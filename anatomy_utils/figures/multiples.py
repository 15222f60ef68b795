"""Small multiples: several matrices, or several vectors as strips, that share limits and one colour bar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from anatomy_utils.figures.canvas import (
    QUIET,
    Kind,
    Number,
    array,
    finish,
    labels_for,
    look,
    page,
    printable,
    shape_text,
    sheet,
    width_of,
)
from anatomy_utils.figures.matrices import (
    EDGE,
    WIDEST,
    colour_bar,
    draw_cells,
    head,
    label_columns,
    label_rows,
    limit_of,
    masked_key,
)
from anatomy_utils.figures.picture import Picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GAP = 16
BAR = 56


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
    # A title wider than its own map would run into its neighbour.
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
    digits = (1 if limits[1] >= 10 else 2) if printing else None
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
    colour_bar(canvas, EDGE + margin + side * step_x - gap + 12, crown + over + above, bar, limits, kind)
    if closed:
        masked_key(canvas, EDGE + margin, crown + lines * step_y + 4)
    return figure


def strips(
    vectors: Any,
    labels: Sequence[object] | None = None,
    *,
    title: str = "",
    kind: Kind = "signed",
    axes: tuple[str, str] = ("position", "d_model"),
    values: bool | None = None,
    limit: Number | None = None,
    alt: str = "",
) -> Picture:
    """Vectors as coloured strips, one per row, with shared limits, each with its label.

    Args:
        vectors: (position, feature) numbers; a single vector may have one axis.
        labels: one word per vector.
        axes: names of the two axes, for the shape.
        values: print the numbers; by default where a cell has room for one.
        limit: the largest size on the colour bar, to share limits with another picture.
        alt: alt text; the shape and labels by default.

    Raises:
        ValueError: another number of axes than one or two, no numbers, or another number of labels than vectors.
    """
    given = np.ndim(values_of(vectors)) == 1
    numbers = array([values_of(vectors)], 2, "vectors") if given else array(vectors, 2, "vectors")
    names = labels_for(len(numbers), labels, "vector")
    shape = shape_text(numbers.shape, axes)
    alt = alt or f"{title or 'Vectors'} {shape} as coloured strips, one each for {', '.join(names)}."
    with look():
        return finish(_strips(numbers, names, limit_of([numbers], kind, limit), kind, title, shape, values), alt)


def values_of(vectors: Any) -> Any:
    """A tensor as something NumPy can count the axes of; anything else as it is."""
    for step in ("detach", "cpu"):
        vectors = getattr(vectors, step)() if hasattr(vectors, step) else vectors
    return vectors.float() if str(getattr(vectors, "dtype", "")) == "torch.bfloat16" else vectors


def _strips(
    numbers: np.ndarray,
    names: list[str],
    limits: tuple[Number, Number],
    kind: Kind,
    title: str,
    shape: str,
    values: bool | None,
) -> Figure:
    rows, columns = numbers.shape
    left = EDGE + max(width_of(n) for n in names) + 8
    cell = min(44.0, (WIDEST - left - BAR) / columns)
    printing = cell >= 31 if values is None else values
    high, gap = (24.0, 7.0) if rows <= 12 else (max(4.0, 400 / rows), 2.0)
    top = EDGE + 26
    heading = width_of(title, 13, True) + width_of(shape) + 60
    figure = page(max(left + columns * cell + BAR + EDGE, heading), top + rows * (high + gap) + EDGE)
    canvas = sheet(figure)
    head(canvas, title, shape)
    digits = (1 if limits[1] >= 10 else 2) if printing else None
    for i, name in enumerate(names):
        y = top + i * (high + gap)
        draw_cells(canvas, numbers[i : i + 1], (left, y, cell, high), limits, kind, None, digits, min(10.5, cell / 3.2))
        if high >= 11 or i % int(np.ceil(13 / (high + gap))) == 0:
            canvas.text(left - 8, y + high / 2, name, fontsize=11, ha="right", va="center", parse_math=False)
    bar = max(40.0, min(rows * (high + gap) - gap, 160))
    colour_bar(canvas, left + columns * cell + 12, top, bar, limits, kind)
    return figure
