"""Wrong answers that are in no catalogue, with the look that recognizes each and a piece of what it says.

They were thought up after the judge was written, to try it; the list grew with what it got wrong. One file a notebook,
and one each for crashes, modules and the search for a slip. Most are variants of a solution, as in `judge.form`:
`“likeness:sign | In your scores every sign is flipped”`.
"""

from __future__ import annotations

import math
import pickle
import re
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import nn
from torch.nn import functional as F

from anatomy_course.judge import find_exercise
from anatomy_course.judge.form import define, variants
from anatomy_course.judge.registry import earlier_pieces

ANSWERS: list[Answer] = []
IMPORTED = {"math": math, "pickle": pickle, "nn": nn, "F": F, "Path": Path}
"""What answers may use as if their notebook had imported it."""


@dataclass(frozen=True)
class Answer:
    name: str
    id: str
    function: Callable[..., Any]
    found_by: str
    says: str
    search: bool = False
    """Whether the judge looks for the slip in its lines as well."""


def answers(text: str, *, search: bool = False) -> None:
    """Notes answers: below each exercise's id variants of its solution, which see what the calling file has."""
    around = IMPORTED | sys._getframe(1).f_globals
    for block in re.split(r"^(?=\S)", text, flags=re.MULTILINE)[1:]:
        id, _, entries = block.partition("\n")
        exercise = find_exercise(id)
        word = "class" if exercise.kind == "class" else "def"
        solution = f"{word} {exercise.signature}:\n{textwrap.indent(exercise.solution, '    ')}"
        names = earlier_pieces(exercise) | around
        for each in variants(entries, solution, {}):
            found_by, _, says = each.sentence.partition(" | ")
            function = define(each.source, f"{id}: {each.name}", exercise.function_name, names)
            ANSWERS.append(Answer(each.name, id, function, found_by, says, search))


def answer(id: str, found_by: str, says: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Notes one that is no variant of the solution, such as a class."""

    def note(function: Callable[..., Any]) -> Callable[..., Any]:
        ANSWERS.append(Answer(function.__name__, id, function, found_by, says))
        return function

    return note
