"""Diagnoses of size: lines shifted by numbers of their own, and factors that are made of a size."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from anatomy_utils.exercises import find_exercise
from anatomy_utils.exercises.attempt.answer_key import AnswerKey
from anatomy_utils.exercises.attempt.run import execute
from anatomy_utils.exercises.attempt.trial import Trial
from anatomy_utils.exercises.definition import Case
from anatomy_utils.exercises.diagnosis.values import shifted_rows, size_in_words
from anatomy_utils.exercises.diagnosis.wrong_answer import Wrong

SOFTMAX = find_exercise("attention.softmax")


@pytest.mark.parametrize(("axis", "line"), [(-1, "row"), (-2, "column")])
def test_rows_and_columns_are_told_apart_with_and_without_a_batch(axis: int, line: str) -> None:
    def shifted(scores: Tensor) -> Tensor:
        weights: Tensor = scores.softmax(dim=-1)
        return weights + torch.randn_like(weights.select(axis, 0)).unsqueeze(axis)

    key = AnswerKey(SOFTMAX)
    trial = Trial(SOFTMAX, key, shifted, execute(shifted, key.cases, seconds=5.0), 5.0)
    wrong = Wrong(trial, 0, trial.wrong[0])
    assert {target.dim() for target in wrong.targets} == {2, 3}
    sentence = f"In your weights each {line} is the target's {line} plus a number of its own."
    assert shifted_rows(wrong) == ("row_offset", sentence)


def test_two_lengths_are_enough_to_name_a_size_and_one_is_not() -> None:
    four, nine = Case({}, "few", {"d_head": 4, "key": 5}), Case({}, "many", {"d_head": 9, "key": 5})
    assert size_in_words([1 / 2, 1 / 3], [four, nine]) == "divided by √d_head"
    assert size_in_words([1 / 2, 1 / 2], [four, four]) is None
