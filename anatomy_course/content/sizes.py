"""Sizes and numbers for cases: distinct primes, so that no axis passes for another and no product for a sum."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch

from anatomy_course.judge.definition import Case

Cases = Callable[[torch.Generator], Iterable[Case]]


def primes(generator: torch.Generator, count: int, among: tuple[int, ...] = (2, 3, 5, 7, 11)) -> list[int]:
    """`count` different numbers out of `among`, in random order."""
    return [among[i] for i in torch.randperm(len(among), generator=generator)[:count].tolist()]


def real_words(
    generator: torch.Generator, kind: str, batch: int, position: int, lengths: range, first: int
) -> torch.Tensor:
    """(batch, position), True for words and False for padding behind them; one text alone has no padding.

    Args:
        kind: of the case.
        lengths: among which the texts' lengths are drawn.
        first: length of the first text, in place of the drawn one.
    """
    drawn = torch.randint(lengths.start, lengths.stop, (batch, 1), generator=generator)
    drawn[0] = position if kind == "one text" else first
    return torch.arange(position) < drawn


def normal(generator: torch.Generator, *shape: int) -> torch.Tensor:
    """Standard normal numbers."""
    return torch.randn(shape, generator=generator)


def and_short(cases: Cases, axis: str, kind: str, *, length: int = 1) -> Cases:
    """The same cases and, cut from the last of them, one in which an axis is short; a squeeze would lose one of 1.

    Args:
        axis: a name in the case's sizes; lengths being distinct, it is found in every argument by its length.
        kind: of the new case.
        length: of the axis.
    """

    def drawn(generator: torch.Generator) -> Iterator[Case]:
        case = None
        for case in cases(generator):
            yield case
        if case is not None:
            arguments = {name: _cut(value, case.sizes[axis], length) for name, value in case.arguments.items()}
            yield Case(arguments, kind, {**case.sizes, axis: length})

    return drawn


def and_large(cases: Cases, *names: str) -> Cases:
    """The same cases and, made of the last of them, one with large logits: e to their power is beyond float32.

    Args:
        names: arguments to all of whose numbers 200 is added; softmax of them stays what it is.
    """

    def drawn(generator: torch.Generator) -> Iterator[Case]:
        case = None
        for case in cases(generator):
            yield case
        if case is not None:
            larger = {name: case.arguments[name] + 200.0 for name in names}
            yield Case({**case.arguments, **larger}, "large logits", case.sizes)

    return drawn


def _cut(value: Any, long: int, length: int) -> Any:
    if isinstance(value, torch.Tensor):
        for number, now in enumerate(value.shape):
            value = value.narrow(number, 0, length) if now == long else value
    elif type(value) is int and value == long:
        return length
    return value
