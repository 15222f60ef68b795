"""Texts of exercises by id: for those who write notebooks, test them, or load a learner's own functions later."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable
from typing import Any

from anatomy_course.judge.attempt.answer_key import AnswerKey
from anatomy_course.judge.attempt.run import execute
from anatomy_course.judge.attempt.warm_up import warm_up
from anatomy_course.judge.definition import Exercise
from anatomy_course.judge.judging.error_messages import plain_words
from anatomy_course.judge.progress.answer_source import load
from anatomy_course.judge.progress.location import own_progress
from anatomy_course.judge.progress.record import Progress
from anatomy_course.judge.registry import find_exercise, ids
from anatomy_course.judge.stub import globals_of, solution_text, stub_text
from anatomy_course.lab.transplant.saved import SavedAnswer

DECORATOR = re.compile(r"(?:\w+\.)*exercise\(\s*['\"]([\w.]+)['\"]\s*\)")


def stub(id: str) -> str:
    """The text of an exercise's cell as a notebook holds it."""
    return stub_text(find_exercise(id))


def solution_source(id: str) -> str:
    """The text of the same cell with the solution in it."""
    return solution_text(find_exercise(id))


def inject_solutions(cell: str) -> str:
    """A cell's text with every stub in it solved and all else kept; other cells come back as they are."""
    if not DECORATOR.search(cell):
        return cell
    lines, known = cell.splitlines(), ids()
    for node in reversed(ast.parse(cell).body):
        for line in getattr(node, "decorator_list", ()):
            found = DECORATOR.fullmatch(ast.get_source_segment(cell, line) or "")
            if found and found[1] in known:
                lines[line.lineno - 1 : node.end_lineno] = solution_source(found[1]).splitlines()
    return "\n".join(lines)


def your_function(id: str, *, or_ours: bool = False, record: Progress | None = None) -> Callable[..., Any] | None:
    """The learner's own function that passed last, from whichever notebook and day.

    None, or with `or_ours` the course's own, when none has passed, and where its saved text no longer runs or stops on
    the exercise's cases; a warning then says why. Where it stops later, a warning says so, and the course's goes on.
    """
    exercise = find_exercise(id)
    ours = exercise.resolve() if or_ours else None
    try:
        return saved_function(exercise, record or own_progress()) or ours
    except ValueError as error:
        warnings.warn(str(error), stacklevel=2)
        return ours


def saved_function(exercise: Exercise, record: Progress) -> Callable[..., Any] | None:
    """The learner's function as the record holds it, with ours in reserve, or the class; None when none has passed.

    Raises:
        ValueError: its saved text is not the learner's own or no longer runs, or the function stops on one of the
            exercise's cases.
    """
    text = record.runnable(exercise.id)
    if text is None:
        return None
    references = {other.function_name: other.resolve for other in map(find_exercise, ids())}
    defined = re.findall(r"^(?:def|class) (\w+)", text, re.MULTILINE)
    usual = exercise.function_name
    name = usual if usual in defined or not defined else defined[-1]  # a learner may have renamed it
    function = load(text, name, references)
    warm_up(function)
    names = globals_of(function)
    if names.get(usual) is exercise.resolve():  # it was renamed, and calls itself by the usual name
        names[usual] = function
    run = execute(exercise.as_function(function), AnswerKey(exercise).cases, seconds=exercise.seconds)
    if run.error is not None:
        why = f"It had not ended after {exercise.seconds:g} seconds." if run.stopped else plain_words(run.error)
        raise ValueError(
            f"Your saved {name} does not run to the end, so the course's own is used until you pass the exercise once "
            f"more: {why}"
        )
    return function if isinstance(function, type) else SavedAnswer(function, exercise.resolve())
