"""Each pretraining objective on one sentence: what goes in, and below it what is asked. The explorer's still."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anatomy_course.figures import canvas
from anatomy_course.figures.canvas import Number, printable, width_of
from anatomy_course.figures.drawing import Pen
from anatomy_course.figures.picture import Picture
from anatomy_course.figures.style import INK, look

WIDTH, LEFT, TOP, ROW = 960.0, 200.0, 66.0, 50.0
SIZE = 9.5
GAP = 9.0


@dataclass(frozen=True)
class ObjectiveRow:
    """One objective.

    Attributes:
        name: of the objective.
        inputs: what goes in.
        altered: which of these are not what the text says.
        asked: what is asked at each position ("" for nothing); of an encoder–decoder, what is written.
        written: whether `asked` is a text by itself, not one answer for each of `inputs`.
    """

    name: str
    inputs: Sequence[str]
    altered: Sequence[bool]
    asked: Sequence[str]
    written: bool


@look()
def objective_rows(rows: Sequence[ObjectiveRow], *, title: str, alt: str) -> Picture:
    """A row for each objective; words that were changed are bold, and what is asked is under its position.

    Args:
        rows: the objectives.
        title: the picture's title.
        alt: alt text.

    Raises:
        ValueError: there are no rows.
    """
    if not rows:
        raise ValueError("There are no objectives to draw; give at least one.")
    pen = Pen(WIDTH, TOP + ROW * len(rows), title, "bold: changed. Below it what is asked there, or written")
    for number, row in enumerate(rows):
        _draw(pen, row, TOP + ROW * number)
    return pen.picture(alt)


def _draw(pen: Pen, row: ObjectiveRow, y: Number) -> None:
    pen.text(12, y + 4, row.name, 11, ha="left", va="baseline", weight="bold")
    pen.note(LEFT - 8, y + 4, "in", SIZE, ha="right", va="baseline")
    pen.note(LEFT - 8, y + 23, "written" if row.written else "asked", SIZE, ha="right", va="baseline")
    words, asked = [printable(word) for word in row.inputs], [printable(word) for word in row.asked]
    below = [0.0] * len(words) if row.written else [width_of(word, SIZE) for word in asked]
    widths = [max(width_of(word, SIZE, True), other) for word, other in zip(words, below, strict=True)]
    places = _line(pen, words, widths, y, [("key" if one else "", one) for one in row.altered])
    if row.written:
        _line(pen, asked, [width_of(word, SIZE) for word in asked], y + 19, [("value", False)] * len(asked))
    else:
        for place, word in zip(places, asked, strict=False):
            pen.word(place, y + 19, word, SIZE, color=canvas.role("value"), ha="left")


def _line(
    pen: Pen, words: Sequence[str], widths: Sequence[Number], y: Number, styles: Sequence[tuple[str, bool]]
) -> list[Number]:
    """Words side by side until the page ends; where each begins."""
    places: list[Number] = []
    x = LEFT
    for word, width, (role, bold) in zip(words, widths, styles, strict=True):
        if x + width > WIDTH - 24:
            pen.word(x, y, "…", SIZE, ha="left")
            break
        color = canvas.role(role) if role else INK
        pen.word(x, y, word, SIZE, color=color, ha="left", weight="bold" if bold else "normal")
        places.append(x)
        x += width + GAP
    return places
