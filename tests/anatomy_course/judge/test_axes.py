"""Axes: arguments that lie the other way, and the first line after which a variable's axes are odd."""

from __future__ import annotations

import pytest
import torch
from answer_cells import attempt
from torch import Tensor

from anatomy_course.judge import find_exercise, ids
from anatomy_course.judge.attempt.calls import history
from anatomy_course.judge.definition import Case
from anatomy_course.judge.diagnosis.axes import first_odd_line
from anatomy_course.judge.judging.judge import judge

HEADS = find_exercise("multi_head.multi_head_attention")


def test_history_has_every_tensor_with_the_line_that_gave_it() -> None:
    def steps(x: Tensor) -> Tensor:
        table = torch.zeros(2, 3)
        table[0] = x
        table = table.mT
        return table + 1

    found = history(steps, Case({"x": torch.ones(3)}, "any"), 2.0)
    first = steps.__code__.co_firstlineno
    assert [(given.line - first, given.name) for given in found] == [(1, "table"), (2, "table"), (3, "table")]
    assert [float(given.tensor.sum()) for given in found] == [0, 3, 3]
    assert found[2].tensor.shape == (3, 2)


def test_history_ends_where_the_function_crashes() -> None:
    def crashes(x: Tensor) -> Tensor:
        y = x + 1
        return y @ torch.ones(7)

    assert [given.name for given in history(crashes, Case({"x": torch.ones(3)}, "any"), 2.0)] == ["y"]


def test_a_stage_that_is_turned_later_is_not_accused(unchecked: None) -> None:
    def in_two_steps(x: Tensor, wq: Tensor, wk: Tensor, wv: Tensor, wo: Tensor, num_heads: int) -> Tensor:
        query = (x @ wq).unflatten(-1, (num_heads, -1))
        query = query.transpose(1, 2)
        key = (x @ wk).unflatten(-1, (num_heads, -1)).transpose(1, 2)
        value = (x @ wv).unflatten(-1, (num_heads, -1)).transpose(1, 2)
        scores = query @ key.mT / query.shape[-1] ** 0.5
        return (scores.softmax(-1) @ value).flatten(2) @ wo

    assert "In line" not in judge(HEADS, in_two_steps).sentence


@pytest.mark.parametrize("id", [id for id in ids() if find_exercise(id).stages is not None])
def test_no_right_solution_has_an_odd_line(id: str, unchecked: None) -> None:
    exercise = find_exercise(id)
    for right in (exercise.resolve(), next(iter(exercise.also_right.values()))):
        assert first_odd_line(attempt(id, right), 0) is None
