"""Many small line charts with the same axes, to be compared at a glance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from anatomy_course.figures import canvas
from anatomy_course.figures.arrays import array
from anatomy_course.figures.canvas import Number, finish, page, panel
from anatomy_course.figures.charts import DASHES, MARKERS, SERIES, frame
from anatomy_course.figures.picture import Picture
from anatomy_course.figures.style import PAGE, look

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EDGE, LEFT, BELOW, ABOVE, GAP = 12, 34, 34, 22, 18
PER_ROW, MOST_WIDE, FEW = 4, 2, 12
SMALL, WIDE = (176, 108), (274, 180)
"""Width and height of a chart: of many, and of two or fewer. Up to `FEW` points have markers."""


@look()
def curve_grid(
    charts: Mapping[str, Mapping[str, Any]],
    *,
    x: Any = None,
    xlabel: str = "",
    ylabel: str = "",
    title: str = "",
    alt: str = "",
) -> Picture:
    """One chart per title, two large or four small in a row; a series has the same look in all of them.

    Args:
        charts: title → name of a series → (point) numbers; NaN leaves a gap.
        x: (point) numbers shared by all series; counted from 1 on by default.
        xlabel: what x is; named below the first chart of the last row.
        ylabel: named beside the first chart of each row.
        alt: alt text; what each series begins and ends with by default.

    Raises:
        ValueError: no chart, one without a series, or a series with another number of points than x.
    """
    if not charts or not all(charts.values()):
        raise ValueError(f"There are {len(charts)} charts; give at least one, each with a series.")
    numbers = {
        name: {each: array(y, 1, f"series {each!r}") for each, y in series.items()} for name, series in charts.items()
    }
    at = None if x is None else array(x, 1, "x axis")
    for series in numbers.values():
        for each, y in series.items():
            if at is not None and len(y) != len(at):
                raise ValueError(f"The series {each!r} has {len(y)} points and x has {len(at)}; give equally many.")
    told = "; ".join(
        f"{name}: {', '.join(f'{each} from {y[0]:.3g} to {y[-1]:.3g}' for each, y in series.items())}"
        for name, series in numbers.items()
    )
    return finish(_grid(numbers, at, xlabel, ylabel, title), alt or f"{title or 'Line charts'}. {told}.")


def _grid(
    charts: Mapping[str, Mapping[str, np.ndarray]], x: np.ndarray | None, xlabel: str, ylabel: str, title: str
) -> Figure:
    rows = -(-len(charts) // PER_ROW)
    wide, high = WIDE if len(charts) <= MOST_WIDE else SMALL
    across, down = LEFT + wide + GAP, ABOVE + high + BELOW
    top = EDGE + (26 if title else 0)
    figure = page(2 * EDGE + 14 + min(len(charts), PER_ROW) * across, top + rows * down + 24)
    if title:
        canvas.write(figure, EDGE, EDGE + 10, title, 13, weight="bold")
    names = list(dict.fromkeys(name for series in charts.values() for name in series))
    shades = {name: canvas.role(SERIES[n]) for n, name in enumerate(names)}
    highest = max(float(np.nanmax(y)) for series in charts.values() for y in series.values())
    for n, (name, series) in enumerate(charts.items()):
        row, column = divmod(n, PER_ROW)
        left, upper = EDGE + 14 + column * across, top + row * down
        canvas.write(figure, left + LEFT, upper + 12, name, 11, weight="bold")
        axes = panel(figure, left + LEFT, upper + ABOVE, wide, high)
        first = column == 0
        frame(axes, xlabel if first and row == rows - 1 else "", ylabel if first else "")
        axes.tick_params(which="major", labelsize=11 if (wide, high) == WIDE else 9)
        for each, values in series.items():
            place_of = names.index(each)
            axes.plot(np.arange(1, 1 + len(values)) if x is None else x, values, color=shades[each],
                      linestyle=DASHES[place_of], linewidth=1.6, markersize=5, markeredgecolor=PAGE,
                      marker=MARKERS[place_of] if len(values) <= FEW else "")  # fmt: skip
        if x is not None and len(x) <= FEW and (x == x.round()).all():
            axes.set_xticks(x, [f"{each:.0f}" for each in x])
        axes.set_ylim(0, highest * 1.06)
    place: Number = EDGE + 14 + LEFT
    line = top + rows * down + 10
    for n, each in enumerate(names):
        for dash in range(0, 24, 8):  # the first series is drawn through, as in the charts
            end = place + dash + (8 if n == 0 else 5)
            canvas.stroke(figure, [(place + dash, line), (end, line)], shades[each], 2)  # type: ignore[arg-type]
        canvas.write(figure, place + 30, line, each, 11, color=shades[each], va="center")
        place += 48 + canvas.width_of(each)
    return figure
