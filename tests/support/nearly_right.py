"""Answers that are nearly right: collected with what their card should say, and judged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unchecked import shapes_unchecked

from anatomy_course.judge import find_exercise
from anatomy_course.judge.judging.judge import judge

Answer = Callable[..., Any]
NearlyRight = tuple[str, Answer, str, str]
"""An exercise's id, an answer, what should find it, and a part of the sentence."""


def collector(notebook: str) -> tuple[list[NearlyRight], Callable[[str, str, str], Callable[[Answer], Answer]]]:
    """A list, and a decorator that puts an answer into it.

    Args:
        notebook: the prefix of its exercises. The decorator takes the rest of an id, the name of a mistake or whatever
            else should find the answer, and a part of the sentence.
    """
    found: list[NearlyRight] = []

    def wrong(name: str, found_by: str, says: str) -> Callable[[Answer], Answer]:
        whole = found_by if ":" in found_by or found_by == "crash" else f"mistake:{found_by}"

        def add(function: Answer) -> Answer:
            found.append((f"{notebook}.{name}", function, whole, says))
            return function

        return add

    return found, wrong


def check(id: str, function: Answer, found_by: str, says: str) -> None:
    """Judges an answer, and looks at the verdict."""
    with shapes_unchecked():
        verdict = judge(find_exercise(id), function)
    assert not verdict.passed and verdict.found_by == found_by and says in verdict.sentence, verdict
