"""Follow a function line by line: which line gave which variable a tensor."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any

from torch import Tensor

from anatomy_course.judge.attempt.run import code_looked_at, try_once
from anatomy_course.judge.attempt.tensors import plain
from anatomy_course.judge.definition import Case

MOST = 300
"""Entries kept; of a long loop the first turns are enough."""


@dataclass(frozen=True)
class Given:
    """A variable's new tensor.

    Args:
        line: the line that gave it, as counted in its cell or file.
        name: the variable.
        tensor: what it held from then on, plain.
    """

    line: int
    name: str
    tensor: Tensor


def history(function: Callable[..., Any], case: Case, seconds: float, *, of: Any = None) -> list[Given]:
    """Every tensor that the function's own variables were given, in order, up to its end or its crash; of whose code,
    as in `variables`."""
    code = code_looked_at(function, of)
    found: list[Given] = []
    held: dict[str, tuple[int, int]] = {}
    kept: list[Tensor] = []  # so that no other tensor can get an old one's id
    line = 0

    def look(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal line
        for name, value in frame.f_locals.items():
            if isinstance(value, Tensor) and held.get(name) != (state := _state(value)):
                held[name] = state
                kept.append(value)
                if len(found) < MOST:
                    found.append(Given(line, name, plain(value).clone()))
        line = frame.f_lineno
        return look if len(found) < MOST else None

    def enter(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal line
        if frame.f_code is not code or (of and line):
            return None
        held.update({name: _state(value) for name, value in frame.f_locals.items() if isinstance(value, Tensor)})
        line = frame.f_lineno
        return look

    def watched(*arguments: Any) -> Any:
        before = sys.gettrace()
        sys.settrace(enter)
        try:
            return function(*arguments)
        finally:
            sys.settrace(before)

    try_once(watched, dict(case.arguments), seconds)
    return found


def _state(tensor: Tensor) -> tuple[int, int]:
    """Changes when the name is given another tensor, or the tensor is written into."""
    return id(tensor), 0 if tensor.is_inference() else tensor._version
