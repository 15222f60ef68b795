"""How far an answer is right: what is not said of its variables, and how a part of an argument is written."""

from __future__ import annotations

import torch
from torch import Tensor

from anatomy_course.judge import find_exercise
from anatomy_course.judge.diagnosis.first_wrong_stage import _piece
from anatomy_course.judge.judging.judge import judge


def test_no_variable_is_accused_because_of_its_name() -> None:
    def renamed(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        scores = query[..., :1]
        table = query @ key.mT
        weights = table.softmax(-1) * table.sin()
        return weights @ value + scores.sum(), weights

    assert "`scores`" not in judge(find_exercise("attention.attention"), renamed).sentence


def test_a_part_says_which_part() -> None:
    mask = torch.zeros(3, 5, dtype=torch.bool)
    mask[1, 2:4] = True
    assert _piece("query", mask) == "`query[1, 2:4]`"
    mask[0, 0] = True
    assert _piece("query", mask) == "`query[0, 0]` and `query[1, 2:4]`"
    mask[:] = False
    mask[:, [0, 3]] = True
    assert _piece("query", mask) == "`query[:, [0, 3]]`"
    assert _piece("query", torch.ones(2, 2, dtype=torch.bool)) == "all of `query`"
