"""Record the calls that an answer makes to the functions it is given: which, in what order, and with what."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from torch import Tensor

from anatomy_course.judge.attempt.run import try_once
from anatomy_course.judge.attempt.tensors import close, fresh_arguments, plain


@dataclass(eq=False)
class Call:
    """One call.

    Args:
        name: of the argument that was called: `"norm"`, `"layers[1]"`.
        given: what it received, copied.
        returned: what it gave back, copied; None when it raised an error.
    """

    name: str
    given: tuple[Any, ...]
    returned: Any = None


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
    """Whether any of the arguments can be called, or is a list of what can."""
    return any(_is_function(part) for value in arguments.values() for part in _items(value))


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
    return callable(value) and not isinstance(value, Tensor | type)


def _items(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


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
