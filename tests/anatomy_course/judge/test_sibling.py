"""Siblings: what they change, that an earlier answer does not fit, and what a condition keeps of the catalogue."""

from __future__ import annotations

import pytest
import torch

from anatomy_course.judge import ids
from anatomy_course.judge.again.sibling import ROUNDS, change_of, in_words, sibling
from anatomy_course.judge.attempt.answer_key import AnswerKey
from anatomy_course.judge.judging.judge import judge
from anatomy_course.judge.registry import find_exercise
from anatomy_course.judge.stub import solution_text, stub_text

UNCHANGED = {  # what they take is one thing that nobody can turn round: there a new cell and other numbers are all
    "attention.follows_meaning", "attention.accepts", "encoder.is_pre_norm", "positions.scheme",
    "capstone.lost_config", "capstone.tenth_probe", "workshop.count_pairs", "workshop.own_name",
}  # fmt: skip


def test_the_order_the_axes_and_the_condition_change() -> None:
    first, second, third = (sibling("attention.scores", round) for round in range(ROUNDS))
    assert first.parameters() == third.parameters() == ["key", "query"] and second.parameters() == ["query", "key"]
    assert "swapped" in third.task and "swapped" not in second.task and "squared distance" in second.task
    assert [*next(iter(first.cases(torch.Generator().manual_seed(0)))).arguments] == ["key", "query"]
    assert "def attention_scores_again(key: Tensor, query: Tensor) -> Tensor:" in stub_text(first)
    assert "This time the parameters come in the order key, query." in stub_text(first)


def test_a_class_takes_its_settings_in_another_order() -> None:
    task = sibling("workshop.llama_block", 0)
    text = solution_text(task)
    assert "class LlamaBlockAgain(torch.nn.Module):" in text and text.count("def __init__(") == 1
    assert max(map(len, text.splitlines())) <= 120
    assert task.parameters() == ["epsilon", "base", "d_inner", "num_key_value_heads", "num_heads", "d_model"]


@pytest.mark.parametrize("id", ids())
def test_something_changes_in_each_exercise(id: str) -> None:
    exercise = find_exercise(id)
    said = [sibling(id, round).task != exercise.task for round in range(ROUNDS)]
    assert sum(said) >= 2 or id in UNCHANGED
    assert not any(said) or id not in UNCHANGED
    assert max(len(line) for round in range(ROUNDS) for line in solution_text(sibling(id, round)).splitlines()) <= 120


def test_other_numbers_are_drawn() -> None:
    old, *new = (
        AnswerKey(each).cases[0].arguments["query"]
        for each in [find_exercise("attention.scores"), sibling("attention.scores", 0), sibling("attention.scores", 1)]
    )
    assert not any(old.shape == each.shape and torch.equal(old, each) for each in new)


def test_a_condition_makes_what_was_right_a_mistake_and_leaves_out_what_it_cannot_tell() -> None:
    task = sibling("encoder.layer_norm", 1)
    names = [mistake.name for mistake in task.mistakes]
    assert (
        names[0] == "as_it_was" and "no_root" in names and "unbiased" not in names and "root_mean_square" not in names
    )
    found = judge(task, find_exercise("encoder.layer_norm").resolve())
    assert found.sentence == "That is the exercise as it was. This time the variance divides by d_model − 1."


def test_a_number_that_is_none_is_told() -> None:
    with pytest.raises(ValueError, match="attention.scores comes again 3 times, numbered from 0; there is no number 3"):
        sibling("attention.scores", 3)


def test_what_cannot_be_turned_round_says_nothing() -> None:
    exercise = find_exercise("capstone.lost_config")
    assert in_words(exercise, change_of(exercise, 2)) == ""
