"""A finished picture with its alt text: what a figure function returns and what a widget shows without a kernel."""

from __future__ import annotations

import base64
import html
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Picture:
    """A PNG and the sentence that stands for it where it cannot be seen.

    Notebook hosts drop the alt text of a plain PNG output, so the picture offers itself three ways: as an HTML image
    with alt text, as PNG, and as the text alone.
    """

    png: bytes
    alt: str
    width: int
    """Width on the page in CSS pixels; the PNG itself may be finer."""

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, object]:
        encoded = base64.b64encode(self.png).decode("ascii")
        image = (
            f'<img src="data:image/png;base64,{encoded}" alt="{html.escape(self.alt)}" '
            f'width="{self.width}" style="max-width:100%;height:auto">'
        )
        return {"text/html": image, "image/png": encoded, "text/plain": self.alt}


def picture(figure: Figure, alt: str, *, dots: int = 2) -> Picture:
    """Render a matplotlib figure to a small PNG (at most 256 colours) and close over its alt text.

    Args:
        figure: any matplotlib figure; its size in inches times 72 is its width on the page.
        alt: one or two sentences that say what the picture shows.
        dots: PNG pixels per CSS pixel, so that the picture stays sharp on fine screens.
    """
    from PIL import Image

    raw = io.BytesIO()
    figure.savefig(raw, format="png", dpi=72 * dots, facecolor=figure.get_facecolor())
    raw.seek(0)
    small = io.BytesIO()
    Image.open(raw).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
    return Picture(small.getvalue(), alt, round(figure.get_figwidth() * 72))
