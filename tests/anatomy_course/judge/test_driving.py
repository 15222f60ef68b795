"""Class exercises and procedures: what the judge says of a module's parameters, modes and gradients, and of a step."""

from __future__ import annotations

import copy
import linecache
import pickle
import sys
import types
from typing import Any

import pytest
import torch
from torch import Tensor

from anatomy_course.judge import exercise, find_exercise, solution_source, stub, your_function
from anatomy_course.judge.attempt.answer_key import AnswerKey
from anatomy_course.judge.attempt.program import Program
from anatomy_course.judge.attempt.run import execute
from anatomy_course.judge.attempt.tried import Attempt
from anatomy_course.judge.definition import Objection, Output
from anatomy_course.judge.effects.module import ModuleDrive
from anatomy_course.judge.effects.structure import objection_to
from anatomy_course.judge.form import CONTENT
from anatomy_course.judge.judging.judge import judge
from anatomy_course.judge.judging.verdict import Verdict
from anatomy_course.judge.progress.record import Progress
from anatomy_course.judge.slips.edit_runner import EditRunner
from anatomy_course.judge.slips.search import RepairSearch
from anatomy_course.judge.slips.vocabulary import EditVocabulary
from anatomy_course.judge.stub import is_untouched, source_of

HEAD, STEP = "encoder.classifier_head", "encoder.train_step"


def run(id: str, *edits: str, **more: Any) -> dict[str, Any]:
    """The solution's cell with each odd edit replaced by the one after it, as a notebook runs it."""
    text = solution_source(id)
    for old, new in zip(edits[::2], edits[1::2], strict=True):
        assert old in text, old
        text = text.replace(old, new)
    return run_text(text, **more)


def run_text(text: str, **more: Any) -> dict[str, Any]:
    filename = f"<ipython-input-driving-{len(linecache.cache)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    names = {"torch": torch, "Tensor": Tensor, "__name__": "__main__", "exercise": lambda id: lambda answer: answer}
    names |= more
    exec(compile(text, filename, "exec"), names)
    return names


def judged(id: str, *edits: str) -> Verdict:
    return judge(find_exercise(id), run(id, *edits)[find_exercise(id).function_name])


DENSE = "self.dense = torch.nn.Linear(d_model, d_model)"
LABELS = "self.labels = torch.nn.Linear(d_model, num_labels)"
RETURN = "return self.labels(self.dropout(speaker))"
FORWARD = "forward(self, hidden_states: Tensor, attention_mask: Tensor | None = None)"


@pytest.mark.parametrize(
    ("edits", "found_by", "says"),
    [
        ((LABELS, LABELS[:-1] + ", bias=False)"), "mistake:no_label_bias", "no `labels.bias`"),
        (
            (DENSE, DENSE.replace("= ", "= [") + "]", "self.dense(", "self.dense[0]("),
            "objection:unregistered",
            "plain list",
        ),
        (("self.dense", "self.first"), "objection:names", "lacks `dense.weight` ("),
        ((LABELS, LABELS.replace("d_model, num_labels", "num_labels, d_model")), "objection:shape", "It is transposed"),
        ((LABELS, f"{LABELS}\n        self.more = torch.nn.Linear(2, 3)"), "objection:extra", "`more.weight` (3, 2)"),
        (
            (LABELS, f"{LABELS}\n        self.labels.bias.requires_grad_(False)"),
            "objection:frozen",
            "`labels.bias` has",
        ),
        (
            (LABELS, "self.weight = torch.zeros(num_labels, d_model)", "self.labels(", "self.weight @ ("),
            "objection:plain_tensor",
            "`self.weight` is a plain tensor",
        ),
        (("super().__init__()", "pass"), "crash", "must begin with `super().__init__()`"),
        (("(torch.nn.Module)", "", "super().__init__()", "pass"), "objection:no_module", "(torch.nn.Module)"),
        (("def forward", "def forwards"), "objection:no_forward", "no `forward`"),
        ((FORWARD, "forward(self, hidden_states)"), "signature", "`forward(self, hidden_states, attention_mask)`"),
        ((RETURN, RETURN.removeprefix("return ")), "objection:nothing", "`forward` returned nothing"),
        ((RETURN, f"{RETURN}, speaker"), "objection:type", "returns a tuple"),
        ((RETURN, f"{RETURN} * 2"), "likeness:factor", "times 2"),
        (("speaker = ", "hidden_states[:, -1] = 7\n        speaker = "), "mutated", "Your class changes its input"),
        (("self.dropout(speaker)", "torch.nn.functional.dropout(speaker, 0.5)"), "objection:eval_changes", "`.eval()`"),
        (
            (LABELS, f"{LABELS}\n        self.noise = torch.randn(d_model)", "(speaker)", "(speaker + self.noise)"),
            "objection:not_saved",
            "Saved with `state_dict()`",
        ),
    ],
)
def test_what_is_said_of_a_module(edits: tuple[str, ...], found_by: str, says: str) -> None:
    verdict = judged(HEAD, *edits)
    assert verdict.found_by.startswith(found_by) and says in verdict.sentence, verdict
    assert "our function" not in verdict.sentence


@pytest.mark.parametrize(
    ("edits", "found_by", "says", "right"),
    [
        (("loss.item()", "loss"), "objection:tensor", "`.item()`", ()),
        (("    return loss.item()\n", ""), "nothing", "returned nothing", ()),
        (("loss.item()", "str(loss)"), "objection:type", "returns a str", ()),
        (("optimizer.zero_grad()", "pass"), "mistake:never_cleared", "never cleared", ()),
        (("    loss.backward()\n", ""), "mistake:no_change", "never change", ()),
        (
            ("optimizer.step()", "optimizer.step()\n    optimizer.param_groups[0]['lr'] /= 2"),
            "objection:touched",
            "",
            (),
        ),
        (("model.train()", "model.train().requires_grad_(True)"), "objection:touched", "which parameters", ()),
        (("loss.item()", "loss.item() * 2"), "likeness:", "times 2", ("weights after step 1", "weights after step 3")),
        (
            ("optimizer.step()", "optimizer.step()\n    optimizer.step()"),
            "likeness:stage",
            "`loss`",
            ("loss of step 1",),
        ),
    ],
)
def test_what_is_said_of_a_step(edits: tuple[str, ...], found_by: str, says: str, right: tuple[str, ...]) -> None:
    verdict = judged(STEP, *edits)
    assert verdict.found_by.startswith(found_by) and says in verdict.sentence, verdict
    assert {f"Your {name}: right." for name in right} <= set(verdict.notes)


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
def record(tmp_path: Any) -> Progress:
    return Progress(tmp_path / "progress.json", own=True)


@pytest.fixture
def main_module(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """A module under the name that a notebook's has, so that pickle finds what a cell leaves there."""
    module = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", module)
    return module


WRONG = (RETURN, f"{RETURN} * 2")


@pytest.mark.parametrize("edits", [(), WRONG])
def test_a_class_stays_a_class(edits: tuple[str, ...], record: Progress, main_module: types.ModuleType) -> None:
    names = run(HEAD, *edits, exercise=lambda id: exercise(id, record=record))
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
    names = run(HEAD, "super()", "super(ClassifierHead, self)", exercise=lambda id: exercise(id, record=record))
    assert names["ClassifierHead"].passed
    assert names["ClassifierHead"](3, 2, 0.1).training


def test_a_class_is_saved_with_what_it_uses(record: Progress) -> None:
    helper = (
        "WIDTH = 1\nclass Squash(torch.nn.Module):\n    def forward(self, x):\n        return torch.tanh(x * WIDTH)\n"
    )
    text = helper + solution_source(HEAD).replace(
        "torch.tanh(self.dense(hidden_states[:, 0]))", "Squash()(self.dense(hidden_states[:, 0]))"
    )
    made = run_text(text, exercise=lambda id: exercise(id, record=record))["ClassifierHead"]
    assert made.passed
    saved = your_function(HEAD, record=record)
    assert isinstance(saved, type) and saved is not made
    assert "class Squash" in (record.source(HEAD) or "") and "@exercise" not in (record.source(HEAD) or "")
    torch.manual_seed(0)
    one = saved(3, 2, 0.0)
    torch.manual_seed(0)
    torch.testing.assert_close(one(torch.ones(1, 2, 3)), made(3, 2, 0.0)(torch.ones(1, 2, 3)))


def test_a_cell_that_is_decorated_again_takes_the_learners_class(record: Progress) -> None:
    names = run(HEAD, *WRONG, exercise=lambda id: exercise(id, record=record))
    again = exercise(HEAD, record=record)(names["ClassifierHead"])
    assert again.yours is names["ClassifierHead"].yours and not again.passed


def test_a_function_where_a_class_belongs(record: Progress) -> None:
    with pytest.raises(ValueError, match="directly above a `class`"):
        exercise(HEAD, record=record)(lambda: None)
    with pytest.raises(ValueError, match="directly above a `def`"):
        exercise(STEP, record=record)(torch.nn.Module)


def test_an_untouched_class() -> None:
    made = run_text(stub(HEAD))["ClassifierHead"]
    assert source_of(made) == stub(HEAD)
    assert is_untouched(made, stub(HEAD)) and is_untouched(made, None)
    solved = run(HEAD)["ClassifierHead"]
    assert not is_untouched(solved, source_of(solved)) and not is_untouched(solved, None)


def test_a_crash_names_the_line_in_the_class() -> None:
    verdict = judged(HEAD, "self.dense(", "self.dence(")
    assert verdict.state == "crashed" and verdict.line is not None and "self.dence(" in verdict.line.text


@pytest.mark.parametrize(
    ("id", "edits", "line"),
    [
        (HEAD, ("hidden_states[:, 0]", "hidden_states[:, 1]"), "hidden_states[:, 1]"),
        (STEP, ("max_norm)\n    optimizer", "2 * max_norm)\n    optimizer"), "2 * max_norm"),
    ],
)
def test_the_slip_is_found_in_a_class_and_in_a_procedure(id: str, edits: tuple[str, ...], line: str) -> None:
    trial = _trial(id, *edits)
    program = Program(trial.function)
    bench = EditRunner.of(trial)
    with bench.open():
        found = RepairSearch(program, EditVocabulary(program, trial.exercise), bench, 10.0).run()
    assert found is not None and line in found.slips[0].line_text


def _trial(id: str, *edits: str) -> Attempt:
    found = find_exercise(id)
    answer, key = run(id, *edits)[found.function_name], AnswerKey(found)
    return Attempt(found, key, answer, execute(found.as_function(answer), key.cases, seconds=5.0), 5.0)
