"""Several vectors as strips of cells that share limits and one color bar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anatomy_course.figures.arrays import array, labels_for, to_array
from anatomy_course.figures.canvas import Kind, Number, finish, page, shape_text, sheet, width_of
from anatomy_course.figures.cells import BAR, EDGE, WIDEST, color_bar, draw_cells, head, limit_of
from anatomy_course.figures.picture import Picture
from anatomy_course.figures.style import look


@look()
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
    """Vectors as colored strips, one per row, with shared limits, each with its label.

    Args:
        vectors: (position, feature) numbers; a single vector may have one axis.
        labels: one word per vector.
        axes: names of the two axes, for the shape.
        values: print the numbers; by default where a cell has room for one.
        limit: the largest size on the color bar, to share limits with another picture.
        alt: alt text; the shape and labels by default.

    Raises:
        ValueError: another number of axes than one or two, no numbers, or another number of labels than vectors.
    """
    numbers = array([vectors] if to_array(vectors).ndim == 1 else vectors, 2, "vectors")
    names = labels_for(len(numbers), labels, "vector")
    shape = shape_text(numbers.shape, axes)
    alt = alt or f"{title or 'Vectors'} {shape} as colored strips, one each for {', '.join(names)}."
    limits = limit_of([numbers], kind, limit)
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
    color_bar(canvas, left + columns * cell + 12, top, bar, limits, kind)
    return finish(figure, alt)
