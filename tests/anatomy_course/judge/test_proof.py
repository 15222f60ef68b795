"""The proof of every exercise: its stub, its reference, its alternatives and its mistakes, on 200 seeds each.

`make test` takes the first 3 of them, `make proof` all: a case that one of the later ones finds is found once, when an
exercise is written or changed. On the first seed types and shapes are checked at every call. On the second one each
mistake is run twice, once for the answer key and once as an answer; on the others one run is both.
"""

from __future__ import annotations

import ast
import inspect
import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import torch

from anatomy_course.judge import find_exercise, ids, question_ids
from anatomy_course.judge.again.sibling import ROUNDS, sibling
from anatomy_course.judge.attempt.answer_key import AnswerKey
from anatomy_course.judge.attempt.run import RunOnCases, execute
from anatomy_course.judge.attempt.surroundings import Surroundings
from anatomy_course.judge.definition import Exercise
from anatomy_course.judge.form import place_of
from anatomy_course.judge.judging.judge import judge
from anatomy_course.judge.registry import earlier_pieces, find_question
from anatomy_course.judge.stub import is_untouched, solution_text, stub_text
from anatomy_course.page.notebooks import NOTEBOOKS

SEEDS = int(os.environ.get("PROOF_SEEDS", "3"))
Known = dict[Callable[..., Any], RunOnCases]


class Unwatched(Surroundings):
    """What answers may change around them is not looked at 200,000 times; that has tests of its own."""

    def __init__(self) -> None: ...

    def make_sound(self) -> None: ...

    def in_words(self) -> tuple[str, ...]:
        return ()


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> Known:
    """Runs of functions that the judge need not run again."""
    runs: Known = {}

    def execute_unknown(answer: Callable[..., Any], *given: Any, watched: bool, **more: Any) -> RunOnCases:
        function = answer.args[-1] if isinstance(answer, partial) else answer
        return runs[function] if function in runs else execute(answer, *given, **more)

    def put_nothing_back() -> AbstractContextManager[Surroundings]:
        return nullcontext(Unwatched())

    monkeypatch.setattr("anatomy_course.judge.judging.judge.execute", execute_unknown)
    monkeypatch.setattr("anatomy_course.judge.judging.judge.restored_globals", put_nothing_back)
    monkeypatch.setattr("anatomy_course.judge.attempt.run.restored_globals", put_nothing_back)
    return runs


@pytest.mark.proof
@pytest.mark.parametrize("id", ids())
def test_proof_with_types(id: str, known: Known) -> None:
    _prove(_unhurried(find_exercise(id)), range(min(1, SEEDS)), known)


@pytest.mark.proof
@pytest.mark.parametrize("id", ids())
def test_proof(id: str, known: Known, unchecked: None) -> None:
    exercise = _unhurried(find_exercise(id))
    _prove(exercise, range(1, min(2, SEEDS)), None)
    _prove(exercise, range(2, SEEDS), known)


@pytest.mark.proof
@pytest.mark.parametrize("id", ids())
def test_siblings_are_proven_as_their_exercise_is_and_take_no_answer_of_before(
    id: str, known: Known, unchecked: None
) -> None:
    exercise = find_exercise(id)
    before = _run(solution_text(exercise), exercise)
    for round in range(ROUNDS):
        task = _unhurried(sibling(id, round))
        _prove(task, range(min(1, SEEDS)), known)
        assert task.task == exercise.task or not judge(task, before, source=solution_text(exercise)).passed


def _unhurried(exercise: Exercise) -> Exercise:
    """The proof runs on what others leave over of two cores: a learner's seconds would say nothing here."""
    return replace(exercise, seconds=600.0)


def _prove(exercise: Exercise, seeds: Iterable[int], known: Known | None) -> None:
    made = _run(stub_text(exercise), exercise)
    assert is_untouched(made, stub_text(exercise)), "the stub is not attempted"
    right = {
        "reference": exercise.resolve(),
        "solution": _run(solution_text(exercise), exercise),
        **exercise.also_right,
    }
    for seed in seeds:
        key = AnswerKey(exercise, seed)
        if known is not None:
            _run_mistakes(key, known)
        for name, function in right.items():
            verdict = judge(exercise, function, answer_key=key)
            assert verdict.passed, f"{place_of(exercise.id, name)}: {name} on seed {seed}: {verdict.sentence}"
        for mistake in exercise.mistakes:
            verdict = judge(exercise, mistake.function, answer_key=key)
            told = f"{place_of(exercise.id, mistake.name)}: on seed {seed} the mistake {mistake.name!r}"
            assert not verdict.passed, f"{told} is right on every case: edit another part, or add a case that shows it"
            found = verdict.found_by.removeprefix("mistake:")
            same = f"{told} computes the same as {found!r}: add a case that tells them apart"
            assert found in (mistake.name, verdict.found_by), same
            assert (verdict.state, verdict.sentence) == ("wrong", mistake.sentence), f"{told} gets: {verdict.sentence}"


def _run_mistakes(key: AnswerKey, known: Known) -> None:
    """Run each mistake once: as an answer it is what it is in the key."""
    for mistake in key.exercise.mistakes:
        answer = key.exercise.as_function(mistake.function)
        known[mistake.function] = execute(answer, key.cases, seconds=key.exercise.seconds)
    key.mistaken = [(mistake, known[mistake.function].results) for mistake in key.exercise.mistakes]


def _run(cell: str, exercise: Exercise):  # type: ignore[no-untyped-def]
    """Execute a cell's text as a notebook would, without checking it."""
    namespace = {"torch": torch, "Tensor": torch.Tensor, "exercise": lambda id: lambda function: function}
    namespace |= earlier_pieces(exercise)
    exec(compile(cell, f"<{exercise.id}>", "exec"), namespace)
    return namespace[exercise.function_name]


@pytest.mark.parametrize("id", ids())
def test_an_exercise_is_complete(id: str) -> None:
    exercise = find_exercise(id)
    assert len(exercise.mistakes) >= 4 and len(exercise.also_right) >= 3
    assert len({mistake.sentence for mistake in exercise.mistakes}) == len(exercise.mistakes)
    assert len(exercise.hints) == 3 and all(exercise.hints) and exercise.explanation and exercise.task.endswith(".")
    assert exercise.minutes >= 1 and any(id.startswith(notebook.prefix + ".") for notebook in NOTEBOOKS)
    reference = inspect.signature(exercise.resolve()).parameters
    assert list(reference)[: len(exercise.parameters())] == exercise.parameters(), "later cells may name arguments"
    assert set(exercise.look_first) <= {output.name for output in exercise.returns}
    assert max(len(line) for line in solution_text(exercise).splitlines()) <= 120
    docstring = ast.get_docstring(ast.parse(stub_text(exercise)).body[0])  # type: ignore[arg-type]
    assert docstring and docstring.splitlines()[0]


@pytest.mark.parametrize("id", ids())
def test_cases_have_unequal_prime_sizes(id: str) -> None:
    for seed in range(20):
        for case in AnswerKey(find_exercise(id), seed).cases:
            lengths = [length for length in case.sizes.values() if length > 1]
            assert len(set(lengths)) == len(lengths), f"two axes of equal length in seed {seed}: {dict(case.sizes)}"


@pytest.mark.parametrize("id", ids())
def test_cases_are_drawn_from_the_seed_alone(id: str) -> None:
    exercise = find_exercise(id)
    torch.manual_seed(1)
    once = AnswerKey(exercise, 3)
    torch.manual_seed(2)
    state = torch.get_rng_state()
    again = AnswerKey(exercise, 3)
    torch.testing.assert_close(_tensors(once), _tensors(again), rtol=0, atol=0, equal_nan=True)
    assert torch.equal(state, torch.get_rng_state()), "drawing cases touched the global generator"


def _tensors(key: AnswerKey) -> list[torch.Tensor]:
    return [value for case in key.cases for value in case.arguments.values() if isinstance(value, torch.Tensor)]


@pytest.mark.parametrize("id", question_ids())
def test_a_question_has_a_reason_for_every_choice(id: str) -> None:
    question = find_question(id)
    assert len(question.choices) >= 3
    assert sum(choice.right for choice in question.choices) == 1
    assert len({choice.reason for choice in question.choices}) == len(question.choices)


def test_the_right_choice_is_not_always_at_the_same_place() -> None:
    places = [find_question(id).right for id in question_ids()]
    assert max(places.count(place) for place in set(places)) <= 0.65 * len(places)
