"""A finished picture with its alt text: what a figure function returns and what a widget shows without a kernel."""

from __future__ import annotations

import base64
import html
import io
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from anatomy_course.figures.palette import DARK_HOSTS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BEHIND_IN_VS_CODE = ".vscode-dark :has(> .anatomy-picture) { background: var(--vscode-editor-background) }"
"""VS Code draws outputs in a transparent frame, where white would become black."""
ON_DARK_PAGES = f"""<style>{", ".join(f"{host} .anatomy-picture" for host in DARK_HOSTS)} {{
filter: invert(1) hue-rotate(180deg); mix-blend-mode: lighten }} {BEHIND_IN_VS_CODE}</style>"""
"""White becomes the dark page and ink light, while every color keeps its hue; a page that drops styles shows the PNG
as it is. A second PNG for dark pages would double what a notebook stores."""


WIDEST, NEARLY = 960, 24
"""The width of a live view on the page, and how much lower than one a picture may be that takes its place."""


@dataclass(frozen=True)
class Picture:
    """A PNG and the sentence that stands for it where it cannot be seen.

    Notebook hosts drop the alt text of a plain PNG output, so the picture offers itself three ways: as an HTML image
    with alt text that turns dark with the page, as PNG, and as the text alone.
    """

    png: bytes
    alt: str
    width: int
    """Width on the page in CSS pixels; the PNG itself may be finer."""
    figure: Figure | None = field(default=None, repr=False, compare=False)
    """The drawing itself, for `svg`."""

    def filling(self, height: int) -> Picture:
        """The picture enlarged to about this height in CSS pixels; the same where it would be too wide for that."""
        wide, high = (int.from_bytes(self.png[start : start + 4], "big") for start in (16, 20))
        width = min(WIDEST, round(height * wide / high))
        fills = width > self.width and height - width * high / wide < NEARLY
        return replace(self, width=width) if fills else self

    def svg(self) -> str:
        """The same picture as SVG text with title and description, equal bytes on every run.

        Raises:
            ValueError: the picture was made from bytes alone and has no drawing to repeat.
        """
        if self.figure is None:
            raise ValueError(
                "This picture was made from PNG bytes alone; make it with picture(figure, alt) to get SVG."
            )
        from anatomy_course.figures.style import look

        raw = io.StringIO()
        with look():
            self.figure.savefig(raw, format="svg", metadata={"Date": None, "Creator": None})
        described = f"<title>{html.escape(self.alt)}</title>\n"
        drawing = raw.getvalue()
        start = drawing.index("<svg")
        end = drawing.index(">", start) + 1
        lines = (
            drawing[start:end].replace("<svg", '<svg role="img"', 1) + "\n" + described + drawing[end:]
        ).splitlines()
        return "\n".join(line.rstrip() for line in lines) + "\n"

    def save(self, path: str | Path) -> None:
        """Write the picture to a file whose name ends in .svg, .pdf or .png.

        Raises:
            ValueError: the name ends otherwise, or the picture has no drawing to repeat.
        """
        file = Path(path)
        if file.suffix == ".svg":
            file.write_text(self.svg(), "utf-8")
        elif file.suffix == ".pdf" and self.figure is not None:
            self.figure.savefig(file, metadata={"CreationDate": None})
        elif file.suffix == ".png":
            file.write_bytes(self.png)
        else:
            raise ValueError(f"A picture cannot be saved as {file.name!r}; end the name with .svg, .pdf or .png.")

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, object]:
        encoded = base64.b64encode(self.png).decode("ascii")
        image = (
            f'{ON_DARK_PAGES}<img class="anatomy-picture" src="data:image/png;base64,{encoded}" '
            f'alt="{html.escape(self.alt)}" width="{self.width}" style="max-width:100%;height:auto">'
        )
        return {"text/html": image, "image/png": encoded, "text/plain": self.alt}


def picture(figure: Figure, alt: str, *, dots: int = 2) -> Picture:
    """Render a matplotlib figure to a small PNG (at most 256 colors) and close over its alt text.

    Args:
        figure: any matplotlib figure; its size in inches times 72 is its width on the page.
        alt: one or two sentences that say what the picture shows.
        dots: PNG pixels per CSS pixel, so that the picture stays sharp on fine screens.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    coarse = figure.dpi
    figure.dpi = 72 * dots
    try:
        drawn, size = FigureCanvasAgg(figure).print_to_buffer()
    finally:
        figure.dpi = coarse
    small = io.BytesIO()
    Image.frombuffer("RGBA", size, drawn, "raw", "RGBA", 0, 1).convert("RGB").quantize(
        256, dither=Image.Dither.NONE
    ).save(small, format="png", optimize=True)
    return Picture(small.getvalue(), alt, round(figure.get_figwidth() * 72), figure)
