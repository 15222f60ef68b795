"""The pen of the diagrams: boxes, arrows, sums, frames and tensors in one style on a page of pixels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from anatomy_course.figures import canvas, cells
from anatomy_course.figures.canvas import Kind, Number
from anatomy_course.figures.picture import Picture
from anatomy_course.figures.style import INK, PAGE, QUIET

if TYPE_CHECKING:
    from matplotlib.path import Path

Point = tuple[Number, Number]
ROUND = 8


class Pen:
    """Draws on one page; made inside `canvas.look()`, ended with `picture(alt)`. Coordinates grow right and down."""

    def __init__(self, width: Number, height: Number, title: str = "", note: str = "") -> None:
        self.width, self.height = width, height
        self.figure = canvas.page(width, height)
        self.sheet = canvas.sheet(self.figure)
        if title:
            cells.head(self.sheet, title, note)

    def picture(self, alt: str) -> Picture:
        return canvas.finish(self.figure, alt)

    def text(self, x: Number, y: Number, words: str, size: Number = 11, color: str = INK, **style: Any) -> None:
        """Words centered at a place unless `ha` and `va` say otherwise."""
        chosen: dict[str, Any] = {"ha": "center", "va": "center", "parse_math": False, "linespacing": 1.3, "zorder": 6}
        self.sheet.text(x, y, words, fontsize=size, color=color, **chosen | style)

    def word(self, x: Number, y: Number, word: str, size: Number = 11, **style: Any) -> None:
        """A word of a sentence, on the line its neighbors stand on."""
        self.text(x, y + 4, canvas.printable(word), size, va="baseline", **style)

    def note(self, x: Number, y: Number, words: str, size: Number = 10, **style: Any) -> None:
        """A quiet remark: a shape, an axis, a caption."""
        self.text(x, y, words, size, QUIET, **style)

    def rectangle(self, x: Number, y: Number, width: Number, height: Number, **style: Any) -> None:
        canvas.rectangle(self.sheet, x, y, width, height, **style)

    def box(
        self, x: Number, y: Number, width: Number, height: Number, label: str, role: str = "ink", *,
        note: str = "", size: Number = 12, dashed: bool = False, bold: bool = False, fill: Number = 0.13,
    ) -> None:  # fmt: skip
        """A rounded box in a role's color with its label, and a smaller note under the label."""
        from matplotlib.patches import FancyBboxPatch

        color = canvas.role(role)
        inside = "#f4f5f6" if role in ("ink", "residual") and fill else canvas.tint(color, fill)
        style = f"round,pad=0,rounding_size={min(7, height / 3)}"
        self.sheet.add_patch(
            FancyBboxPatch((x, y), width, height, boxstyle=style, facecolor=inside, edgecolor=color,
                           linewidth=1.4, linestyle=(0, (4, 2.5)) if dashed else "-", zorder=4)
        )  # fmt: skip
        middle = x + width / 2
        lift = 8 if note else 0
        self.text(middle, y + height / 2 - lift, label, size, weight="bold" if bold else "normal")
        if note:
            self.note(middle, y + height / 2 + 9, note)

    def frame(self, x: Number, y: Number, width: Number, height: Number, label: str = "", under: str = "") -> None:
        """A pale frame around the parts of one block, with its name in a corner."""
        from matplotlib.patches import FancyBboxPatch

        self.sheet.add_patch(
            FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0,rounding_size=12", facecolor="#fbfbfc",
                           edgecolor="#aab1b8", linewidth=1.2, zorder=1)
        )  # fmt: skip
        if label:
            self.text(x + 12, y + 15, label, 10.5, QUIET, ha="left", weight="bold")
        if under:
            self.note(x + width - 12, y + 15, under, ha="right")

    def arrow(
        self, *points: Point, role: str = "ink", kind: Literal["flow", "residual", "memory"] = "flow",
        width: Number = 1.5, tip: bool = True,
    ) -> None:  # fmt: skip
        """An arrow along straight pieces with rounded corners; residual ways are dashed, memory is thick."""
        from matplotlib.patches import FancyArrowPatch

        role = {"residual": "residual", "memory": "memory"}.get(kind, role)
        self.sheet.add_patch(
            FancyArrowPatch(
                path=_rounded(points), arrowstyle="-|>,head_length=5,head_width=3" if tip else "-",
                mutation_scale=1.0, color=canvas.role(role), linewidth=2.4 if kind == "memory" else width,
                linestyle=(0, (4, 2.5)) if kind == "residual" else "-", zorder=3, capstyle="butt", joinstyle="round",
            )
        )  # fmt: skip

    def circle(self, x: Number, y: Number, radius: Number, **style: Any) -> None:
        from matplotlib.patches import Circle

        self.sheet.add_patch(Circle((x, y), radius, **style))

    def sum(self, x: Number, y: Number, sign: str = "+", radius: Number = 10) -> None:
        """A circle in which two streams meet: added by default."""
        self.circle(x, y, radius, facecolor=PAGE, edgecolor=canvas.role("residual"), linewidth=1.4, zorder=5)
        self.text(x, y + 0.5, sign, 13)

    def cells(
        self, x: Number, y: Number, matrix: Any, across: Number, down: Number, kind: Kind = "signed", *,
        limit: Number | None = None, seen: Any = None, digits: int | None = None, size: Number = 9,
        rows: Sequence[str] = (), columns: Sequence[str] = (), upright: bool = False,
    ) -> None:  # fmt: skip
        """A tensor as colored cells with its row and column labels."""
        numbers = np.atleast_2d(np.asarray(matrix, dtype=float))
        limits = cells.limit_of([numbers], kind, limit)
        open_cells = None if seen is None else np.asarray(seen, dtype=bool)
        cells.draw_cells(self.sheet, numbers, (x, y, across, down), limits, kind, open_cells, digits, size)
        cells.label_rows(self.sheet, rows, x, y, down) if rows else None
        cells.label_columns(self.sheet, columns, x, y, across, upright) if columns else None

    def vector(
        self, x: Number, y: Number, cells: int = 4, role: str = "ink", *, wide: Number = 12, high: Number = 14,
        standing: bool = False,
    ) -> None:  # fmt: skip
        """A vector as a little row (or column) of cells in a role's color: a likeness, no numbers."""
        color = canvas.role(role)
        for i in range(cells):
            place = (x, y + i * high) if standing else (x + i * wide, y)
            inside = canvas.tint(color, 0.2 + 0.15 * ((i * 7) % 4))
            self.rectangle(*place, wide, high, facecolor=inside, edgecolor=color, linewidth=1, zorder=4)


def _rounded(points: Sequence[Point]) -> Path:
    """The path through the points, its corners rounded with radius ROUND where there is room."""
    from matplotlib.path import Path

    places, codes = [points[0]], [Path.MOVETO]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        for other, code in ((before, Path.LINETO), (after, Path.CURVE3)):
            away = np.subtract(other, corner)
            length = float(np.hypot(*away)) or 1.0
            near = np.add(corner, away / length * min(ROUND, length / 2))
            if code == Path.CURVE3:
                places.append(corner)
                codes.append(code)
            places.append((float(near[0]), float(near[1])))
            codes.append(code)
    return Path([*places, points[-1]], [*codes, Path.LINETO])
