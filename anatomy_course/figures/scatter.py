"""Words in the plane: labelled points, groups with a marker of their own, arrows along a word's way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from anatomy_course.figures import canvas
from anatomy_course.figures.arrays import array, labels_for
from anatomy_course.figures.canvas import finish, page, panel, width_of
from anatomy_course.figures.charts import EDGE, MARKERS, frame
from anatomy_course.figures.picture import Picture
from anatomy_course.figures.style import PAGE, QUIET, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@look()
def scatter_words(
    points: Any,
    labels: Sequence[object],
    *,
    groups: Sequence[str] | None = None,
    paths: Sequence[Sequence[int]] = (),
    title: str = "",
    xlabel: str = "",
    ylabel: str = "",
    log: bool = False,
    alt: str = "",
) -> Picture:
    """Words as labelled points in the plane, groups with their own marker, paths as arrows from point to point.

    Args:
        points: (word, 2) numbers.
        labels: one word per point; an empty word leaves the point without a name.
        groups: a role of the palette per point; points of one role share color and marker.
        paths: sequences of point numbers to be joined by arrows, such as one word through the layers.
        log: a logarithmic axis upwards.
        alt: alt text; the words and places by default.

    Raises:
        ValueError: points without exactly two numbers each, or another number of labels or groups than points.
    """
    places = array(points, 2, "points")
    if places.shape[1] != 2:
        raise ValueError(
            f"The points have shape {places.shape}; each word needs exactly two numbers, so choose two axes."
        )
    names = labels_for(len(places), labels, "point")
    shades = list(groups) if groups is not None else ["query"] * len(places)
    labels_for(len(places), shades, "point")
    told = ", ".join(f"{n} at ({p[0]:.2f}, {p[1]:.2f})" for n, p in zip(names, places, strict=True) if n)
    figure = page(560, 420)
    top = EDGE + (28 if title else 4)
    axes = panel(figure, 64, top, 560 - 64 - EDGE, 420 - top - 46)
    if title:
        canvas.write(figure, EDGE, EDGE + 12, title, 13, weight="bold")
    frame(axes, xlabel, ylabel)
    kinds = list(dict.fromkeys(shades))
    for n, kind in enumerate(kinds):
        chosen = places[[shade == kind for shade in shades]]
        axes.scatter(chosen[:, 0], chosen[:, 1], s=46, color=canvas.role(kind), marker=MARKERS[n % 6],
                     edgecolors=PAGE, linewidths=0.8, zorder=3)  # fmt: skip
    axes.margins(0.14, 0.12)
    if log:
        axes.set_yscale("log")
    axes.autoscale_view()
    for path in paths:
        for start, end in zip(path, path[1:], strict=False):
            axes.annotate("", places[end], places[start], zorder=2,
                          arrowprops={"arrowstyle": "-|>", "color": QUIET, "shrinkA": 4, "shrinkB": 5})  # fmt: skip
    _place_words(axes, places, names, shades, paths)
    return finish(figure, alt or f"{title or 'Words in the plane'}: {told}.")


def _place_words(
    axes: Axes, points: np.ndarray, names: list[str], groups: list[str], paths: Sequence[Sequence[int]]
) -> None:
    """Each word goes to the first of eight places around its point that is still free and on the page."""
    marks = [tuple(axes.transData.transform(p)) for p in points]
    taken = [(x - 5, y - 5, x + 5, y + 5) for x, y in marks]
    for path in paths:
        for start, end in zip(path, path[1:], strict=False):
            way = np.linspace(marks[start], marks[end], 24)
            taken += [(float(x), float(y), float(x), float(y)) for x, y in way]
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
        down = axes.figure.bbox.height - y - best[2]
        canvas.write(axes.figure, x + best[1], down, name, color=canvas.role(group), va="center")  # type: ignore[arg-type]
