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
    FAINT,
    INK,
    PAGE,
    QUIET,
    Kind,
    array,
    colours,
    finish,
    ink_on,
    labels_for,
    look,
    number,
    page,
    panel,
    shape_text,
    width_of,
    write,
)
from anatomy_utils.figures.picture import Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MASKED = palette.ROLES["masked"].light
WIDEST, HIGHEST = 690, 560
EDGE = 12


def limit_of(matrices: Sequence[np.ndarray], kind: Kind, limit: float | None = None) -> tuple[float, float]:
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
    limits: tuple[float, float],
    kind: Kind,
    mask: np.ndarray | None = None,
    digits: int | None = None,
    size: float = 10,
) -> None:
    """Colour the cells of a matrix on given axes: hatched where masked, with `digits` decimals printed if not None."""
    from matplotlib.patches import Rectangle

    seen = np.ones(matrix.shape, bool) if mask is None else mask
    shown = np.where(seen & np.isfinite(matrix), matrix, 0.0)
    rows, columns = matrix.shape
    axes.imshow(
        shown, cmap=colours(kind), vmin=limits[0], vmax=limits[1], aspect="auto", interpolation="nearest",
        extent=(0, columns, rows, 0),
    )  # fmt: skip
    tone = colours(kind)
    span = limits[1] - limits[0]
    for i, j in np.argwhere(~seen):
        axes.add_patch(
            Rectangle((j, i), 1, 1, facecolor="#f1f2f3", edgecolor=MASKED, hatch="////", linewidth=0, zorder=2)
        )
    if digits is not None:
        for i, j in np.argwhere(seen):
            value = matrix[i, j]
            colour = palette.FAIL.light if np.isnan(value) else ink_on(tone((shown[i, j] - limits[0]) / span)[:3])
            axes.text(j + 0.5, i + 0.5, number(value, digits), fontsize=size, color=colour, ha="center", va="center",
                      zorder=3)  # fmt: skip
    if rows <= 40 and columns <= 40:
        axes.set_xticks(range(columns + 1), minor=True)
        axes.set_yticks(range(rows + 1), minor=True)
        axes.grid(which="minor", color=PAGE, linewidth=1.2, zorder=1)
    axes.tick_params(which="both", length=0, labelbottom=False, labelleft=False)
    for spine in axes.spines.values():
        spine.set(color=FAINT, linewidth=1)


def colour_bar(figure: Figure, x: float, y: float, height: float, limits: tuple[float, float], kind: Kind) -> None:
    """A thin colour bar with its two ends (and zero) printed, at a place in pixels."""
    axes = panel(figure, x, y, 10, height)
    axes.imshow(np.linspace(1, 0, 128)[:, None], cmap=colours(kind), aspect="auto", extent=(0, 1, *limits))
    stops = [limits[0], 0.0, limits[1]] if kind == "signed" else [limits[0], (limits[0] + limits[1]) / 2, limits[1]]
    names = [number(s, 1 if abs(s) >= 10 or kind == "weights" else 2) for s in stops]
    axes.set_yticks(stops, names, fontsize=10)
    axes.yaxis.tick_right()
    axes.tick_params(length=2, color=QUIET, pad=3)
    axes.set_xticks([])
    for spine in axes.spines.values():
        spine.set(color=FAINT, linewidth=1)


def masked_key(figure: Figure, x: float, y: float) -> None:
    """The key for hatched cells: a small hatched box and the word."""
    from matplotlib.patches import Rectangle

    across, down = figure.get_figwidth() * 72, figure.get_figheight() * 72
    box = Rectangle((x / across, 1 - y / down), 16 / across, 11 / down, facecolor="#f1f2f3", edgecolor=MASKED,
                    hatch="////////", linewidth=0.8, transform=figure.transFigure)  # fmt: skip
    figure.add_artist(box)
    write(figure, x + 22, y - 1, "masked: may not be attended to", 10, color=QUIET)


def _every(count: int, room: float, need: float) -> list[int]:
    """Which of `count` labels to print when each has `room` pixels and wants `need`."""
    step = max(1, int(np.ceil(need / room)))
    return list(range(0, count, step))


def _label(axes: Axes, rows: list[str], columns: list[str], cell: tuple[float, float], upright: bool) -> None:
    shown = _every(len(rows), cell[1], 13)
    axes.set_yticks([i + 0.5 for i in shown], [rows[i] for i in shown], fontsize=11, parse_math=False)
    shown = _every(len(columns), cell[0], 13 if upright else 1)
    style: dict[str, Any] = {"rotation": 90, "ha": "center", "va": "bottom"} if upright else {"ha": "center"}
    axes.set_xticks([j + 0.5 for j in shown], [columns[j] for j in shown], fontsize=11, parse_math=False, **style)
    axes.xaxis.tick_top()
    axes.tick_params(which="major", length=0, pad=4, labelleft=True, labeltop=True)


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
    limit: float | None = None,
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
    limits: tuple[float, float],
    kind: Kind,
    title: str,
    shape: str,
    values: bool | None,
) -> Figure:
    rows, columns = matrix.shape
    left = EDGE + max(width_of(n) for n in names[0]) + 6
    across = min(46.0, (WIDEST - left - 60) / columns)
    down = min(34.0, across if across < 34 else 34.0, HIGHEST / rows)
    upright = max(width_of(n) for n in names[1]) > across - 5
    if upright and across > down * 1.3:
        across = max(down, 24.0 if not values else 34.0)
    top = EDGE + 22 + (max(width_of(n) for n in names[1]) if upright else 14) + 8
    widest, closed = across * columns, not seen.all()
    heading = width_of(title, 13, True) + 8 + width_of(shape, 11) + 2 * EDGE
    figure = page(max(left + widest + 62, heading, 230 if closed else 0), top + down * rows + EDGE + 22 * closed)
    write(figure, EDGE, EDGE + 12, title, 13, weight="bold")
    write(figure, EDGE + (width_of(title, 13, True) + 8 if title else 0), EDGE + 12, shape, 11, color=QUIET)
    cells = panel(figure, left, top, widest, down * rows)
    print_values = (across >= 29 and down >= 14) if values is None else values
    digits = (1 if limits[1] >= 10 else 2) if print_values else None
    draw_cells(cells, matrix, limits, kind, seen, digits, min(10.5, across / 3.1))
    _label(cells, *names, (across, down), upright)
    colour_bar(figure, left + widest + 12, top, max(down * rows, 40), limits, kind)
    if closed:
        masked_key(figure, left, top + down * rows + 20)
    return figure


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
    limit: float | None = None,
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
