"""Wrong answers that are in no catalogue, with the look that recognizes each and a piece of what it says.

They were thought up after the judge was written, to try it; the list grew with what it got wrong. One file a notebook,
most of them in the form of `judge.form`: `“likeness:sign | In your scores every sign is flipped”`.
"""

from __future__ import annotations

import math
import pickle
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


def answers(id: str, text: str) -> None:
    """Notes answers to one exercise, written as variants of its solution; they see what the calling file has."""
    exercise = find_exercise(id)
    solution = f"def {exercise.signature}:\n{textwrap.indent(exercise.solution, '    ')}"
    names = IMPORTED | sys._getframe(1).f_globals
    for each in variants(text, solution, {}):
        found_by, _, says = each.sentence.partition(" | ")
        function = define(each.source, f"{id}: {each.name}", exercise.function_name, names)
        ANSWERS.append(Answer(each.name, id, function, found_by, says))


def answer(id: str, found_by: str, says: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Notes one that is no variant of the solution, such as a class."""

    def note(function: Callable[..., Any]) -> Callable[..., Any]:
        ANSWERS.append(Answer(function.__name__, id, function, found_by, says))
        return function

    return note
