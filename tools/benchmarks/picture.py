"""The picture of a run: how many times the best peer's figure is ours, one bar for each comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from anatomy_course.figures import canvas
from anatomy_course.figures.canvas import finish, page, panel, width_of, write
from anatomy_course.figures.charts import frame
from anatomy_course.figures.picture import Picture
from anatomy_course.figures.style import INK, QUIET, look
from tools.benchmarks.report import rows_of, times
from tools.benchmarks.timing import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Best peer's figure ÷ ours: right of 1 we are ahead"
EDGE, BAR = 12, 21


def draw(results: dict[str, Any]) -> Picture:
    """Bars on a logarithmic axis that start at 1; a black mark stands where a promise was made."""
    rows = [row for row in rows_of(results) if row.ratio is not None and row.subject != "imports"]
    told = ", ".join(f"{row.work} {times(row.ratio)}" for row in rows if row.at_least is not None)
    alt = f"{TITLE}, as measured by make bench. Where a ratio was promised: {told or 'nothing measured'}."
    with look():
        return finish(_figure(rows), alt)


def _figure(rows: Sequence[Row]) -> Figure:
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

    left = EDGE + max((width_of(row.work) for row in rows), default=0) + 12
    top, height = EDGE + 30, BAR * max(len(rows), 1)
    figure = page(left + 340, top + height + 50)
    axes = panel(figure, left, top, 280, height)
    write(figure, EDGE, EDGE + 12, TITLE, 13, weight="bold")
    frame(axes, "ratio (logarithmic axis); black mark: promised", "")
    axes.grid(axis="y", visible=False)
    axes.set_xscale("log")
    for place, row in enumerate(rows):
        assert row.ratio is not None
        color = canvas.role("query")
        axes.barh(place, row.ratio - 1, 0.72, left=1, facecolor=canvas.tint(color, 0.75), edgecolor=color)
        if row.at_least is not None:
            axes.plot([row.at_least] * 2, [place - 0.46, place + 0.46], color=INK, linewidth=2.2)
        end = max(row.ratio, row.at_least or 0, 1)
        axes.annotate(times(row.ratio), (end, place), (6, 0), textcoords="offset points", va="center", fontsize=10.5)
    axes.axvline(1, color=QUIET, linewidth=1)
    ratios = [row.ratio for row in rows if row.ratio is not None]
    axes.set_xlim(min([0.5, *ratios]) * 0.9, max([4, *ratios]) * 1.6)
    axes.xaxis.set_major_locator(FixedLocator([0.25, 0.5, 1, 2, 4, 8, 16, 32, 64]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks(range(len(rows)), [row.work for row in rows], fontsize=11, parse_math=False)
    axes.tick_params(axis="y", length=0)
    return figure
