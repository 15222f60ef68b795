"""Compared by parts: an output or a kind of case equals a mistake, or a mistake's result has been changed once more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from anatomy_course.judge import find_exercise
from anatomy_course.judge.definition import Exercise
from anatomy_course.judge.diagnosis.mistakes import telling
from anatomy_course.judge.judging.judge import judge

ATTENTION = find_exercise("attention.attention")
SCORES = find_exercise("attention.scores")
MASK = find_exercise("attention.causal_mask")


def slip(exercise: Exercise, name: str) -> Callable[..., Any]:
    return next(mistake.function for mistake in exercise.mistakes if mistake.name == name)


def sentence(exercise: Exercise, name: str) -> str:
    return next(mistake.sentence for mistake in exercise.mistakes if mistake.name == name)


def test_one_of_two_outputs_equals_a_mistake() -> None:
    def answer(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        return ATTENTION.resolve()(query, key, value)[0], slip(ATTENTION, "no_scale")(query, key, value)[1]

    verdict = judge(ATTENTION, answer)
    assert verdict.found_by == "mistake:no_scale" and sentence(ATTENTION, "no_scale") in verdict.sentence
    assert "Your weights are just what a known mistake gives" in verdict.sentence
    assert "Your context: right." in verdict.notes


def test_two_mistakes_that_give_the_same_output_are_both_told() -> None:
    def answer(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        context, _ = ATTENTION.resolve()(query, key, value)
        return 3 * context, slip(ATTENTION, "no_softmax")(query, key, value)[1]

    verdict = judge(ATTENTION, answer)
    assert verdict.found_by == "part:no_softmax|scores_returned" and "here they give the same" in verdict.sentence
    assert "Where the weights belong" in verdict.sentence, "no word of the context, which is not right"
    assert any(
        "Your context: wrong too. In your context every number is the target's times 3." in n for n in verdict.notes
    )


def test_a_mistake_with_one_kind_of_case_only() -> None:
    def answer(query: Tensor, key: Tensor) -> Tensor:
        result: Tensor = (slip(SCORES, "no_root") if query.dim() > 3 else SCORES.resolve())(query, key)
        return result

    verdict = judge(SCORES, answer)
    assert verdict.sentence == (
        "Right with one sentence, with a batch of sentences and with a batch of one sentence, "
        "but not with a batch with heads. In your scores every number is the target's times 0.577 (1/√3)."
    ), "one case may equal a mistake by chance, which would show in the others"


@pytest.mark.parametrize(
    ("change", "likeness", "says"),
    [
        (lambda t: 2 * t, "factor", "every number is the target's times 2"),
        (torch.neg, "sign", "every sign is flipped"),
        (lambda t: t[None], "ones", "there is an axis of length 1 too many"),
        (lambda t: t + 1, "offset", "every number is 1 too large"),
    ],
)
def test_a_mistakes_result_changed_once_more(change: Callable[[Tensor], Tensor], likeness: str, says: str) -> None:
    def answer(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, ...]:
        return tuple(change(part) for part in slip(ATTENTION, "root_of_values")(query, key, value))

    verdict = judge(ATTENTION, answer)
    assert verdict.found_by.split(":")[1] == f"root_of_values+{likeness}"
    assert sentence(ATTENTION, "root_of_values") in verdict.sentence and says in verdict.sentence


def test_a_mistake_of_another_type_names_both() -> None:
    def answer(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, ...]:
        return tuple(part.double() for part in slip(ATTENTION, "no_scale")(query, key, value))

    verdict = judge(ATTENTION, answer)
    assert verdict.sentence.startswith(sentence(ATTENTION, "no_scale")) and "float64" in verdict.sentence


def test_a_mistake_that_changes_its_input_names_both() -> None:
    def answer(query: Tensor, key: Tensor, value: Tensor) -> Any:
        result = slip(ATTENTION, "no_scale")(query, key, value)
        value.zero_()
        return result

    verdict = judge(ATTENTION, answer)
    assert verdict.found_by == "mistake:no_scale"
    assert verdict.sentence.startswith("Your function changes its input: `value`")
    assert verdict.sentence.endswith(sentence(ATTENTION, "no_scale"))


def test_a_mistake_returned_in_the_wrong_order_names_both() -> None:
    verdict = judge(ATTENTION, lambda q, k, v: slip(ATTENTION, "no_scale")(q, k, v)[::-1])
    assert verdict.found_by == "swapped:no_scale" and "in another order" in verdict.sentence


def test_poor_results_are_not_told_as_mistakes() -> None:
    target = torch.rand(3, 4)
    assert not telling([torch.zeros(3, 4)], [target]), "all zeros"
    assert not telling([torch.full((3, 4), 1 / 3)], [target]), "the same share for everyone"
    one_cell = torch.ones(3, 4, dtype=torch.bool)
    one_cell[0, 0] = False
    assert not telling([one_cell], [~one_cell | one_cell]), "one cell of a mask"
    assert telling([target + 1], [target]) and telling([torch.tensor(0.123)], [torch.tensor(2.0)])
    verdict = judge(MASK, lambda length: torch.ones(1, length, length, dtype=torch.bool))
    assert "known mistake" not in verdict.sentence


def test_the_opposite_of_a_wrong_mask_is_no_second_slip() -> None:
    verdict = judge(find_exercise("decoder.repair"), lambda past, new: torch.ones(new, past + new).triu(past).bool())
    assert "known mistake" not in verdict.sentence
