"""A stopped function: a loop is spoken of only where there is one."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from torch import Tensor

from anatomy_course.judge import find_exercise
from anatomy_course.judge.judging.judge import judge


def sleeps(vectors: Tensor) -> Any:
    time.sleep(60)


def waits(vectors: Tensor) -> Any:
    count = 0
    while count < 10:
        vectors = vectors + 1


def waits_for_ever(vectors: Tensor) -> Any:
    while True:
        vectors = vectors + 1


def nested(vectors: Tensor) -> Any:
    for row in range(10**9):
        for _ in range(10**9):
            row += 1


def comprehension(vectors: Tensor) -> Any:
    return [number for number in range(10**10) if number < 0]


def branches(vectors: Tensor, depth: int = 200) -> Any:
    return (branches(vectors, depth - 1), branches(vectors, depth - 1)) if depth else vectors


@pytest.fixture(autouse=True)
def uncollected() -> Iterator[None]:
    """What the test tools do at a garbage collection must not be what the alarm stops."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (sleeps, "It was still in line "),
        (waits, "does `count < 10` ever become False?"),
        (waits_for_ever, "does that ever reach a `break` or a `return`?"),
        (nested, "It was in the loop `for _ in range(10**9)`, inside another loop:"),
        (comprehension, "It was in the loop `for number in range(10**10)`:"),
        (branches, "It calls itself (`branches`):"),
    ],
)
def test_where_it_was_stopped(function: Callable[..., Any], says: str) -> None:
    verdict = judge(find_exercise("start.mean"), function, seconds=0.3)
    assert verdict.state == "stopped"
    assert says in verdict.sentence
    assert ("loop" in verdict.sentence) == (function not in (sleeps, branches))
