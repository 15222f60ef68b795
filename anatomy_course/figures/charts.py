"""Lines and bars: series that differ in marker, line style and label, not only in color."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from anatomy_course.figures import canvas
from anatomy_course.figures.arrays import array, labels_for
from anatomy_course.figures.canvas import Number, finish, page, panel, width_of
from anatomy_course.figures.picture import Picture
from anatomy_course.figures.style import FAINT, INK, PAGE, QUIET, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SERIES = ("query", "key", "value", "weights", "feed_forward", "residual")
MARKERS, DASHES, HATCHES = "osD^vP", ("-", "--", "-.", ":", (0, (6, 1, 1, 1)), (0, (1, 1))), ("", "//", "..", "\\\\")
EDGE, LONGEST = 12, 44
MIN_TICKS = 2


def frame(axes: Axes, xlabel: str, ylabel: str) -> None:
    """Axes in the common style: two quiet lines, a pale grid behind the data, named."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set(color=QUIET, linewidth=1)
    axes.tick_params(which="major", length=3, color=QUIET, labelsize=10.5)
    axes.tick_params(which="minor", length=0)
    axes.grid(color=FAINT, linewidth=0.7, alpha=0.7)
    axes.set_axisbelow(True)
    axes.set_xlabel(xlabel, fontsize=11, color=INK)
    axes.set_ylabel(ylabel, fontsize=11, color=INK)


def _plain_ticks(axis: Any, points: np.ndarray) -> None:
    """On a logarithmic axis: the measured points themselves where few, powers otherwise, never minor labels."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

    if len(points) <= 9:
        axis.set_major_locator(FixedLocator(list(points)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}".replace(",", " ")))
    axis.set_minor_formatter(NullFormatter())


def _enough_ticks(axis: Any, low: Number, high: Number) -> None:
    """Round numbers on a logarithmic axis that has room for fewer than two powers of ten."""
    from matplotlib.ticker import FixedLocator, MaxNLocator

    if sum(low <= tick <= high for tick in axis.get_majorticklocs()) < MIN_TICKS:
        ticks = MaxNLocator(4, steps=[1, 2, 5, 10]).tick_values(float(low), float(high))
        axis.set_major_locator(FixedLocator([tick for tick in ticks if low <= tick <= high]))


def spread(wanted: Sequence[Number], apart: Number, low: Number, high: Number) -> list[Number]:
    """Places near the wanted ones, at least `apart` from each other, in the same order."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    places = [wanted[i] for i in order]
    for i in range(1, len(places)):
        places[i] = max(places[i], places[i - 1] + apart)
    over = max(0.0, places[-1] - high) if places else 0.0
    for i in reversed(range(len(places))):
        ceiling = high if i == len(places) - 1 else places[i + 1] - apart
        places[i] = max(min(places[i], ceiling), low) if over else places[i]
    result = [0.0] * len(wanted)
    for place, i in zip(places, order, strict=True):
        result[i] = place
    return result


@look()
def lines(
    x: Any,
    series: Mapping[str, Any],
    *,
    xlabel: str = "",
    ylabel: str = "",
    title: str = "",
    log: Literal["", "x", "y", "xy"] = "",
    limits: tuple[Number, Number] | None = None,
    roles: Mapping[str, str] | None = None,
    alt: str = "",
) -> Picture:
    """One line per series, each with its own marker and dash and its name at its end.

    Args:
        x: (point) numbers shared by all series.
        series: name → (point) numbers; NaN leaves a gap.
        log: which axes are logarithmic.
        limits: lowest and highest y, to share limits with another picture; the data's by default.
        roles: name → role of the palette, where a series shows one.
        alt: alt text; ends of every series by default.

    Raises:
        ValueError: no series, more than six, or one with another number of points than x.
    """
    points = array(x, 1, "x axis")
    if not 1 <= len(series) <= len(SERIES):
        raise ValueError(f"There are {len(series)} series; a line plot stays readable with 1 to {len(SERIES)}.")
    heights = {name: array(y, 1, f"series {name!r}") for name, y in series.items()}
    for name, y in heights.items():
        if len(y) != len(points):
            raise ValueError(f"The series {name!r} has {len(y)} points and x has {len(points)}; give equally many.")
    told = "; ".join(f"{name} goes from {y[0]:.3g} to {y[-1]:.3g}" for name, y in heights.items())
    where = f"over {xlabel or 'x'} from {points[0]:.4g} to {points[-1]:.4g}"
    figure = _lines(points, heights, xlabel, ylabel, title, log, limits, roles or {})
    return finish(figure, alt or f"{title or ylabel or 'Line plot'} {where}: {told}.")


def _lines(
    x: np.ndarray,
    series: Mapping[str, np.ndarray],
    xlabel: str,
    ylabel: str,
    title: str,
    log: str,
    limits: tuple[Number, Number] | None,
    roles: Mapping[str, str],
) -> Figure:
    beside = max(width_of(name) for name in series) + 20
    figure = page(640, 320)
    top = EDGE + (30 if title else 6)
    axes = panel(figure, 72, top, 640 - 72 - beside - EDGE, 320 - top - 52)
    if title:
        canvas.write(figure, EDGE, EDGE + 12, title, 13, weight="bold")
    frame(axes, xlabel, ylabel)
    if "x" in log:
        axes.set_xscale("log", base=2)
        _plain_ticks(axes.xaxis, x)
    elif len(x) <= 12 and (x == x.round()).all():
        axes.set_xticks(x, [f"{v:.0f}" for v in x])
    if "y" in log:
        axes.set_yscale("log")
        _plain_ticks(axes.yaxis, np.arange(99))
    ends, shades = [], []
    for n, (name, y) in enumerate(series.items()):
        shades.append(canvas.role(roles.get(name, name if name in SERIES else SERIES[n])))
        every = max(1, len(x) // 12)
        axes.plot(x, y, color=shades[-1], linestyle=DASHES[n], marker=MARKERS[n], markersize=5.5, markevery=every,
                  markeredgecolor=PAGE, markeredgewidth=0.8, linewidth=1.9, label=name)  # fmt: skip
        last = np.flatnonzero(np.isfinite(y))
        ends.append((float(x[last[-1]]), float(y[last[-1]])) if last.size else (float(x[-1]), 0.0))
    axes.margins(x=0.02, y=0.06)
    axes.autoscale_view()
    if limits:
        axes.set_ylim(*limits)
    if "y" in log:
        _enough_ticks(axes.yaxis, *axes.get_ylim())
    _name_the_ends(axes, list(series), ends, shades)
    return figure


def _name_the_ends(axes: Axes, names: list[str], ends: list[tuple[Number, Number]], shades: list[str]) -> None:
    """Each series' name at the end of its line.

    Those that run to the last point have it right of the frame, moved apart where two would touch, with a hair line
    back to it; one that ends earlier has it near its own last point, where the fewest lines cross it.
    """
    figure, box = axes.figure, axes.bbox
    page_height, furthest = figure.bbox.height, max(x for x, _ in ends)
    top = page_height - box.y1
    places = [axes.transData.transform(end) for end in ends]
    through = [n for n, (x, _) in enumerate(ends) if x == furthest]
    wanted = [float(page_height - places[n][1]) for n in through]
    for n, at, place in zip(through, wanted, spread(wanted, 15, top + 4, top + box.height - 4), strict=True):
        canvas.stroke(figure, [(box.x1 - 4, at), (box.x1 + 9, place)], shades[n])  # type: ignore[arg-type]
        canvas.write(figure, box.x1 + 12, place, names[n], color=shades[n], va="center")  # type: ignore[arg-type]
    for n in set(range(len(ends))) - set(through):
        end = float(places[n][0]), float(page_height - places[n][1])
        wide = width_of(names[n])
        left, middle = _free_place(end, wide, _drawn(axes, page_height), (top + 6, top + box.height - 6))
        near = left - 2 if left > end[0] else left + wide + 2
        canvas.stroke(figure, [end, (near, middle)], shades[n])  # type: ignore[arg-type]
        canvas.write(figure, left, middle, names[n], color=shades[n], va="center")  # type: ignore[arg-type]


def _drawn(axes: Axes, page_height: Number) -> np.ndarray:
    """Points all along the drawn lines: (point, 2) in pixels from the top left."""
    ways = []
    for line in axes.lines:
        corners = axes.transData.transform(line.get_xydata())
        corners = corners[np.isfinite(corners).all(axis=1)]
        fine = np.arange(0, len(corners) - 1 + 1e-9, 1 / 64)
        ways += [np.column_stack([np.interp(fine, np.arange(len(corners)), column) for column in corners.T])]
    points = np.concatenate(ways)
    return np.column_stack([points[:, 0], page_height - points[:, 1]])


def _free_place(
    end: tuple[float, float], wide: Number, drawn: np.ndarray, between: tuple[Number, Number]
) -> tuple[float, float]:
    """Where a name `wide` pixels long, beside the end of its line, is crossed by the fewest lines: (left, middle)."""
    sides = end[0] + 12, end[0] - 12 - float(wide)
    moves = sorted(range(-60, 61, 6), key=abs)
    places = [(left, end[1] + by) for by in moves for left in sides]
    inside = [place for place in places if between[0] <= place[1] <= between[1]]

    def crossed(place: tuple[float, float]) -> int:
        beside, above = abs(drawn - (place[0] + wide / 2, place[1])).T
        return int(((beside < wide / 2 + 3) & (above < 9)).sum())

    return min(inside or places, key=crossed)  # the nearest of the best


@look()
def bars(
    labels: Sequence[object],
    heights: Any,
    *,
    xlabel: str = "",
    title: str = "",
    digits: int = 2,
    texts: Mapping[str, Sequence[str]] | None = None,
    roles: Mapping[str, str] | None = None,
    alt: str = "",
) -> Picture:
    """Lying bars with their values printed; several series stand in groups and differ in hatching too.

    Args:
        labels: one word per bar (or group of bars).
        heights: (bar) numbers, or name → (bar) numbers for several series.
        xlabel: what the length of a bar means, with its unit.
        digits: decimals of the printed values.
        texts: series name → (bar) what is printed in place of the values.
        roles: series name → role of the palette.
        alt: alt text; every value by default.

    Raises:
        ValueError: no bar, more than four series, or a series with another number of bars than labels.
    """
    series = {str(k): v for k, v in heights.items()} if isinstance(heights, Mapping) else {"": heights}
    if not 1 <= len(series) <= len(HATCHES):
        raise ValueError(f"There are {len(series)} series; bars stay readable with 1 to {len(HATCHES)}.")
    rows = {name: array(v, 1, f"series {name!r}" if name else "bars") for name, v in series.items()}
    for row in rows.values():
        names = labels_for(len(row), labels, "bar", LONGEST)
    told = "; ".join(
        (f"{name}: " if name else "")
        + ", ".join(f"{n} {canvas.number(v, digits)}" for n, v in zip(names, row, strict=True))
        for name, row in rows.items()
    )
    left = EDGE + max(width_of(n) for n in names) + 10
    keyed = len(series) > 1
    thick = 20.0 if not keyed else 15.0
    group = thick * len(series) + 9
    top = EDGE + (28 if title else 4) + (22 if keyed else 0)
    figure = page(600, top + group * len(names) + (46 if xlabel else 30))
    axes = panel(figure, left, top, 600 - left - 56, group * len(names))
    if title:
        canvas.write(figure, EDGE, EDGE + 12, title, 13, weight="bold")
    frame(axes, xlabel, "")
    axes.grid(axis="y", visible=False)
    for n, (name, row) in enumerate(rows.items()):
        shade = canvas.role((roles or {}).get(name, name if name in SERIES else SERIES[n]))
        places = np.arange(len(row)) * group + 4.5 + thick * (n + 0.5)
        axes.barh(places, row, thick - 2, facecolor=shade if n == 0 else canvas.tint(shade, 0.35), edgecolor=shade,
                  hatch=HATCHES[n], linewidth=1, label=name)  # fmt: skip
        printed = texts[name] if texts else [canvas.number(value, digits) for value in row]
        for place, value, words in zip(places, row, printed, strict=True):
            axes.annotate(words, (max(value, 0) if np.isfinite(value) else 0, place), (5, 0),
                          textcoords="offset points", va="center", fontsize=10.5)  # fmt: skip
    axes.set_ylim(group * len(names), 0)
    axes.set_yticks([group * (i + 0.5) for i in range(len(names))], names, fontsize=11, parse_math=False)
    axes.tick_params(axis="y", length=0)
    if keyed:
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=len(series), frameon=False, fontsize=11,
                    handlelength=1.6, borderaxespad=0.3, borderpad=0.1)  # fmt: skip
    return finish(figure, alt or f"{title or xlabel or 'Bars'}: {told}.")
