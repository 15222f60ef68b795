"""Compared by parts: an output or a kind of case equals a mistake, or a mistake's result has been changed once more."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from anatomy_course.judge import find_exercise
from anatomy_course.judge.diagnosis.mistakes import telling
from anatomy_course.judge.judging.judge import judge

ATTENTION = find_exercise("attention.attention")
ROOT = next(mistake for mistake in ATTENTION.mistakes if mistake.name == "root_of_values")


@pytest.mark.parametrize(
    ("change", "likeness", "says"),
    [
        (lambda t: 2 * t, "factor", "every number is the first result's times 2"),
        (torch.neg, "sign", "every sign is flipped"),
        (lambda t: t[None], "ones", "there is an axis of length 1 too many"),
        (lambda t: t + 1, "offset", "every number is 1 too large"),
    ],
)
def test_a_mistakes_result_changed_once_more(change: Callable[[Tensor], Tensor], likeness: str, says: str) -> None:
    def answer(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, ...]:
        return tuple(change(part) for part in ROOT.function(query, key, value))

    verdict = judge(ATTENTION, answer)
    assert verdict.found_by.split(":")[1] == f"root_of_values+{likeness}"
    assert ROOT.sentence in verdict.sentence and says in verdict.sentence


def test_poor_results_are_not_told_as_mistakes() -> None:
    target = torch.rand(3, 4)
    assert not telling([torch.zeros(3, 4)], [target]), "all zeros"
    assert not telling([torch.full((3, 4), 1 / 3)], [target]), "the same share for everyone"
    one_cell = torch.ones(3, 4, dtype=torch.bool)
    one_cell[0, 0] = False
    assert not telling([one_cell], [~one_cell | one_cell]), "one cell of a mask"
    assert telling([target + 1], [target]) and telling([torch.tensor(0.123)], [torch.tensor(2.0)])
    all_true = judge(
        find_exercise("attention.causal_mask"), lambda length: torch.ones(1, length, length, dtype=torch.bool)
    )
    assert "known mistake" not in all_true.sentence


def test_the_opposite_of_a_wrong_mask_is_no_second_slip() -> None:
    verdict = judge(find_exercise("decoder.repair"), lambda past, new: torch.ones(new, past + new).triu(past).bool())
    assert "known mistake" not in verdict.sentence
