"""Axes: arguments that lie the other way, and the first line after which a variable's axes are odd."""

from __future__ import annotations

import re

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from anatomy_course.judge import find_exercise, ids
from anatomy_course.judge.attempt.answer_key import AnswerKey
from anatomy_course.judge.attempt.history import history
from anatomy_course.judge.attempt.run import execute
from anatomy_course.judge.attempt.tried import Attempt
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


def test_an_argument_that_is_used_lying_the_other_way(unchecked: None) -> None:
    def linear(hidden: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        return F.linear(hidden, weight, bias)

    assert (
        "With the last two axes of `weight` swapped, your function would give the target in every case: it "
        "uses `weight` as if it came as (11, 5), and it comes as (5, 11)."
        in judge(find_exercise("attention.projection"), linear).sentence
    )


def test_the_shapes_told_are_those_of_a_case_where_they_differ(unchecked: None) -> None:
    def columns(context: Tensor, output_weight: Tensor) -> Tensor:
        heads, d_head = context.shape[1], context.shape[3]
        own = [output_weight[:, head * d_head : (head + 1) * d_head].T for head in range(heads)]
        return torch.stack([context[:, head] @ own[head] for head in range(heads)], dim=1)

    said = judge(find_exercise("multi_head.head_outputs"), columns).sentence
    one, other = re.findall(r"(?:came|comes) as \((\d+), (\d+)\)", said)
    assert one == other[::-1] and one[0] != one[1]


def test_two_arguments_in_each_others_place(unchecked: None) -> None:
    def embedding(table: Tensor, ids: Tensor) -> Tensor:
        return F.embedding(table, ids)

    assert (
        "With `table` and `ids` swapped, your function would give the target in every case."
        in judge(find_exercise("attention.lookup"), embedding).sentence
    )


def test_what_the_reference_makes_of_a_turned_argument(unchecked: None) -> None:
    def of_columns(scores: Tensor) -> Tensor:
        return scores.mT.softmax(-1)

    verdict = judge(find_exercise("attention.softmax"), of_columns)
    assert verdict.found_by == "shape:turned_input"
    assert "exactly what comes out when the last two axes of `scores` are swapped first." in verdict.sentence


def per_position(x: Tensor, wq: Tensor, wk: Tensor, wv: Tensor, wo: Tensor, num_heads: int) -> Tensor:
    query = (x @ wq).unflatten(-1, (num_heads, -1))
    key = (x @ wk).unflatten(-1, (num_heads, -1))
    value = (x @ wv).unflatten(-1, (num_heads, -1))
    scores = query @ key.mT / query.shape[-1] ** 0.5
    context = scores.softmax(-1) @ value
    return context.transpose(1, 2).flatten(2) @ wo


def test_the_first_line_that_has_a_stage_with_its_axes_in_another_order(unchecked: None) -> None:
    line = per_position.__code__.co_firstlineno + 1
    assert (
        f"In line {line} `query` became (2, 3, 7, 5): these are the numbers of the queries of each head, but our "
        "solution has them as (2, 7, 3, 5)." in judge(HEADS, per_position).sentence
    )


def test_a_stage_that_is_turned_later_is_not_accused(unchecked: None) -> None:
    def in_two_steps(x: Tensor, wq: Tensor, wk: Tensor, wv: Tensor, wo: Tensor, num_heads: int) -> Tensor:
        query = (x @ wq).unflatten(-1, (num_heads, -1))
        query = query.transpose(1, 2)
        key = (x @ wk).unflatten(-1, (num_heads, -1)).transpose(1, 2)
        value = (x @ wv).unflatten(-1, (num_heads, -1)).transpose(1, 2)
        scores = query @ key.mT / query.shape[-1] ** 0.5
        return (scores.softmax(-1) @ value).flatten(2) @ wo

    assert "In line" not in judge(HEADS, in_two_steps).sentence


def test_an_axis_that_is_there_twice(unchecked: None) -> None:
    def features_by_features(x: Tensor, wq: Tensor, wk: Tensor, wv: Tensor, wo: Tensor, num_heads: int) -> Tensor:
        query, key, value = ((x @ w).unflatten(-1, (num_heads, -1)).transpose(1, 2) for w in (wq, wk, wv))
        table = query.mT @ key
        return (table.softmax(-1) @ value).transpose(1, 2).flatten(2) @ wo

    line = features_by_features.__code__.co_firstlineno + 2
    assert (
        f"In line {line} `table` became (2, 7, 5, 5): the length of `d_head` appears twice."
        in judge(HEADS, features_by_features).sentence
    )


@pytest.mark.parametrize("id", [id for id in ids() if find_exercise(id).stages is not None])
def test_no_right_solution_has_an_odd_line(id: str, unchecked: None) -> None:
    exercise = find_exercise(id)
    key = AnswerKey(exercise)
    for right in (exercise.resolve(), next(iter(exercise.also_right.values()))):
        run = execute(right, key.cases, seconds=5.0)
        assert first_odd_line(Attempt(exercise, key, right, run, 5.0), 0) is None
