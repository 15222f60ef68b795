"""Exercises: one cell, one decorator; running the cell is checking it.

from anatomy_course import exercise, hint, solution, progress, ask, predict, outcome

@exercise("attention.scores")
def attention_scores(query, key): ...

"""

from __future__ import annotations

from anatomy_course.judge.by_id import inject_solutions, solution_source, stub, your_function
from anatomy_course.judge.commands import ask, hint, outcome, predict, progress, solution
from anatomy_course.judge.decorator import Answer, exercise, watch_cells
from anatomy_course.judge.registry import find_exercise, ids, question_ids

__all__ = [
    "Answer",
    "ask",
    "exercise",
    "find_exercise",
    "hint",
    "ids",
    "inject_solutions",
    "outcome",
    "predict",
    "progress",
    "question_ids",
    "solution",
    "solution_source",
    "stub",
    "your_function",
]

watch_cells()
