"""Diagnoses of size: lines shifted by numbers of their own, and factors that are made of a size."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest
import torch
from answer_cells import attempt
from torch import Tensor

from anatomy_course.judge import find_exercise
from anatomy_course.judge.attempt.tensors import numbers
from anatomy_course.judge.definition import Case
from anatomy_course.judge.diagnosis import arguments
from anatomy_course.judge.diagnosis.arguments import _always_one_number
from anatomy_course.judge.diagnosis.values import one_offset, shifted_rows, size_in_words
from anatomy_course.judge.diagnosis.wrong_answer import WrongOutput

SOFTMAX = find_exercise("attention.softmax")


def wrong_by(id: str, answer: Callable[..., Tensor]) -> WrongOutput:
    trial = attempt(id, answer)
    return WrongOutput(trial, 0, trial.wrong[0])


@pytest.mark.parametrize(("axis", "line"), [(-1, "row"), (-2, "column")])
def test_rows_and_columns_are_told_apart_with_and_without_a_batch(axis: int, line: str) -> None:
    def shifted(scores: Tensor) -> Tensor:
        weights: Tensor = scores.softmax(dim=-1)
        return weights + torch.randn_like(weights.select(axis, 0)).unsqueeze(axis)

    wrong = wrong_by(SOFTMAX.id, shifted)
    assert {target.dim() for target in wrong.targets} == {2, 3}
    sentence = f"In your weights each {line} is the target's {line} plus a number of its own."
    assert shifted_rows(wrong) == ("row_offset", sentence)


def test_two_lengths_are_enough_to_name_a_size_and_one_is_not() -> None:
    four, nine = Case({}, "few", {"d_head": 4, "key": 5}), Case({}, "many", {"d_head": 9, "key": 5})
    assert size_in_words([1 / 2, 1 / 3], [four, nine]) == "divided by √d_head"
    assert size_in_words([1 / 2, 1 / 2], [four, four]) is None


@pytest.mark.parametrize(("by", "told"), [([1, 1, 1], True), ([1, 2, 3], False)])
def test_whole_numbers_are_off_by_the_same_number_only_if_exactly(by: list[int], told: bool) -> None:
    """Next to numbers so large a few are next to nothing, but whole numbers are exact."""
    targets = [torch.tensor([10**9, 10**8, 10**9 + 7])]
    pairs = [(numbers(targets[0] + torch.tensor(by)), numbers(targets[0]))]
    found = one_offset(SimpleNamespace(pairs=lambda: pairs, targets=targets, name="bytes"))  # type: ignore[arg-type]
    assert (found is not None) == told


def test_one_number_in_one_case_is_not_always_one_number() -> None:
    single, many = torch.ones(1, 1), torch.rand(2, 3)
    cases = [Case({}, "one", {}), Case({}, "more", {})]
    assert not _always_one_number(SimpleNamespace(cases=cases, yours=[single, many]))  # type: ignore[arg-type]
    assert _always_one_number(SimpleNamespace(cases=cases, yours=[single, single]))  # type: ignore[arg-type]


def test_other_arguments_are_tried_for_a_limited_time(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []
    wrong = wrong_by("attention.attention", lambda query, key, value: (value + 1, query @ key.mT))
    monkeypatch.setattr(WrongOutput, "holds_for_arguments", lambda self, change: tried.append("once"))
    monkeypatch.setattr(arguments, "LONGEST", -1.0)
    assert arguments.other_arguments(wrong) is None and len(tried) == 1
    monkeypatch.setattr(arguments, "LONGEST", 60.0)
    assert arguments.other_arguments(wrong) is None and len(tried) > 5
