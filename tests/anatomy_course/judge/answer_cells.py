"""Cells of a notebook in tests: run as IPython does, and answers to exercises as a learner would have them."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from itertools import count
from typing import Any

import torch
from torch import Tensor

from anatomy_course.judge import find_exercise, solution_source
from anatomy_course.judge.attempt.answer_key import AnswerKey
from anatomy_course.judge.attempt.run import execute
from anatomy_course.judge.attempt.tried import Attempt

NUMBERS = count(1)


def run_cell(text: str, held: dict[str, Any] | None = None, **names: Any) -> dict[str, Any]:
    """What there is after a cell, in a notebook that holds this or is new: `inspect` can look up its text."""
    file = f"<ipython-input-{next(NUMBERS)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    if held is None:
        held = {"torch": torch, "Tensor": Tensor, "__name__": "__main__", "exercise": lambda id: lambda answer: answer}
    held |= names
    exec(compile(text, file, "exec"), held)
    return held


def solved(id: str, *edits: str, **names: Any) -> dict[str, Any]:
    """What there is after the solution's cell, with each odd edit replaced by the one after it."""
    text = solution_source(id)
    for old, new in zip(edits[::2], edits[1::2], strict=True):
        assert old in text, old
        text = text.replace(old, new)
    return run_cell(text, **names)


def attempt(id: str, answer: Callable[..., Any]) -> Attempt:
    """The answer, tried on the exercise's cases."""
    found = find_exercise(id)
    key = AnswerKey(found)
    return Attempt(found, key, answer, execute(found.as_function(answer), key.cases, seconds=5.0), 5.0)
