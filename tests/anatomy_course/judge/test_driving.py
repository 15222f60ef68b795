"""Class exercises and procedures: what the judge says of a module's parameters, modes and gradients, and of a step."""

from __future__ import annotations

import copy
import pickle
import sys
import types

import pytest
import torch
from answer_cells import run_cell, solved
from torch import Tensor

from anatomy_course.judge import exercise, find_exercise, solution_source, stub, your_function
from anatomy_course.judge.attempt.answer_key import AnswerKey
from anatomy_course.judge.definition import Objection, Output
from anatomy_course.judge.effects.module import ModuleDrive
from anatomy_course.judge.effects.structure import objection_to
from anatomy_course.judge.form import CONTENT
from anatomy_course.judge.judging.judge import judge
from anatomy_course.judge.judging.verdict import Verdict
from anatomy_course.judge.progress.record import Progress
from anatomy_course.judge.stub import is_untouched, source_of

HEAD, STEP = "encoder.classifier_head", "encoder.train_step"


def judged(id: str, *edits: str) -> Verdict:
    return judge(find_exercise(id), solved(id, *edits)[find_exercise(id).function_name])


def test_what_is_right_of_a_step_is_said_too() -> None:
    doubled = judged(STEP, "loss.item()", "loss.item() * 2")
    assert {f"Your weights after step {step}: right." for step in (1, 3)} <= set(doubled.notes)
    assert "Your loss of step 1: right." in judged(STEP, "optimizer.step()", "optimizer.step(), optimizer.step()").notes


def test_training_mode_is_told_from_evaluation_mode() -> None:
    verdict = judged(HEAD, "Dropout(dropout)", "Dropout(dropout / 2)")
    assert verdict.sentence.startswith("Right with no dropout, but not with dropout.")
    assert "Your logits: right." in verdict.notes
    assert verdict.comparison is not None
    assert verdict.comparison.title.startswith("lowest logits in training")


def test_weights_are_told_in_the_order_of_the_steps() -> None:
    once = "\n    if not hasattr(optimizer, 'seen'):\n        optimizer.seen = 1\n        optimizer.step()"
    verdict = judged(STEP, "\n    optimizer.step()", once)
    assert {"Your loss of step 1: right.", "Your weights after step 1: right."} <= set(verdict.notes)
    assert verdict.comparison is not None and verdict.comparison.title.startswith(
        ("weights after step 2", "loss of step 2")
    )


def test_a_drive_leaves_random_numbers_and_the_case_alone() -> None:
    for id in (HEAD, STEP):
        state = torch.get_rng_state()
        key, again = AnswerKey(find_exercise(id), 5), AnswerKey(find_exercise(id), 5)
        assert key.targets and torch.equal(state, torch.get_rng_state())
        for case, other in zip(key.cases, again.cases, strict=True):
            torch.testing.assert_close(list(case.arguments.values()), list(other.arguments.values()))


class _Tied(torch.nn.Module):
    def __init__(self, tied: bool = True) -> None:
        super().__init__()
        self.tokens = torch.nn.Embedding(5, 3)
        self.vocabulary = torch.nn.Linear(3, 5, bias=False)
        if tied:
            self.vocabulary.weight = self.tokens.weight

    def forward(self, ids: Tensor) -> Tensor:
        return self.vocabulary(self.tokens(ids))


class _TiedFromTheOtherEnd(_Tied):
    def __init__(self) -> None:
        super().__init__(tied=False)
        self.tokens.weight = torch.nn.Parameter(self.vocabulary.weight.detach().clone())
        self.vocabulary.weight = self.tokens.weight


def test_shared_parameters() -> None:
    assert objection_to(_Tied(), _Tied()) is None
    assert "should share one parameter" in objection_to(_Tied(tied=False), _Tied()).sentence  # type: ignore[union-attr]
    assert "but should not" in objection_to(_Tied(), _Tied(tied=False)).sentence  # type: ignore[union-attr]
    drive = ModuleDrive(_Tied, (), ("ids",), ("tokens.weight",))
    assert drive.outputs(Output("logits"))[1].name == "gradient of tokens.weight"
    arguments = drive.arguments(torch.Generator().manual_seed(0), {}, {"ids": torch.tensor([[0, 4]])})
    assert list(arguments) == ["ids", "tokens.weight"], "a shared parameter is drawn once"
    mine, theirs = drive(_TiedFromTheOtherEnd, *arguments.values()), drive(_Tied, *arguments.values())
    assert not isinstance(mine, Objection) and not isinstance(theirs, Objection)
    torch.testing.assert_close(mine, theirs)


@pytest.fixture
def main_module(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """A module under the name that a notebook's has, so that pickle finds what a cell leaves there."""
    module = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", module)
    return module


RETURN = "return self.labels(self.dropout(speaker))"
WRONG = (RETURN, f"{RETURN} * 2")


@pytest.mark.parametrize("edits", [(), WRONG])
def test_a_class_stays_a_class(edits: tuple[str, ...], record: Progress, main_module: types.ModuleType) -> None:
    names = solved(HEAD, *edits, exercise=lambda id: exercise(id, record=record))
    made = names["ClassifierHead"]
    main_module.ClassifierHead = made  # type: ignore[attr-defined]
    assert isinstance(made, type) and made.passed is not bool(edits) and isinstance(made.yours, type)
    assert (made is made.yours) is made.passed and find_exercise(HEAD).resolve().__module__ == CONTENT + HEAD
    assert not hasattr(find_exercise(HEAD).resolve(), "yours"), "the reference stays as it is"
    head = made(3, 2, 0.1)
    assert isinstance(head, made) and head(torch.zeros(1, 2, 3)).shape == (1, 2)
    for twin in (pickle.loads(pickle.dumps(head)), copy.deepcopy(head)):
        assert type(twin) is made and torch.equal(twin.dense.weight, head.dense.weight)

    class Child(made):  # type: ignore[misc, valid-type]
        def __init__(self) -> None:
            super(made, self).__init__() if edits else super().__init__(3, 2, 0.0)

    assert issubclass(Child, made)


def test_super_may_name_the_class(record: Progress) -> None:
    names = solved(HEAD, "super()", "super(ClassifierHead, self)", exercise=lambda id: exercise(id, record=record))
    assert names["ClassifierHead"].passed
    assert names["ClassifierHead"](3, 2, 0.1).training


def test_a_class_is_saved_with_what_it_uses(record: Progress) -> None:
    helper = (
        "WIDTH = 1\nclass Squash(torch.nn.Module):\n    def forward(self, x):\n        return torch.tanh(x * WIDTH)\n"
    )
    text = helper + solution_source(HEAD).replace(
        "torch.tanh(self.dense(hidden_states[:, 0]))", "Squash()(self.dense(hidden_states[:, 0]))"
    )
    made = run_cell(text, exercise=lambda id: exercise(id, record=record))["ClassifierHead"]
    assert made.passed
    saved = your_function(HEAD, record=record)
    assert isinstance(saved, type) and saved is not made
    assert "class Squash" in (record.source(HEAD) or "") and "@exercise" not in (record.source(HEAD) or "")
    torch.manual_seed(0)
    one = saved(3, 2, 0.0)
    torch.manual_seed(0)
    torch.testing.assert_close(one(torch.ones(1, 2, 3)), made(3, 2, 0.0)(torch.ones(1, 2, 3)))


def test_a_cell_that_is_decorated_again_takes_the_learners_class(record: Progress) -> None:
    names = solved(HEAD, *WRONG, exercise=lambda id: exercise(id, record=record))
    again = exercise(HEAD, record=record)(names["ClassifierHead"])
    assert again.yours is names["ClassifierHead"].yours and not again.passed


def test_a_function_where_a_class_belongs(record: Progress) -> None:
    with pytest.raises(ValueError, match="directly above a `class`"):
        exercise(HEAD, record=record)(lambda: None)
    with pytest.raises(ValueError, match="directly above a `def`"):
        exercise(STEP, record=record)(torch.nn.Module)


def test_an_untouched_class() -> None:
    made = run_cell(stub(HEAD))["ClassifierHead"]
    assert source_of(made) == stub(HEAD)
    assert is_untouched(made, stub(HEAD)) and is_untouched(made, None)
    right = solved(HEAD)["ClassifierHead"]
    assert not is_untouched(right, source_of(right)) and not is_untouched(right, None)
