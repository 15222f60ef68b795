"""The course's own version of each piece of the program, under the learner's name for it.

The given files import the pieces from here. In the exported program that line is left out: the pieces are above.
"""

from __future__ import annotations

from typing import Any

from anatomy_course.judge.definition import Exercise
from anatomy_course.judge.registry import exercises_of

WORKSHOP = "workshop"
CASE = "workshop.repair"  # the case is about a program, but no piece of it


def pieces() -> dict[str, Exercise]:
    """Name → exercise, in the notebook's order."""
    return {each.function_name: each for id, each in exercises_of(WORKSHOP).items() if id != CASE}


def __getattr__(name: str) -> Any:
    if name.startswith("_") or name not in (known := pieces()):
        raise AttributeError(f"The program has no piece {name!r}.")
    return known[name].resolve()
