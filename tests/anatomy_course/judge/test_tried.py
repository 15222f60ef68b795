"""A trial: yours beside the targets, the wrong outputs in order, and the order in which they are judged."""

from __future__ import annotations

from answer_cells import attempt
from torch import Tensor

from anatomy_course.judge import find_exercise
from anatomy_course.judge.diagnosis.find import EXACT, EXACT_SHAPES, ROUGH, ROUGH_SHAPES, diagnose
from anatomy_course.judge.diagnosis.wrong_answer import WrongOutput
from anatomy_course.judge.judging import judge

ATTENTION = find_exercise("attention.attention")
REFERENCE = ATTENTION.resolve()


def doubled(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    context, weights = REFERENCE(query, key, value, mask)
    return (2 * context if mask is None else context), weights


def test_wrong_outputs_are_known_case_by_case_in_the_order_in_which_a_fault_spreads() -> None:
    assert attempt(ATTENTION.id, REFERENCE).wrong == {1: [], 0: []}
    trial = attempt(ATTENTION.id, doubled)
    unmasked = [i for i, case in enumerate(trial.cases) if case.arguments.get("mask") is None]
    assert trial.wrong == {1: [], 0: unmasked} and list(trial.wrong) == [1, 0], "weights before context"
    assert len(trial.pairs) == 2 * len(trial.cases)
    assert trial.arguments_in_words(0).startswith("query of shape (")


def test_a_wrong_output_holds_only_the_cases_in_which_it_is_wrong() -> None:
    trial = attempt(ATTENTION.id, doubled)
    wrong = WrongOutput(trial, 0, trial.wrong[0])
    assert wrong.name == "context" and wrong.cases == [trial.cases[i] for i in trial.wrong[0]]
    assert wrong.holds(lambda target: 2 * target) and not wrong.holds(lambda target: target)
    assert not wrong.holds(lambda target: target.transpose(7, 8)), "a change that fails does not hold"
    assert wrong.axes == range(-1, -3, -1) and [wrong.axis(axis) for axis in wrong.axes] == ["d_value", "query"]
    assert all(bool(mark.all()) for mark in wrong.marks())
    assert diagnose(wrong) == ("factor", "In your context every number is the target's times 2.")


def test_no_question_is_asked_twice_and_the_last_one_always_has_an_answer() -> None:
    for questions in (judge.CHECKS, EXACT + ROUGH, EXACT_SHAPES + ROUGH_SHAPES):
        assert len(set(questions)) == len(questions)
    trial = attempt(ATTENTION.id, doubled)
    wrong = WrongOutput(trial, 0, trial.wrong[0])
    assert judge.CHECKS[-1](trial) and ROUGH[-1](wrong) and ROUGH_SHAPES[-1](wrong)
