"""Some of torch's features load a large part of torch when they are first used: that is not the learner's time.

It must happen before the clock runs: a load that is broken off half-way cannot be made good.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from types import CodeType, FunctionType
from typing import Any

import torch

_warm: set[str] = set()


def _optimizer() -> None:
    optimizer = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.1)
    optimizer.zero_grad()
    optimizer.step()


SLOW_AT_FIRST: dict[str, tuple[frozenset[str], Callable[[], object]]] = {
    "meta": (
        frozenset({"meta"}),
        lambda: (torch.ones(2, 3, device="meta") @ torch.ones(3, 2, device="meta")).softmax(-1),
    ),
    "compile": (frozenset({"compile"}), lambda: torch.compile(lambda x: x + 1)(torch.ones(2))),
    "func": (
        frozenset({"func", "vmap", "jacrev", "jacfwd", "hessian"}),
        lambda: torch.func.grad(lambda x: x.square().sum())(torch.ones(2)),
    ),
    "optimizer": (frozenset({"optim", "zero_grad", "step"}), _optimizer),
}
"""Feature → the words in a function's code that speak of it, and a first use."""


def warm_up(function: Callable[..., Any]) -> None:
    """Use once, on next to nothing, every slow feature that the function or a helper of its speaks of."""
    words = set(_words(function, set()))
    words -= {"compile"} if "re" in words else set()  # a regular expression is compiled at once
    for name, (speaks, first_use) in SLOW_AT_FIRST.items():
        if name not in _warm and words & speaks:
            _warm.add(name)
            with suppress(Exception):  # where it does not work here at all, the learner's own use will tell
                first_use()


def _words(function: Any, seen: set[int]) -> Iterator[str]:
    """Every name and text in the function's code, and in that of the functions that it calls by a global name."""
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType) or id(code) in seen:
        return
    seen.add(id(code))
    names = list(_in_code(code))
    yield from names
    around = getattr(function, "__globals__", {})
    for name in names:
        if isinstance(helper := around.get(name), FunctionType) and not str(helper.__module__).startswith("torch"):
            yield from _words(helper, seen)


def _in_code(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _in_code(constant)
        elif isinstance(constant, str):
            yield constant
        elif isinstance(constant, tuple):
            yield from (part for part in constant if isinstance(part, str))
