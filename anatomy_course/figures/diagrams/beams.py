"""Beam search as a tree: a column for each step, likeliest on top; what was dropped, what is complete, which won."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anatomy_course.figures import canvas
from anatomy_course.figures.drawing import Pen
from anatomy_course.figures.picture import Picture
from anatomy_course.figures.style import look

WIDE, HIGH, ACROSS, DOWN = 84, 36, 112, 44
LEFT, TOP = 14, 54
ROLES = {"alive": "query", "ended": "value", "dropped": "masked"}
SIGNS = {"alive": "", "ended": "■ ", "dropped": "× "}
CUT = "▸ "
"""In front of a text that is complete only because the search has no further step."""


@look()
def beam_tree(
    root: str, columns: Sequence[Sequence[Mapping[str, Any]]], winner: Sequence[int], *, title: str, alt: str
) -> Picture:
    """Boxes with a word and its text's log-probability, joined to the text they continue.

    Args:
        root: the last word of the prompt.
        columns: of each step the texts that it looked at: {parent, word, log_probability, fate, stops}; `parent` is a
            row of the column before, `stops` whether the word is an end token.
        winner: for each step the row on the way to the best text; it may be shorter than `columns`.
        title: above the drawing.
        alt: alt text.
    """
    width = LEFT + ACROSS * (len(columns) + 1)
    height = TOP + DOWN * max(map(len, columns)) + 8
    pen = Pen(max(width, 420), height, title, _legend(columns))
    pen.box(LEFT, TOP, WIDE, HIGH, canvas.printable(root, 10), size=10)
    for step, column in enumerate(columns):
        x = LEFT + ACROSS * (step + 1)
        for row, node in enumerate(column):
            won = step < len(winner) and winner[step] == row
            y, fate = TOP + DOWN * row, str(node["fate"])
            start = TOP + DOWN * max(int(node["parent"]), 0) + HIGH / 2
            pen.arrow((x - ACROSS + WIDE, start), (x, y + HIGH / 2), role=ROLES[fate], width=3 if won else 1, tip=False)
            cut = fate == "ended" and not node["stops"]
            label = (CUT if cut else SIGNS[fate]) + canvas.printable(node["word"], 10)
            note = canvas.number(node["log_probability"])
            pen.box(x, y, WIDE, HIGH, label, ROLES[fate], note=note, size=10, dashed=fate == "dropped", bold=won)
    return pen.picture(alt)


def _legend(columns: Sequence[Sequence[Mapping[str, Any]]]) -> str:
    """Only the signs that are in the drawing."""
    complete = [node["stops"] for column in columns for node in column if node["fate"] == "ended"]
    signs = ["■ its end token was chosen"] if any(complete) else []
    signs += ["▸ kept, but this was the last step"] if not all(complete) else []
    return "; ".join(["log-probability", *signs, "× dropped", "thick: the best text"])
