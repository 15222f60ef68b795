"""Exercises that take functions: the first call that receives something else than in a right solution."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from anatomy_course.judge import find_exercise, ids
from anatomy_course.judge.attempt.answer_key import AnswerKey
from anatomy_course.judge.attempt.calls import recorded, takes_functions
from anatomy_course.judge.diagnosis.calls import first_other_call
from anatomy_course.judge.judging.judge import judge

TAKE_FUNCTIONS = [id for id in ids() if takes_functions(AnswerKey(find_exercise(id)).cases[0].arguments)]


def test_calls_are_recorded_in_order_with_what_they_receive_and_return() -> None:
    def twice(x: Tensor, norm: Any, layers: list[Any]) -> Tensor:
        return layers[1](norm(x), 2)

    x = torch.tensor([1.0, 2.0])
    given = {"x": x, "norm": torch.neg, "layers": [torch.abs, torch.mul]}
    first, second = recorded(twice, given, 2.0)
    assert (first.name, second.name) == ("norm", "layers[1]")
    assert torch.equal(first.given[0], x) and torch.equal(first.returned, -x)
    assert second.given[1] == 2 and torch.equal(second.returned, -2 * x)


def test_calls_before_a_crash_are_kept() -> None:
    def crashes(x: Tensor, norm: Any) -> Tensor:
        return norm(norm(x) @ torch.ones(5, 5))

    assert [call.name for call in recorded(crashes, {"x": torch.ones(2), "norm": torch.neg}, 2.0)] == ["norm"]


@pytest.mark.parametrize("id", TAKE_FUNCTIONS)
def test_no_call_of_a_right_solution_is_told(id: str, unchecked: None) -> None:
    exercise = find_exercise(id)
    for case in AnswerKey(exercise, 3).cases:
        for right in (exercise.resolve(), *exercise.also_right.values()):
            assert first_other_call(exercise, right, case) is None


def test_going_text_by_text_is_no_other_call(unchecked: None) -> None:
    def by_text(x: Tensor, a: Any, ff: Any, norm: Any) -> Tensor:
        return torch.stack([text + ff(norm(text)) + 2 * a(norm(text)) for text in x])

    assert "call of" not in judge(find_exercise("taxonomy.parallel_layer"), by_text).sentence


def test_the_same_call_once_more_is_no_other_call() -> None:
    def again(x: Tensor, a: Any, ff: Any, norm: Any) -> Tensor:
        norm(x)
        return x + a(norm(x)) + ff(norm(x))

    exercise = find_exercise("taxonomy.parallel_layer")
    assert first_other_call(exercise, again, AnswerKey(exercise).cases[0]) is None


def test_a_crash_names_the_call_before_it_that_differed(unchecked: None) -> None:
    def turned(x: Tensor, a: Any, ff: Any, norm: Any) -> Tensor:
        return x + a(norm(x.mT)) + ff(norm(x))

    assert (
        "Your call of `norm` receives `x` with the last two axes swapped, where a right solution gives it `x`."
        in judge(find_exercise("taxonomy.parallel_layer"), turned).sentence
    )


def test_after_a_crash_a_missing_call_means_nothing(unchecked: None) -> None:
    def flat(step: Any, cache: Any, ids: Tensor, most: int, stop: int) -> Tensor:
        logits, cache = step(ids, cache)
        return torch.cat([ids, logits.argmax(-1)], 1)

    assert "calls `step`" not in judge(find_exercise("decoder.write"), flat).sentence

    def cut_short(x: Tensor, a: Any, ff: Any, norm: Any) -> Tensor:
        return norm(x) @ torch.ones(1000, 1000)

    assert "calls `self_attention`" not in judge(find_exercise("taxonomy.parallel_layer"), cut_short).sentence
