"""The one look of all figures: fonts, lines and colors, set for one figure and put back after it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from anatomy_course.figures import palette

INK, FAINT, PAGE = palette.INK.light, palette.FAINT.light, palette.PAGE.light

QUIET = "#586069"
"""Shapes, axis names and notes: quieter than the ink, still 6 to 1 on the page."""
FONT = "DejaVu Sans"
"""Shipped inside matplotlib, so that the same picture comes out everywhere."""

UNTOUCHED = ("backend", "interactive", "toolbar", "webagg", "tk.", "macosx", "savefig.directory", "date.epoch")


@contextmanager
def look() -> Iterator[None]:
    """matplotlib's defaults plus this course's style for one drawing; the caller's settings return afterwards."""
    import matplotlib

    default = {
        name: value for name, value in matplotlib.rcParamsDefault.items() if not name.lower().startswith(UNTOUCHED)
    }
    style: dict[str, Any] = {
        "font.family": "sans-serif",
        "font.sans-serif": [FONT],
        "font.size": 11,
        "text.color": INK,
        "axes.edgecolor": FAINT,
        "axes.labelcolor": INK,
        "xtick.color": INK,
        "ytick.color": INK,
        "hatch.linewidth": 0.8,
        "svg.hashsalt": "transformer anatomy",
        "svg.fonttype": "path",
        "path.simplify": False,
    }
    with matplotlib.rc_context(rc={**default, **style}):  # type: ignore[arg-type]
        yield
