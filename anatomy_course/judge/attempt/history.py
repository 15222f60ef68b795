"""Follow a function: which line gave which variable a tensor, and what its variables hold in the end."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any

from torch import Tensor

from anatomy_course.judge.attempt.run import try_once
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
    code = _code_looked_at(function, of)
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

    _follow(enter, function, case, seconds)
    return found


def variables(function: Callable[..., Any], case: Case, seconds: float, *, of: Any = None) -> dict[str, Tensor]:
    """The tensors that the function's own variables held when it returned, arguments left out.

    Args:
        function: is called with the case's arguments.
        case: these.
        seconds: how long it may take.
        of: the answer, where `function` drives it; then the first call counts, of a class that of its `forward`.
    """
    code = _code_looked_at(function, of)
    held: dict[str, Tensor] = {}

    def enter(frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code is not code:
            return None
        frame.f_trace_lines = False
        return leave

    def leave(frame: FrameType, event: str, argument: Any) -> Any:
        if event == "return" and not (held and of):
            held.update({n: plain(v) for n, v in frame.f_locals.items() if isinstance(v, Tensor)})
        return leave

    _follow(enter, function, case, seconds)
    return {name: tensor for name, tensor in held.items() if name not in case.arguments}


def _code_looked_at(function: Callable[..., Any], of: Any) -> Any:
    """The code of a function or, where it drives an answer, of that answer; of a class that of its `forward`."""
    return getattr(getattr(of, "forward", of) or function, "__code__", None)


def _follow(enter: Callable[..., Any], function: Callable[..., Any], case: Case, seconds: float) -> None:
    """Run a function on a case, with `enter` told of every function that is entered meanwhile."""

    def followed(*arguments: Any) -> Any:
        before = sys.gettrace()
        sys.settrace(enter)
        try:
            return function(*arguments)
        finally:
            sys.settrace(before)

    try_once(followed, dict(case.arguments), seconds)


def _state(tensor: Tensor) -> tuple[int, int]:
    """Changes when the name is given another tensor, or the tensor is written into."""
    return id(tensor), 0 if tensor.is_inference() else tensor._version
