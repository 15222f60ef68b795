"""What every figure stands on: a page of one style, colors for numbers, words that fit, arrays from anywhere.

Sizes are CSS pixels throughout: a figure made by `page(700, 300)` is 700 pixels wide in a notebook, and text of
size 11 is 11 pixels high. Nothing here touches matplotlib's global state for longer than one drawing, and pyplot is
never imported.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from anatomy_course.figures import palette
from anatomy_course.figures.picture import Picture, picture
from anatomy_course.figures.style import FONT, INK, PAGE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

Kind = Literal["weights", "signed"]
PALE = 0.3
"""Luminance from which black ink can still be read at 4.5 to 1 when a dark page turns it and the color below it."""
Number = float | int
"""What a place or size may be: run-time checks tell 13 from 13.0."""


def page(width: Number, height: Number) -> Figure:
    """An empty figure of so many CSS pixels on the page's color."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width / 72, height / 72), dpi=72, facecolor=PAGE)
    FigureCanvasAgg(figure)
    return figure


def panel(figure: Figure, x: Number, y: Number, width: Number, height: Number) -> Axes:
    """Axes at a place given in pixels from the page's top left corner."""
    across, down = figure.get_figwidth() * 72, figure.get_figheight() * 72
    return figure.add_axes((x / across, 1 - (y + height) / down, width / across, height / down))


def sheet(figure: Figure) -> Axes:
    """Invisible axes over the whole page whose coordinates are pixels from the top left corner."""
    across, down = figure.get_figwidth() * 72, figure.get_figheight() * 72
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, across), ylim=(down, 0))
    axes.set_axis_off()
    axes.set_autoscale_on(False)
    return axes


def write(figure: Figure, x: Number, y: Number, words: str, size: Number = 11, **style: Any) -> None:
    """Text at a place given in pixels from the top left; dollar signs stay dollar signs."""
    across, down = figure.get_figwidth() * 72, figure.get_figheight() * 72
    chosen: dict[str, Any] = {"va": "baseline", "color": INK, "parse_math": False, **style}
    figure.text(x / across, 1 - y / down, words, fontsize=size, **chosen)


def stroke(figure: Figure, points: Sequence[tuple[Number, Number]], color: str, width: Number = 0.8) -> None:
    """A line through places given in pixels from the top left."""
    from matplotlib.lines import Line2D

    across, down = figure.get_figwidth() * 72, figure.get_figheight() * 72
    xs, ys = zip(*((x / across, 1 - y / down) for x, y in points), strict=True)
    figure.add_artist(Line2D(xs, ys, color=color, linewidth=width, transform=figure.transFigure))


def rectangle(axes: Axes, x: Number, y: Number, width: Number, height: Number, **style: Any) -> None:
    """A rectangle in the coordinates of these axes."""
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((x, y), width, height, **style))


def finish(figure: Figure, alt: str) -> Picture:
    """The figure as a picture, drawn inside `look()` by whoever calls this."""
    if not alt.strip():
        raise ValueError("A picture was given no alt text; say in one sentence what it shows.")
    return picture(figure, alt)


# Numbers to colors ---------------------------------------------------------------------------------------------


@functools.cache
def colors(kind: Kind) -> Colormap:
    """The one color map for weights (0 to 1) or for signed values (centered at zero)."""
    from matplotlib.colors import LinearSegmentedColormap

    stops = {"weights": palette.SEQUENTIAL, "signed": palette.DIVERGING}
    if kind not in stops:
        raise ValueError(f"kind was {kind!r}; choose 'weights' for values from 0 to 1 or 'signed' for the others.")
    return LinearSegmentedColormap.from_list(kind, list(stops[kind]["light"]), N=256)


def luminance(color: str | Sequence[Number]) -> Number:
    """Relative luminance of an sRGB color, 0 for black to 1 for white (WCAG 2.1)."""
    from matplotlib.colors import to_rgb

    channels = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]  # type: ignore[arg-type]
    return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]


def contrast(one: str | Sequence[Number], other: str | Sequence[Number]) -> Number:
    """Contrast of two colors, 1 (none) to 21 (black on white)."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def ink_on(color: str | Sequence[Number]) -> dict[str, Any]:
    """Black or white, whichever is easier to read on this color, as a text's style.

    A dark page turns the middle tones under black ink too pale for the white that this becomes, so there the letters
    have a rim.
    """
    from matplotlib.patheffects import withStroke

    if contrast("black", color) < contrast(PAGE, color):
        return {"color": PAGE}
    rim = [withStroke(linewidth=2.5, foreground=PAGE, alpha=0.4)] if luminance(color) < PALE else []
    return {"color": "black", "path_effects": rim}


def tint(color: str, strength: Number = 0.12) -> str:
    """A color thinned with the page's: the inside of a box whose border has the full color."""
    from matplotlib.colors import to_hex, to_rgb

    return to_hex([strength * c + (1 - strength) * p for c, p in zip(to_rgb(color), to_rgb(PAGE), strict=True)])


def role(name: str) -> str:
    """The light-page color of a role; a wrong name says which there are."""
    known = palette.ROLES | {"ink": palette.INK, "pass": palette.PASS, "fail": palette.FAIL}
    if name not in known:
        raise ValueError(f"There is no role {name!r}; choose one of {', '.join(known)}.")
    return known[name].light


# Words ----------------------------------------------------------------------------------------------------------


@functools.cache
def _font(bold: bool) -> Any:
    from matplotlib import font_manager

    found = font_manager.FontProperties(family=[FONT], weight="bold" if bold else "normal")
    return font_manager.get_font(font_manager.findfont(found))


@functools.cache
def _glyphs() -> frozenset[int]:
    return frozenset(_font(False).get_charmap())


def printable(word: object, longest: int = 18) -> str:
    """A word as this font can draw it: unknown signs become □, control signs vanish, long words end in …"""
    known = _glyphs()
    kept = [c for c in str(word) if unicodedata.category(c) not in ("Cc", "Cf", "Mn", "Cs") or c == "\n"]
    drawn = "".join("⏎" if c == "\n" else c if ord(c) in known else "□" for c in kept)
    return drawn if len(drawn) <= longest else drawn[: longest - 1] + "…"


def width_of(words: str, size: Number = 11, bold: bool = False) -> Number:
    """Width of a line of text in pixels."""
    font = _font(bold)
    font.set_size(size, 72)
    font.set_text(words, 0.0)
    return float(font.get_width_height()[0]) / 64


COUNTED = tuple("block feature head key layer mask part position query row stage token word".split())


def shape_text(shape: Sequence[int], axes: Sequence[str] = ()) -> str:
    """A shape in words, or its numbers where the axes have no names.

    >>> shape_text((5, 7), ("query", "key")), shape_text((5, 64), ("position", "d_head")), shape_text((5, 7))
    ('(5 queries × 7 keys)', '(5 positions × d_head 64)', '(5, 7)')
    """
    if not axes:
        return f"({', '.join(str(size) for size in shape)})"
    return f"({' × '.join(_counted(size, axis) for axis, size in zip(axes, shape, strict=True))})"


def _counted(size: int, axis: str) -> str:
    """One axis: what can be counted is counted; a size that the code knows by a name keeps it."""
    if axis.rpartition(" ")[2] not in COUNTED:
        return f"{axis} {size}"
    plural = f"{axis[:-1]}ies" if axis.endswith("ry") else f"{axis}s"
    return f"{size} {axis if size == 1 else plural}"


def number(value: Number, digits: int = 2, form: Literal["f", "g"] = "f") -> str:
    """A number with a true minus sign: digits behind the point ("f") or all that count ("g")."""
    if np.isnan(value):
        return "NaN"
    if np.isinf(value):
        return "∞" if value > 0 else "−∞"
    rounded = f"{value:.{digits}{form}}"
    if float(rounded) == 0:
        rounded = rounded.lstrip("-")
    return rounded.replace("-", "−")


def three_digits(value: Number) -> str:
    """Three digits that count, as people write them.

    >>> three_digits(50.63), three_digits(1934.5), three_digits(7.284e8)
    ('50.6', '1,930', '7.28e8')
    """
    if value >= 1e6:
        return f"{value:.2e}".replace("e+0", "e").replace("e+", "e")
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if rounded >= 100 else f"{rounded:g}"
