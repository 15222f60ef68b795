"""Record the calls that an answer makes to the functions it is given: which, in what order, and with what."""

from __future__ import annotations

import copy
import inspect
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from types import FrameType
from typing import Any

from torch import Tensor

from anatomy_course.judge.attempt.run import try_once
from anatomy_course.judge.attempt.tensors import close, fresh_arguments, plain
from anatomy_course.judge.definition import Case


@dataclass(eq=False)
class Call:
    name: str  # of the argument that was called: `"norm"`, `"layers[1]"`
    given: tuple[Any, ...]  # what it received, copied
    returned: Any = None  # what it gave back, copied; None when it raised an error


class _Recorder:
    """A function that writes down how it is called, and is in all else the function itself."""

    def __init__(self, name: str, function: Callable[..., Any], calls: list[Call]) -> None:
        self._name, self._function, self._calls = name, function, calls

    def __call__(self, *given: Any, **named: Any) -> Any:
        call = Call(self._name, copied((*given, *named.values())))
        self._calls.append(call)
        returned = self._function(*given, **named)
        call.returned = copied(returned)
        return returned

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)

    def __repr__(self) -> str:
        return repr(self._function)


def takes_functions(arguments: Mapping[str, Any]) -> bool:
    values = arguments.values()
    return any(
        _is_function(part) for value in values for part in (value if isinstance(value, list | tuple) else [value])
    )


def under_own_names(function: Callable[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments under the names that the function's own first line gives them."""
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        names = []
    values = arguments.values()
    return dict(zip(names, values, strict=True)) if len(names) == len(values) else dict(arguments)


def recorded(function: Callable[..., Any], arguments: Mapping[str, Any], seconds: float) -> list[Call]:
    """The calls of one run, in their order; those before the crash when it crashes."""
    calls: list[Call] = []
    watched: dict[str, Any] = {}
    for name, value in fresh_arguments(arguments).items():
        if isinstance(value, list | tuple):
            watched[name] = [_Recorder(f"{name}[{i}]", v, calls) if _is_function(v) else v for i, v in enumerate(value)]
        else:
            watched[name] = _Recorder(name, value, calls) if _is_function(value) else value

    def run(*_: Any) -> Any:
        return function(*watched.values())

    try_once(run, {}, seconds)
    return calls


def _is_function(value: Any) -> bool:
    """What is `probed` is no such one: how to call it is the learner's choice, and no call is like another."""
    return callable(value) and not isinstance(value, Tensor | type) and not getattr(value, "probed", False)


def copied(value: Any) -> Any:
    """A copy of what was passed on; tensors become plain ones."""
    if isinstance(value, Tensor):
        return plain(value).clone()
    if isinstance(value, tuple) and type(value) is tuple:
        return tuple(copied(part) for part in value)
    with suppress(Exception):
        return copy.deepcopy(value)
    return value


def alike(one: Any, other: Any) -> bool:
    """Whether two things that were passed on hold the same."""
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        return close(one, other)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(alike(a, b) for a, b in zip(one, other, strict=True))
    if is_dataclass(one) and type(one) is type(other):
        return all(alike(getattr(one, field.name), getattr(other, field.name)) for field in fields(one))
    if isinstance(one, Tensor) or isinstance(other, Tensor):
        return False
    try:
        return bool(one == other)
    except Exception:
        return False


MOST = 300  # entries kept; of a long loop the first turns are enough


@dataclass(frozen=True)
class Given:
    line: int  # the line that gave it, as counted in its cell or file
    name: str  # the variable
    tensor: Tensor  # what it held from then on, plain


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
    """The tensors that the function's own variables held when it returned, arguments left out. Where `function` drives
    an answer (`of`), the first call of that one counts, of a class that of its `forward`."""
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
