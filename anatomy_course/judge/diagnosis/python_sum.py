"""Diagnosis of Python's own `sum` on a tensor of several axes: it adds along the first one, whatever was meant."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

from torch import Tensor

from anatomy_course.judge.attempt.run import try_once
from anatomy_course.judge.attempt.tensors import close, parts, plain
from anatomy_course.judge.diagnosis.wrong_answer import SECONDS, Diagnosis, WrongOutput

MEANT: tuple[tuple[str, Callable[[Tensor], Tensor]], ...] = (
    ("over the last axis", lambda t: t.sum(-1)),
    ("over the last axis, which stays with length 1,", lambda t: t.sum(-1, keepdim=True)),
    ("of all numbers", lambda t: t.sum()),
)


def python_sum(wrong: WrongOutput) -> tuple[str, str] | None:
    """With another sum in its place all would be right, or an axis was handed to it as the number to start from."""
    function = wrong.trial.again
    if not isinstance(function, FunctionType) or "sum" not in function.__code__.co_names:
        return None
    if "sum" in function.__globals__:
        return None
    seen: list[tuple[int, bool]] = []
    for words, meant in MEANT:
        if _right(wrong, _with_sum(function, _spy(meant, seen))):
            return "python_sum", (
                f"Python's `sum` in line {seen[0][0]} adds along the first axis. With the sum {words} in its place "
                "your function would be right."
            )
    if lines := [line for line, start in seen if start]:
        return "python_sum", (
            f"Python's `sum` in line {lines[0]} adds along the first axis, and its second argument is not an axis but "
            "the number that it starts from."
        )
    return None


def _spy(meant: Callable[[Tensor], Tensor], seen: list[tuple[int, bool]]) -> Callable[..., Any]:
    def spy(values: Any, *start: Any, **named: Any) -> Any:
        if isinstance(values, Tensor) and values.dim() > 1:
            seen.append((sys._getframe(1).f_lineno, bool(start)))
            return meant(values)
        return builtins.sum(values, *start, **named)

    return spy


def _with_sum(function: FunctionType, spy: Callable[..., Any]) -> FunctionType:
    names = {**function.__globals__, "sum": spy}
    return FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)


def _right(wrong: WrongOutput, function: FunctionType) -> bool:
    trial = wrong.trial
    for case, target in zip(trial.cases, trial.answer_key.targets, strict=True):
        result, wanted = try_once(function, dict(case.arguments), SECONDS), parts(target) or ()
        if result is None or len(result) != len(wanted) or not all(map(close, result, map(plain, wanted))):
            return False
    return True


ALL: tuple[Diagnosis, ...] = (python_sum,)
