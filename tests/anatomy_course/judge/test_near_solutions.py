"""No program near a solution passes and is wrong: a sample of them; `make near` tries them all."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from harder_inputs import harder_inputs
from near_solutions import near_solutions, try_all
from solutions import solution

from anatomy_course.judge import find_exercise, ids

FIGURES = Path(__file__).parents[3] / "docs" / "near_solutions.json"


@pytest.mark.parametrize("id", ids())
def test_what_passes_near_a_solution_is_right(id: str, unchecked: None) -> None:
    exercise = find_exercise(id)
    slow = exercise.observe is not None
    texts = near_solutions(exercise, singles=4 if slow else 12, pairs=1 if slow else 3)
    assert len(texts) >= (3 if slow else 10)
    tried = try_all(exercise, texts, range(1, 2), harder=(0,))
    assert tried.at == len(texts) and not tried.unexplained


def test_cases_that_are_too_kind_are_noticed(unchecked: None) -> None:
    exercise = find_exercise("attention.softmax")
    kind = replace(exercise, cases=lambda generator: islice(exercise.cases(generator), 1))
    bare = "def softmax(scores):\n    return scores.exp() / scores.exp().sum(-1, keepdim=True)"
    assert bare in try_all(kind, [bare], range(1, 2)).unexplained
    assert bare not in try_all(exercise, [bare], range(1, 2)).passed


def test_harder_inputs_are_longer_shorter_and_larger_than_the_cases(unchecked: None) -> None:
    exercise = find_exercise("attention.scores")
    inputs = harder_inputs(exercise, [exercise.resolve(), solution(exercise.id)])
    queries, keys = ([arguments[name] for arguments, _ in inputs] for name in ("query", "key"))
    assert {1, 2, 22} <= {query.shape[-2] for query in queries}
    assert max(float(query.max()) for query in queries) > 50
    assert all(query.shape[-1] == key.shape[-1] for query, key in zip(queries, keys, strict=True))


def test_a_program_that_breaks_its_process_is_only_refused(unchecked: None) -> None:
    exercise = find_exercise("attention.causal_mask")
    texts = [
        "import os\ndef causal_mask(length):\n    os._exit(1)",
        "def causal_mask(length):\n    return torch.ones(length, length).tril() > 0",
    ]
    tried = try_all(exercise, texts, range(1, 2))
    assert tried.passed == texts[1:] and tried.at == 2


def test_the_figures_are_of_every_exercise_and_leave_nothing_unexplained() -> None:
    figures = json.loads(FIGURES.read_text(encoding="utf-8"))
    assert list(figures) == list(ids()), "run `make near`"
    assert not [id for id, each in figures.items() if each["unexplained"]]
