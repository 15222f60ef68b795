"""What torch loads at the first use of a feature is loaded before the clock runs, and only where it is used."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from anatomy_course.judge import find_exercise
from anatomy_course.judge.attempt import warm_up
from anatomy_course.judge.judging.judge import judge


def on_meta(vectors: Tensor) -> Tensor:
    return torch.ones(vectors.shape, device="meta").mean(0)


def helper_on_meta(vectors: Tensor) -> Tensor:
    return on_meta(vectors)


def compiles(vectors: Tensor) -> Tensor:
    return torch.compile(lambda x: x.mean(0))(vectors)  # type: ignore[no-any-return]


def compiles_a_pattern(vectors: Tensor) -> Any:
    return re.compile("meta.*").pattern and torch.mean(vectors, 0)


def optimizes(vectors: Tensor) -> Tensor:
    optimizer = torch.optim.SGD([vectors], lr=0.1)
    optimizer.step()
    return vectors.mean(0)


def plain(vectors: Tensor) -> Tensor:
    return vectors.mean(0)


@pytest.mark.parametrize(
    ("function", "used"),
    [
        (on_meta, ["meta"]),
        (helper_on_meta, ["meta"]),
        (compiles, ["compile"]),
        (compiles_a_pattern, []),
        (optimizes, ["optimizer"]),
        (plain, []),
        (len, []),
    ],
)
def test_what_the_code_speaks_of_is_used_once_before_the_clock_runs(
    function: Callable[..., Any], used: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    uses = {
        name: (words, lambda name=name: done.append(name))  # type: ignore[misc]
        for name, (words, _) in warm_up.SLOW_AT_FIRST.items()
    }
    monkeypatch.setattr(warm_up, "SLOW_AT_FIRST", uses)
    monkeypatch.setattr(warm_up, "_warm", set())
    warm_up.warm_up(function)
    warm_up.warm_up(function)
    assert done == used


def test_the_judge_warms_up_and_a_first_use_that_fails_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    def fails() -> None:
        done.append("meta")
        raise RuntimeError("not here")

    monkeypatch.setattr(warm_up, "SLOW_AT_FIRST", {"meta": (frozenset({"meta"}), fails)})
    monkeypatch.setattr(warm_up, "_warm", set())
    assert judge(find_exercise("start.mean"), on_meta).found_by == "device"
    assert done == ["meta"]


def test_the_first_uses_are_right() -> None:
    for name in ("meta", "func", "optimizer"):
        warm_up.SLOW_AT_FIRST[name][1]()


def test_a_function_of_no_module_is_looked_at_too() -> None:
    names: dict[str, Any] = {}
    exec("def mean(vectors):\n    return vectors.mean(0) if len(vectors) else mean(vectors)", names)
    assert names["mean"].__module__ is None
    assert judge(find_exercise("start.mean"), names["mean"]).passed
