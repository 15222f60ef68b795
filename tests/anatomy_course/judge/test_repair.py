"""The search for the slip: what it finds in the learner's own lines, what it says, and what it leaves alone."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from answer_cells import attempt, run_cell
from answers import ANSWERS, slips  # noqa: F401 (it adds its own to ANSWERS)

from anatomy_course.judge import exercise, find_exercise, hint, ids
from anatomy_course.judge.attempt.program import Program
from anatomy_course.judge.judging.judge import judge
from anatomy_course.judge.judging.verdict import Verdict
from anatomy_course.judge.progress.record import Progress
from anatomy_course.judge.slips.child import can_fork, in_a_child
from anatomy_course.judge.slips.edit import Edit, _undoes, expression
from anatomy_course.judge.slips.edit_runner import EditRunner
from anatomy_course.judge.slips.search import about, all_edits, best_of, find_repair
from anatomy_course.judge.slips.sentences import WHAT, Repair, Slip, sentence
from anatomy_course.judge.slips.vocabulary import EditVocabulary


def written(text: str, name: str) -> Callable[..., Any]:
    """The function of a cell, as if a learner had run it."""
    functions = {find_exercise(id).function_name: find_exercise(id).resolve() for id in ids()}
    function: Callable[..., Any] = run_cell(text, F=torch.nn.functional, **functions)[name]
    return function


def judged(id: str, text: str) -> Verdict:
    exercise = find_exercise(id)
    return judge(exercise, written(text, exercise.function_name), search=True)


@pytest.fixture(autouse=True)
def enough_time(monkeypatch: pytest.MonkeyPatch, unchecked: None) -> None:
    """A busy machine must not decide what is found."""
    monkeypatch.setattr("anatomy_course.judge.judging.slips.find_repair", partial(find_repair, seconds=5.0))


STACKED = """def weighted_average(weights, vectors):
    pieces = [w @ vectors for w in weights.unbind(-2)]
    return torch.stack(pieces, 1)
"""


def test_the_slip_may_be_in_a_helper_and_the_crash_too() -> None:
    verdict = judged(
        "attention.attention",
        """def normed(powers):
    total = powers.sum(-1)
    return powers / total

def attend_all_words(query, key, value):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    weights = normed((scores - scores.amax(-1, keepdim=True)).exp())
    return weights @ value, weights
""",
    )
    assert verdict.state == "crashed" and verdict.line is not None and verdict.line.number == 3
    assert [(slip.number, slip.part) for slip in verdict.slips] == [(2, "powers.sum(-1)")]
    assert "Line 2, `powers.sum(-1)`: everything is right when this call keeps the axis" in verdict.sentence


def test_the_card_does_not_give_the_edit_away_and_the_hint_does() -> None:
    verdict = judged("attention.weighted_average", STACKED)
    assert "the `1` in `torch.stack(pieces, 1)`" in verdict.sentence
    assert not any(axis in verdict.sentence for axis in ("0", "2", "dim"))
    assert "torch.stack(pieces, " in verdict.hint and "pieces, 1" not in verdict.hint


def test_every_kind_of_edit_has_its_words() -> None:
    kinds = set()
    for wrong in ANSWERS:
        if wrong.search:
            program = Program(wrong.function)
            kinds |= {edit.kind for edit in all_edits(program, EditVocabulary(program, find_exercise(wrong.id)))}
    assert len(kinds) > 30 and kinds <= WHAT.keys()


def test_a_mistake_of_another_shape_is_neither_nearer_nor_farther() -> None:
    trial = attempt("start.mean", written("def mean_vector(vectors):\n    return vectors.mean(1)\n", "mean_vector"))
    bench = EditRunner.of(trial)
    assert not any(bench.is_farther(mistake) for mistake, results in trial.answer_key.mistaken if results[0].dim() == 1)


def test_an_edit_is_taken_back() -> None:
    program = Program(written(STACKED, "weighted_average"))
    words = EditVocabulary(program, find_exercise("attention.weighted_average"))
    before = program.dump()
    for edit in list(all_edits(program, words)):
        with edit.applied():
            pass
    assert program.dump() == before


@pytest.mark.skipif(not can_fork(), reason="here a search runs in the same process")
def test_an_edit_that_kills_its_process_kills_no_other() -> None:
    assert in_a_child(lambda tell: (tell("before"), os.abort()), 5.0) == "before"  # type: ignore[func-returns-value]


@pytest.mark.skipif(not can_fork(), reason="here a search runs in the same process")
def test_a_search_that_hangs_is_ended_and_somebody_who_waits_is_told_once() -> None:
    words: list[str] = []

    def work(tell: Callable[[Any], None]) -> None:
        tell("so far")
        while True:
            pass

    assert in_a_child(work, 1.0, lambda: words.append("wait")) == "so far"
    assert words == ["wait"]


def test_what_the_edited_answers_print_and_change_stays_with_them(capfd: pytest.CaptureFixture[str]) -> None:
    loud = STACKED.replace("    return", "    print('loud')\n    torch.rand(3)\n    return")
    trial = attempt("attention.weighted_average", written(loud, "weighted_average"))
    _ = trial.program()  # which runs a copy of the answer here, and not in the search's own process
    capfd.readouterr()
    before = torch.get_rng_state()
    assert find_repair(trial, seconds=10.0)
    assert capfd.readouterr() == ("", "") and torch.equal(torch.get_rng_state(), before)


def test_a_right_answer_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anatomy_course.judge.judging.slips.find_repair", lambda *a, **k: pytest.fail("searched"))
    exercise = find_exercise("attention.scores")
    assert judge(exercise, exercise.resolve(), search=True).passed
    assert judge(exercise, exercise.mistakes[0].function, search=True).found_by.startswith("mistake:")


def test_where_one_edit_makes_everything_right_nothing_else_is_told() -> None:
    scores = "def attention_scores(query, key):\n    return query @ key.transpose(-2, -1) / query.shape[-2] ** 0.5"
    verdict = judged("attention.scores", scores)
    assert "everything is right with another axis" in verdict.sentence
    assert [note.partition(" are")[0] for note in verdict.notes] == ["The tables below"]


def test_hint_gives_the_edit_first_until_the_next_check(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    record = Progress(tmp_path / "progress.json")
    exercise("attention.weighted_average", record=record)(written(STACKED, "weighted_average"))
    edit, usual, *_ = hint("attention.weighted_average", record=record).text.splitlines()[1:]
    assert edit.startswith("  1. Line 3 could read `") and usual.startswith("  2. ")
    exercise("attention.weighted_average", record=record)(lambda weights, vectors: weights @ vectors)
    assert "could read" not in hint("attention.weighted_average", record=record).text


def test_who_waits_is_told_and_the_words_go_again(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    def show_for_now(words: str) -> Callable[[], None]:
        told.append(words)
        return lambda: told.append("gone")

    def slow(*arguments: Any, on_wait: Callable[[], None], **options: Any) -> None:
        on_wait()

    monkeypatch.setattr("anatomy_course.judge.decorator.show_for_now", show_for_now)
    monkeypatch.setattr("anatomy_course.judge.judging.slips.find_repair", slow)
    record = Progress(tmp_path / "progress.json")
    text = "def weighted_average(weights, vectors):\n    return weights @ vectors + 1\n"
    exercise("attention.weighted_average", record=record)(written(text, "weighted_average"))
    assert told == ["Looking for the line", "gone"]


def test_one_objection_does_not_explain_another() -> None:
    text = (
        "def save_training(path, model, optimizer, generator, step):\n"
        "    out = {'step': step, 'generator': generator.get_state()}\n"
        "    out['optimizer'] = optimizer.state_dict()['state']\n"
        "    out['model'] = model.state_dict()\n"
        "    torch.save(out, path)"
    )
    trial = attempt("workshop.save_training", written(text, "save_training"))
    bench = EditRunner.of(trial)
    assert bench.objections == {"part"}
    assert "no_step" not in {trial.answer_key.mistaken[number][0].name for number in bench.possible}, (
        "its file has no step at all"
    )


def test_two_places_on_one_line_that_do_equally_well_are_both_named_and_a_part_of_one_is_not() -> None:
    def repair(text: str, cost: float) -> Repair:
        return Repair((Slip("name", 3, text, "mean = total / count", ""),), cost=cost)

    best = best_of([repair("count", 1.1), repair("total", 1.0), repair("total / count", 1.1), repair("mean", 2.0)])
    assert sentence(best).startswith("Line 3, `total`, or line 3, `count`: everything is right")


@pytest.mark.parametrize(
    ("text", "kind", "says"),
    [
        ("a / b", "sides", "the two sides of the `/` swapped"),
        ("f(a, b)", "order", "the arguments of `f` in another order"),
        ("(a, b)", "order", "its entries in another order"),
    ],
)
def test_an_exchange_says_what_changes_places(text: str, kind: str, says: str) -> None:
    edit = Edit(kind, expression(text), ast.Module([], []), (), 1.0)
    assert Slip(kind, 1, text, text, "", of=about(edit)).what == f"with {says}"


def test_what_is_left_names_only_places_that_the_same_change_mends() -> None:
    first, rival = Slip("number", 3, "1", "a[1]", ""), Slip("order", 4, "a, b", "a, b", "")
    told = sentence(Repair((first,), "m", rivals=(rival,)), "It is half.")
    assert told == (
        "There seem to be two slips. 1. Line 3, `1`: it is fixed with another number here. "
        "2. With that fixed, one thing is left: “It is half.”"
    )


@pytest.mark.parametrize(
    ("node", "operator", "side"),
    [("x", ast.Div, "x"), ("x", ast.Sub, "x"), ("x - 1", ast.Add, "1"), ("x / n", ast.Mult, "n")],
)
def test_no_step_undoes_another(node: str, operator: type[ast.operator], side: str) -> None:
    assert _undoes(expression(node), operator, expression(side))
    assert not _undoes(expression("x + 2"), operator, expression(side))
