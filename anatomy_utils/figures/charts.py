"""Lines, bars and words in the plane: series that differ in marker, line style and label, not only in colour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from anatomy_utils.figures import canvas
from anatomy_utils.figures.canvas import FAINT, INK, PAGE, QUIET, array, finish, labels_for, look, page, panel, width_of
from anatomy_utils.figures.picture import Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SERIES = ("query", "key", "value", "weights", "feed_forward", "residual")
MARKERS, DASHES, HATCHES = "osD^vP", ("-", "--", "-.", ":", (0, (6, 1, 1, 1)), (0, (1, 1))), ("", "//", "..", "\\\\")
EDGE = 12


def _frame(axes: Axes, xlabel: str, ylabel: str) -> None:
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


def spread(wanted: Sequence[float], apart: float, low: float, high: float) -> list[float]:
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


def lines(
    x: Any,
    series: Mapping[str, Any],
    *,
    xlabel: str = "",
    ylabel: str = "",
    title: str = "",
    log: Literal["", "x", "y", "xy"] = "",
    roles: Mapping[str, str] | None = None,
    alt: str = "",
) -> Picture:
    """One line per series, each with its own marker and dash and its name at its end.

    Args:
        x: (point) numbers shared by all series.
        series: name → (point) numbers; NaN leaves a gap.
        log: which axes are logarithmic.
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
    alt = alt or f"{title or ylabel or 'Line plot'} over {xlabel or 'x'} from {points[0]:.4g} to {points[-1]:.4g}: {told}."
    with look():
        return finish(_lines(points, heights, xlabel, ylabel, title, log, roles or {}), alt)


def _lines(
    x: np.ndarray,
    series: Mapping[str, np.ndarray],
    xlabel: str,
    ylabel: str,
    title: str,
    log: str,
    roles: Mapping[str, str],
) -> Figure:
    beside = max(width_of(name) for name in series) + 20
    figure = page(640, 320)
    top = EDGE + (30 if title else 6)
    axes = panel(figure, 72, top, 640 - 72 - beside - EDGE, 320 - top - 52)
    if title:
        canvas.write(figure, EDGE, EDGE + 12, title, 13, weight="bold")
    _frame(axes, xlabel, ylabel)
    if "x" in log:
        axes.set_xscale("log", base=2)
        _plain_ticks(axes.xaxis, x)
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
        ends.append(float(y[last[-1]]) if last.size else 0.0)
    axes.margins(x=0.02, y=0.06)
    _name_the_ends(axes, list(series), x[-1], ends, shades)
    return figure


def _name_the_ends(axes: Axes, names: list[str], x: float, ends: list[float], shades: list[str]) -> None:
    height = axes.bbox.height
    ups = [float(axes.transData.transform((x, y))[1] - axes.bbox.y0) for y in ends]
    for n, (up, place) in enumerate(zip(ups, spread(ups, 15, 4, height - 4), strict=True)):
        axes.annotate(
            names[n], (1, up / height), (12, place - up), xycoords="axes fraction", textcoords="offset points",
            color=shades[n], fontsize=11, va="center", annotation_clip=False, parse_math=False,
            arrowprops={"arrowstyle": "-", "color": shades[n], "linewidth": 0.8, "shrinkA": 0, "shrinkB": 0},
        )  # fmt: skip


def bars(
    labels: Sequence[object],
    heights: Any,
    *,
    xlabel: str = "",
    title: str = "",
    digits: int = 2,
    roles: Mapping[str, str] | None = None,
    alt: str = "",
) -> Picture:
    """Lying bars with their values printed; several series stand in groups and differ in hatching too.

    Args:
        labels: one word per bar (or group of bars).
        heights: (bar) numbers, or name → (bar) numbers for several series.
        xlabel: what the length of a bar means, with its unit.
        digits: decimals of the printed values.
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
        names = labels_for(len(row), labels, "bar")
    told = "; ".join(
        (f"{name}: " if name else "") + ", ".join(f"{n} {canvas.number(v, digits)}" for n, v in zip(names, row, strict=True))
        for name, row in rows.items()
    )
    with look():
        return finish(_bars(names, rows, xlabel, title, digits, roles or {}), alt or f"{title or xlabel or 'Bars'}: {told}.")


def _bars(
    names: list[str],
    series: Mapping[str, np.ndarray],
    xlabel: str,
    title: str,
    digits: int,
    roles: Mapping[str, str],
) -> Figure:
    left = EDGE + max(width_of(n) for n in names) + 10
    keyed = len(series) > 1
    thick = 20.0 if not keyed else 15.0
    group = thick * len(series) + 9
    top = EDGE + (28 if title else 4) + (22 if keyed else 0)
    figure = page(600, top + group * len(names) + (46 if xlabel else 30))
    axes = panel(figure, left, top, 600 - left - 56, group * len(names))
    if title:
        canvas.write(figure, EDGE, EDGE + 12, title, 13, weight="bold")
    _frame(axes, xlabel, "")
    axes.grid(axis="y", visible=False)
    for n, (name, row) in enumerate(series.items()):
        shade = canvas.role(roles.get(name, name if name in SERIES else SERIES[n]))
        places = np.arange(len(row)) * group + 4.5 + thick * (n + 0.5)
        axes.barh(places, row, thick - 2, facecolor=shade if n == 0 else canvas.tint(shade, 0.35), edgecolor=shade,
                  hatch=HATCHES[n], linewidth=1, label=name)  # fmt: skip
        for place, value in zip(places, row, strict=True):
            axes.annotate(canvas.number(value, digits), (max(value, 0) if np.isfinite(value) else 0, place), (5, 0),
                          textcoords="offset points", va="center", fontsize=10.5)  # fmt: skip
    axes.set_ylim(group * len(names), 0)
    axes.set_yticks([group * (i + 0.5) for i in range(len(names))], names, fontsize=11, parse_math=False)
    axes.tick_params(axis="y", length=0)
    if keyed:
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=len(series), frameon=False, fontsize=11,
                    handlelength=1.6, borderaxespad=0.3, borderpad=0.1)  # fmt: skip
    return figure


def scatter_words(
    points: Any,
    labels: Sequence[object],
    *,
    groups: Sequence[str] | None = None,
    paths: Sequence[Sequence[int]] = (),
    title: str = "",
    xlabel: str = "",
    ylabel: str = "",
    alt: str = "",
) -> Picture:
    """Words as labelled points in the plane, groups with their own marker, paths as arrows from point to point.

    Args:
        points: (word, 2) numbers.
        labels: one word per point; an empty word leaves the point without a name.
        groups: a role of the palette per point; points of one role share colour and marker.
        paths: sequences of point numbers to be joined by arrows, such as one word through the layers.
        alt: alt text; the words and places by default.

    Raises:
        ValueError: points without exactly two numbers each, or another number of labels or groups than points.
    """
    places = array(points, 2, "points")
    if places.shape[1] != 2:
        raise ValueError(f"The points have shape {places.shape}; each word needs exactly two numbers, so choose two axes.")
    names = labels_for(len(places), labels, "point")
    shades = list(groups) if groups is not None else ["query"] * len(places)
    labels_for(len(places), shades, "point")
    told = ", ".join(f"{n} at ({p[0]:.2f}, {p[1]:.2f})" for n, p in zip(names, places, strict=True) if n)
    with look():
        figure = _scatter(places, names, shades, paths, title, (xlabel, ylabel))
        return finish(figure, alt or f"{title or 'Words in the plane'}: {told}.")


def _scatter(
    points: np.ndarray,
    names: list[str],
    groups: list[str],
    paths: Sequence[Sequence[int]],
    title: str,
    axis_names: tuple[str, str],
) -> Figure:
    figure = page(560, 420)
    top = EDGE + (28 if title else 4)
    axes = panel(figure, 64, top, 560 - 64 - EDGE, 420 - top - 46)
    if title:
        canvas.write(figure, EDGE, EDGE + 12, title, 13, weight="bold")
    _frame(axes, *axis_names)
    kinds = list(dict.fromkeys(groups))
    for n, kind in enumerate(kinds):
        chosen = points[[g == kind for g in groups]]
        axes.scatter(chosen[:, 0], chosen[:, 1], s=46, color=canvas.role(kind), marker=MARKERS[n % 6],
                     edgecolors=PAGE, linewidths=0.8, zorder=3)  # fmt: skip
    axes.margins(0.14, 0.12)
    for path in paths:
        for start, end in zip(path, path[1:], strict=False):
            axes.annotate("", points[end], points[start], zorder=2,
                          arrowprops={"arrowstyle": "-|>", "color": QUIET, "shrinkA": 4, "shrinkB": 5})  # fmt: skip
    _place_words(axes, points, names, groups)
    return figure


def _place_words(axes: Axes, points: np.ndarray, names: list[str], groups: list[str]) -> None:
    """Each word goes to the first of eight places around its point that is still free and on the page."""
    marks = [tuple(axes.transData.transform(p)) for p in points]
    taken = [(x - 5, y - 5, x + 5, y + 5) for x, y in marks]
    page_box = axes.bbox
    for (x, y), name, group in zip(marks, names, groups, strict=True):
        if not name:
            continue
        wide, best = width_of(name, 11), None
        for dx, dy in ((8, 0), (-8 - wide, 0), (-wide / 2, 13), (-wide / 2, -13), (7, 11), (7, -11), (-wide - 7, 11),
                       (-wide - 7, -11)):  # fmt: skip
            box = (x + dx, y + dy - 6, x + dx + wide, y + dy + 7)
            hits = sum(b[0] < box[2] and box[0] < b[2] and b[1] < box[3] and box[1] < b[3] for b in taken)
            outside = not (page_box.x0 <= box[0] and box[2] <= page_box.x1 + 8 and page_box.y0 <= box[1] <= page_box.y1)
            if best is None or hits + 2 * outside < best[0]:
                best = (hits + 2 * outside, dx, dy, box)
            if best[0] == 0:
                break
        assert best is not None
        taken.append(best[3])
        axes.annotate(name, (x, y), (best[1], best[2]), xycoords="figure pixels", textcoords="offset points",
                      fontsize=11, va="center", color=canvas.role(group), parse_math=False)  # fmt: skip
