"""Why the scores are divided by √dₖ, in five small panels: the scale explorer's still picture.

Above what one dₖ does to the scores and to one query's weights, below three measures over all dₖ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from anatomy_course.figures import canvas
from anatomy_course.figures.arrays import array
from anatomy_course.figures.canvas import Number, finish, page, panel
from anatomy_course.figures.charts import frame
from anatomy_course.figures.picture import Picture
from anatomy_course.figures.style import PAGE, QUIET, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLES: dict[bool, dict[str, Any]] = {
    True: {"label": "divided by √dₖ", "role": "weights", "marker": "o", "dash": "-"},
    False: {"label": "not divided", "role": "residual", "marker": "s", "dash": "--"},
}
MEASURES = (("variance", "variance of the scores", True), ("entropy", "entropy of the weights, bits", False),
            ("gradient", "gradient of the softmax", True))  # fmt: skip
"""Measure → its axis' name, and whether that axis is logarithmic."""


@look()
def scale_steps(
    widths: Sequence[int],
    measures: Mapping[bool, Mapping[str, Any]],
    d_head: int,
    scores: Mapping[bool, Any],
    weights: Mapping[bool, Any],
    *,
    title: str = "",
    alt: str,
) -> Picture:
    """Scores, weights and gradient with and without the division; True stands for "divided".

    Args:
        widths: the dₖ that were measured.
        measures: for each case "variance", "entropy" and "gradient": (width) numbers.
        d_head: the dₖ of the two upper panels.
        scores: for each case (score) numbers.
        weights: for each case one query's (key) weights.
        title: the picture's title.
        alt: alt text.

    Raises:
        ValueError: a measure has another number of points than `widths`.
    """
    points = array(widths, 1, "widths")
    for case in (True, False):
        for name, _, _ in MEASURES:
            if len(array(measures[case][name], 1, name)) != len(points):
                raise ValueError(f"{name} has {len(measures[case][name])} points for {len(points)} widths.")
    figure = page(704, 452)
    canvas.write(figure, 12, 24, title, 13, weight="bold")
    _key(figure)
    _scores(panel(figure, 52, 96, 280, 112), scores, d_head)
    _weights(panel(figure, 392, 96, 300, 112), weights, d_head)
    for n, (name, axis, log) in enumerate(MEASURES):
        _curves(panel(figure, 52 + n * 232, 282, 176, 116), points, measures, name, axis, log)
    return finish(figure, alt)


def _key(figure: Figure) -> None:
    """Which line is which, by color, marker and dash."""
    from matplotlib.lines import Line2D

    lines = [Line2D([], [], color=canvas.role(s["role"]), marker=s["marker"], linestyle=s["dash"], label=s["label"],
                    markeredgecolor=PAGE, markersize=6, linewidth=2) for s in STYLES.values()]  # fmt: skip
    figure.legend(handles=lines, loc="upper left", bbox_to_anchor=(0.008, 0.935), ncols=2, frameon=False, fontsize=11)


def _scores(axes: Axes, scores: Mapping[bool, Any], d_head: int) -> None:
    frame(axes, "score", "share")
    reach = float(np.abs(array(scores[False], 1, "scores")).max())
    edges = np.linspace(-reach, reach, 61).tolist()
    for case in (False, True):
        values, style = array(scores[case], 1, "scores"), STYLES[case]
        share = np.full(len(values), 1 / len(values))
        shade = canvas.role(style["role"])
        axes.hist(values, edges, weights=share, histtype="stepfilled", facecolor=canvas.tint(shade, 0.3),
                  edgecolor=shade, linestyle=style["dash"], linewidth=1.3)  # fmt: skip
    axes.set_title(f"all scores at dₖ = {d_head}", fontsize=11.5, weight="bold", loc="left")


def _weights(axes: Axes, weights: Mapping[bool, Any], d_head: int) -> None:
    frame(axes, "key", "weight")
    axes.grid(axis="x", visible=False)
    for case, shift in ((True, -0.2), (False, 0.2)):
        row, shade = array(weights[case], 1, "weights"), canvas.role(STYLES[case]["role"])
        axes.bar(np.arange(1, len(row) + 1) + shift, row, 0.4, facecolor=shade if case else canvas.tint(shade, 0.3),
                 edgecolor=shade, hatch="" if case else "////", linewidth=0.8)  # fmt: skip
    axes.set_ylim(0, 1)
    axes.set_title(f"weights of one query at dₖ = {d_head}", fontsize=11.5, weight="bold", loc="left")


def _curves(
    axes: Axes, x: np.ndarray, measures: Mapping[bool, Mapping[str, Any]], name: str, title: str, log: bool
) -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter

    frame(axes, "dₖ", "")
    axes.set_xscale("log", base=2)
    if log:
        axes.set_yscale("log")
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.yaxis.set_major_formatter(FuncFormatter(_plain))
    else:
        axes.set_ylim(0, 4.2)
    axes.xaxis.set_major_formatter(FuncFormatter(_plain))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xticks([width for width in x if np.log2(width) % 3 == 0])
    for case, style in STYLES.items():
        axes.plot(x, measures[case][name], color=canvas.role(style["role"]), marker=style["marker"], markersize=5,
                  linestyle=style["dash"], linewidth=1.8, markeredgecolor=PAGE, markeredgewidth=0.7)  # fmt: skip
    axes.set_title(title, fontsize=11.5, weight="bold", loc="left")
    axes.tick_params(labelcolor=QUIET)


def _plain(value: Number, _: object) -> str:
    return f"{value:.6g}"
