"""The course's own version of each piece of the program, under the learner's name for it.

The given files import the pieces from here. In the exported program that line is left out: the pieces are above.
"""

from __future__ import annotations

from typing import Any

from anatomy_course.judge.definition import Exercise
from anatomy_course.judge.registry import exercises_of

WORKSHOP = "workshop"
NO_PIECES = ("workshop.adamw_step", "workshop.advantages", "workshop.judged_loss", "workshop.repair")
"""The program takes torch's own AdamW and has no judge to learn from; the case is about a program, but none of it."""


def pieces() -> dict[str, Exercise]:
    """Name → exercise, in the notebook's order."""
    return {each.function_name: each for id, each in exercises_of(WORKSHOP).items() if id not in NO_PIECES}


def __getattr__(name: str) -> Any:
    if name.startswith("_") or name not in (known := pieces()):
        raise AttributeError(f"The program has no piece {name!r}.")
    return known[name].resolve()
