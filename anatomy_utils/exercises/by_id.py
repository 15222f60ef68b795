"""Texts of exercises by id: for those who write notebooks, test them, or load a learner's own functions later."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from anatomy_utils.exercises.progress.location import own_progress
from anatomy_utils.exercises.progress.record import Progress
from anatomy_utils.exercises.progress.source import load
from anatomy_utils.exercises.registry import find_exercise, ids
from anatomy_utils.exercises.stub import solution_text, stub_text, with_solution


def stub(id: str) -> str:
    """The text of an exercise's cell as a notebook holds it."""
    return stub_text(find_exercise(id))


def solution_source(id: str) -> str:
    """The text of the same cell with the solution in it."""
    return solution_text(find_exercise(id))


def inject_solutions(cell: str) -> str:
    """A cell's text with every stub in it solved; other cells come back as they are."""
    for id in ids():
        if re.search(rf"exercise\(\s*['\"]{re.escape(id)}['\"]", cell):
            cell = with_solution(cell, find_exercise(id))
    return cell


def your_function(id: str, *, record: Progress | None = None) -> Callable[..., Any] | None:
    """The learner's own function that passed last, from whichever notebook and day; None when none has passed.

    Raises:
        ValueError: its saved text does not run any more.
    """
    exercise = find_exercise(id)
    text = (record or own_progress()).source(id)
    return None if text is None else load(text, _defined_name(text, exercise.function_name))


def _defined_name(text: str, usual: str) -> str:
    """A learner may have renamed the function; it is the last one in the text."""
    names: list[str] = re.findall(r"^def (\w+)\(", text, re.MULTILINE)
    return usual if usual in names or not names else names[-1]
