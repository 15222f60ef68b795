"""Find an exercise or a question by its id. An exercise's is also the path of its file: `content/attention/scores.py`.

A notebook's folder names its exercises in order; each of them is loaded when it is first asked for. Its questions are
on one page, `content/attention/questions.md`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any

from anatomy_course.judge.definition import Exercise
from anatomy_course.judge.questions import Question, read_questions
from anatomy_course.page.notebooks import NOTEBOOKS


@cache
def exercises_of(prefix: str) -> dict[str, Exercise]:
    """The exercises of one notebook by id, in the notebook's order."""
    return {id: _catalogue(id).EXERCISE for id in _ids_of(prefix)}


@cache
def questions_of(prefix: str) -> dict[str, Question]:
    """The questions and predictions of one notebook by id, in the notebook's order."""
    page = files(f"anatomy_course.content.{prefix}").joinpath("questions.md").read_text("utf-8")
    return {question.id: question for question in read_questions(page, prefix)}


def ids() -> list[str]:
    return [id for notebook in NOTEBOOKS for id in _ids_of(notebook.prefix)]


def question_ids() -> list[str]:
    return [id for notebook in NOTEBOOKS for id in questions_of(notebook.prefix)]


def find_exercise(id: str) -> Exercise:
    """The exercise of that id.

    Raises:
        ValueError: there is none; the message names the nearest ids.
    """
    if id in (known := ids()):
        exercise: Exercise = _catalogue(id).EXERCISE
        return exercise
    raise ValueError(_unknown("exercise", id, known))


def earlier_exercises(exercise: Exercise) -> list[Exercise]:
    """Those whose pieces an answer to this exercise may call, and those that these may call, each once."""
    direct = [find_exercise(id) for id in exercise.uses]
    found = {piece.id: piece for each in direct for piece in (*earlier_exercises(each), each)}
    return list(found.values())


def earlier_pieces(exercise: Exercise) -> dict[str, Callable[..., Any]]:
    """The course's own version of what an answer to this exercise may call, by name."""
    return {piece.function_name: piece.resolve() for piece in earlier_exercises(exercise)}


def find_question(id: str) -> Question:
    """The question or prediction of that id.

    Raises:
        ValueError: there is none; the message names the nearest ids.
    """
    if id in (known := question_ids()):
        return questions_of(id.partition(".")[0])[id]
    raise ValueError(_unknown("question", id, known))


def _ids_of(prefix: str) -> list[str]:
    return [f"{prefix}.{name}" for name in _catalogue(prefix).EXERCISES]


def _catalogue(path: str):  # type: ignore[no-untyped-def]
    return importlib.import_module(f"anatomy_course.content.{path}")


def _unknown(what: str, id: object, known: list[str]) -> str:
    same_end = [name for name in known if name.rpartition(".")[2] == str(id)]
    close = same_end or get_close_matches(str(id), known, n=3)
    ending = f"did you mean {' or '.join(map(repr, close))}?" if close else f"the first one is {known[0]!r}."
    return f"There is no {what} with the id {id!r}; {ending}"
