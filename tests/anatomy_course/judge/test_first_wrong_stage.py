"""How far an answer is right, and what is said where nothing is known."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from anatomy_course.judge import find_exercise
from anatomy_course.judge.diagnosis.gradient_attribution import _piece
from anatomy_course.judge.judging.judge import judge

ATTENTION = find_exercise("attention.attention")
DISENTANGLED = find_exercise("taxonomy.disentangled_scores")


def test_up_to_here_only_where_all_earlier_stages_are_held() -> None:
    def steps(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        scores = query @ key.mT
        scaled = scores / query.shape[-1] ** 0.5
        other = scaled.softmax(-1) * (1 + scores.sin() ** 2)
        return other @ value, other / other.sum(-1, keepdim=True)

    def inline(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        scaled = query @ key.mT / query.shape[-1] ** 0.5
        other = scaled.softmax(-1) * (1 + scaled.sin() ** 2)
        return other @ value, other / other.sum(-1, keepdim=True)

    assert judge(ATTENTION, steps).sentence.startswith("You are right up to the scaled scores: your variable `scaled`")
    verdict = judge(ATTENTION, inline)
    assert verdict.sentence.startswith("The scaled scores are right: your variable `scaled` holds them.")
    assert "up to" not in verdict.sentence.lower()


def test_a_variable_that_is_a_stage_times_a_number_is_named_with_the_number() -> None:
    def doubled(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        table = 2 * query @ key.mT / math.sqrt(query.shape[-1])
        weights = table.softmax(-1) + table.sin() ** 2
        return weights @ value, weights

    said = judge(ATTENTION, doubled).sentence
    assert "In the end none of your variables holds the scaled scores" in said
    assert "in your variable `table` every number is the target's times 2." in said


def test_no_variable_is_accused_because_of_its_name() -> None:
    def renamed(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        scores = query[..., :1]
        table = query @ key.mT
        weights = table.softmax(-1) * table.sin()
        return weights @ value + scores.sum(), weights

    assert "`scores`" not in judge(ATTENTION, renamed).sentence


def test_where_nothing_is_known_it_is_said_and_the_stages_are_named() -> None:
    def unknown(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        return query @ key.mT @ value, (query @ key.mT).sin() * 0.3 + (
            query.sum(-1, keepdim=True) * key.sum(-1)[..., None, :]
        )

    said = judge(ATTENTION, unknown).sentence
    if "does not recognize" in said:
        assert "Our solution passes through the scores, the scaled scores and the weights." in said
    assert "by hand" not in said


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


def test_right_with_means_all_outputs() -> None:
    def answer(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        context, weights = ATTENTION.resolve()(query, key, value)
        return context * (1 if query.dim() == 3 else 5), weights * (1 if query.dim() == 2 else 3)

    verdict = judge(ATTENTION, answer)
    assert verdict.sentence.startswith(
        "Your weights are right with one sentence and with strong matches, but not with a"
    )
    assert any(
        "Your context is right with a batch of sentences and with a batch of one sentence, but not" in note
        for note in verdict.notes
    )


def test_a_stage_that_was_held_and_then_overwritten_is_right() -> None:
    def overwriting(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        table = query @ key.mT
        table = table / query.shape[-1] ** 0.5
        table = table.softmax(-1) * (1 + table.sin() ** 2)
        table = table / table.sum(-1, keepdim=True)
        return table @ value, table

    said = judge(ATTENTION, overwriting).sentence
    assert said.startswith("You are right up to the scaled scores: your variable `table` in line ")
