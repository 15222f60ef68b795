"""Every bug causes its symptoms, the table of results tells the broken models apart, and every fix works."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch
from unchecked import unchecked

from anatomy_course.capstone.debugging_lab import show_debugging_lab, show_evidence
from anatomy_course.judge import find_exercise
from anatomy_course.judge.progress.record import Progress
from anatomy_course.judge.registry import questions_of
from anatomy_course.lab.debugging import bugs
from anatomy_course.lab.debugging.cases import BUG_CASES
from anatomy_course.lab.debugging.checks import CHECKS
from anatomy_course.lab.debugging.inspect_plots import all_attention_weights
from anatomy_course.lab.debugging.model import new_model
from anatomy_course.lab.debugging.overview import BrokenModels, CheckTable, train_broken_models
from anatomy_course.lab.debugging.pipeline import HEALTHY, sample_datasets
from anatomy_course.lab.debugging.samples import PROMPTS
from anatomy_course.lab.street import is_grammatical
from anatomy_course.lab.street.batches import Labeled
from anatomy_utils.training.losses import IGNORE

QUESTIONS = [question for id, question in questions_of("capstone").items() if ".ward_" in id]
STEPS = 100
"""Enough for every symptom; sentences get good later."""
FAILS = {
    "Ada": {"as it was taught", "stops", "right and new"},
    "Boris": {"same answer twice", "cached equals uncached", "batch equals single"},
    "Clara": {"unseen sentences", "as it was taught", "which word it says", "right and new"},
    "Dora": {"batch equals single"},
    "Emil": {"cached equals uncached", "right and new"},
    "Frida": {"unseen sentences", "as it was taught", "right and new"},
    "Gustav": {"unseen sentences", "stops", "right and new", "every part learns"},
    "Hanna": {"unseen sentences", "right and new"},
}
"""What each fails at least."""
PASSES = {
    "Ada": {
        "unseen sentences",
        "which word it says",
        "same answer twice",
        "cached equals uncached",
        "batch equals single",
    },
    "Boris": {"unseen sentences", "as it was taught", "which word it says", "stops", "every part learns"},
    "Clara": {"same answer twice", "cached equals uncached", "batch equals single", "every part learns"},
    "Dora": set(CHECKS) - {"batch equals single"},
    "Emil": {"unseen sentences", "as it was taught", "same answer twice", "batch equals single"},
    "Frida": {"which word it says", "same answer twice", "cached equals uncached", "batch equals single"},
    "Gustav": {"as it was taught", "which word it says", "same answer twice", "cached equals uncached"},
    "Hanna": {"as it was taught", "which word it says", "same answer twice", "stops", "every part learns"},
}
"""What the explanations of wrong diagnoses rely on."""


@pytest.fixture(scope="module")
def broken() -> Iterator[BrokenModels]:
    """All models, trained without looking at types; Gustav's fix trains once more, and there they are looked at."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bugs, "FEW_SENTENCES", 16)  # so that Hanna knows her sentences by heart after so few steps
        with unchecked():
            trained = train_broken_models(steps=STEPS, progress=False)
        yield trained


@pytest.fixture(scope="module")
def table(broken: BrokenModels) -> CheckTable:
    return broken.table()


def test_the_baseline_is_healthy(table: CheckTable) -> None:
    assert all(result.passed for result in table["the healthy twin"].values())


@pytest.mark.parametrize("name", FAILS)
def test_a_bug_shows_where_it_should_and_nowhere_else(table: CheckTable, name: str) -> None:
    failed = {name for name, result in table[name].items() if not result.passed}
    assert FAILS[name] <= failed and not PASSES[name] & failed


def test_no_two_models_fail_the_same_checks(table: CheckTable) -> None:
    rows = [tuple(result.passed for result in found.values()) for found in table.values()]
    assert len(set(rows)) == 9


@pytest.mark.parametrize("case", BUG_CASES, ids=lambda case: case.name)
@pytest.mark.usefixtures("shapes_unchecked")
def test_the_fix_works(broken: BrokenModels, table: CheckTable, case) -> None:  # type: ignore[no-untyped-def]
    assert not table[case.name][case.telling_check].passed
    fixed = broken[case.name].fixed()
    assert all(fixed.check(name).passed for name in CHECKS)


def test_a_bug_in_deployment_leaves_the_training_of_the_baseline(broken: BrokenModels) -> None:
    for name in ("Dora", "Emil", "Frida"):
        assert broken[name].history is broken.baseline.history and broken[name].test_loss == broken.baseline.test_loss


def test_curves_show_what_the_team_reports(broken: BrokenModels) -> None:
    end = {model.name: model.history.loss[-1] for model in broken.models()}
    baseline = broken.baseline.history.loss[-1]
    assert end["Hanna"] < baseline - 0.3 and broken["Hanna"].test_loss < broken.baseline.test_loss - 0.3
    assert end["Gustav"] > baseline + 2 and baseline + 0.05 < end["Clara"] < baseline + 1
    assert all(abs(model.history.loss[0] - 5.756) < 0.1 for model in broken.models()), "ln 316, all words alike"


@pytest.mark.usefixtures("shapes_unchecked")
def test_samples(broken: BrokenModels) -> None:
    for model in (broken.baseline, *broken.models()):
        assert [text.partition(" |")[0] for text in model.samples()] == list(PROMPTS)
    assert sum(is_grammatical(text.replace(" |", "")) for text in broken.baseline.samples()) >= 2
    assert all(text.endswith("…") for text in broken["Ada"].samples())
    assert [text.endswith("| …") for text in broken["Dora"].samples()] == [False, True, True, True, True]
    assert broken["Boris"].samples() != broken["Boris"].samples()
    assert broken["Emil"].samples()[0] == broken.baseline.samples()[0], "one word after a prompt read at once is right"


def test_maps(broken: BrokenModels) -> None:
    baseline = broken.baseline.head()
    assert len(baseline.tokens) == 15 and baseline.weights.shape == (15, 15)
    assert torch.equal(baseline.weights, baseline.baseline)
    assert baseline.weights[:2].sum() == 0 and torch.allclose(baseline.weights[2:].sum(-1), torch.ones(13), atol=1e-5)
    dora, emil = broken["Dora"].head(), broken["Emil"].head()
    assert dora.weights[:2, :7].isnan().all() and torch.allclose(dora.weights[2:], dora.baseline[2:], atol=1e-5)
    same = [torch.allclose(one, other, atol=1e-4) for one, other in zip(emil.weights, emil.baseline, strict=True)]
    assert same == [True] * 7 + [False] * 8, "the prompt is read at once, the rest word by word"
    assert "NaN" not in broken["Dora"].attention_map().alt and broken["Ada"].loss_curve().alt.startswith(
        "Ada over step"
    )


def test_a_check_tells_both_numbers(broken: BrokenModels) -> None:
    result = broken["Dora"].check("batch equals single")
    assert repr(result) == (
        "✗ In a batch and alone, the logits differ by up to NaN; the healthy twin's number is 0.00."
    )
    with pytest.raises(ValueError, match=r"no check 'stop'; did you mean 'stops'"):
        broken.baseline.check("stop")
    with pytest.raises(ValueError, match="has no bug to fix"):
        broken.baseline.fixed()
    with pytest.raises(ValueError, match=r"called 'Ida'; there are Ada, Boris"):
        broken["Ida"]


def test_the_table_is_shown(table: CheckTable) -> None:
    lines = repr(table).splitlines()
    assert len(lines) == 1 + len(CHECKS) and lines[0].split()[-8:] == [case.name for case in BUG_CASES]
    assert table._repr_html_().startswith("<details><summary>"), "it holds the answers"
    assert table._repr_html_().count("✗") == repr(table).count("✗") > 20


# ---- the bugs themselves, without training


def test_each_case_differs_from_the_healthy_pipeline_in_what_it_should() -> None:
    changed = {
        "Ada": {"loss"}, "Boris": {"build", "deploy"}, "Clara": {"loss"}, "Dora": {"deploy"}, "Emil": {"deploy"},
        "Frida": {"deploy"}, "Gustav": {"build", "optimizer"}, "Hanna": {"batches", "evaluate_on"},
    }  # fmt: skip
    for case in BUG_CASES:
        assert {name for name, step in vars(case.pipeline).items() if step != vars(HEALTHY)[name]} == changed[case.name]
        assert case.pipeline != case.fixed_pipeline


def test_labels_that_the_losses_ask_for() -> None:
    asked: list[torch.Tensor] = []

    def note(model: object, batch: Labeled) -> torch.Tensor:
        asked.append(batch.labels)
        return torch.zeros(())

    model = new_model(torch.Generator())
    batch = sample_datasets(1, torch.Generator().manual_seed(1)).training[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bugs, "label_loss", note)
        bugs.loss_without_the_end_token(model, batch)
        bugs.loss_with_labels_shifted_twice(model, batch)
    ends = (batch.labels == 2).sum()
    assert ends == 64 and (asked[0] == IGNORE).sum() == (batch.labels == IGNORE).sum() + ends
    assert torch.equal(asked[1][:, :-1], batch.labels[:, 1:]) and (asked[1][:, -1] == IGNORE).all()


def test_sorted_weights_do_on_the_new_engine_what_they_did_on_the_old() -> None:
    model = new_model(torch.Generator().manual_seed(2)).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3, generator=torch.Generator().manual_seed(parameter.numel()))
    ids = torch.randint(3, 316, (2, 7), generator=torch.Generator().manual_seed(3))
    with torch.no_grad():
        before = model(ids)
        assert torch.allclose(bugs.deploy_with_rows_reordered(model)(ids), before, atol=1e-4)
        assert (bugs.deploy_with_neighbors_rotated(model)(ids) - before).abs().max() > 0.1
        assert torch.equal(model(ids), before), "the taught body stays as it is"
        assert bugs.deploy_with_unguarded_softmax(model)(ids).allclose(before, atol=1e-4), (
            "without padding nothing is amiss"
        )


def test_the_optimizer_that_came_too_early_holds_another_table() -> None:
    early, late = (bugs.model_with_small_vocabulary(torch.Generator().manual_seed(4)) for _ in range(2))
    optimizers = bugs.optimizer_before_resizing(early), bugs.optimizer_after_resizing(late)
    held = [[id(p) for group in optimizer.param_groups for p in group["params"]] for optimizer in optimizers]
    assert id(early.vocabulary.weight) not in held[0] and id(late.vocabulary.weight) in held[1]
    assert early.vocabulary.weight is early.decoder.embeddings.tokens.weight and len(early.vocabulary.weight) == 316


def test_weights_are_read_in_a_padded_batch() -> None:
    weights = all_attention_weights(new_model(torch.Generator().manual_seed(5)))
    assert weights.shape == (2, 3, 15, 15)
    assert weights[..., :2].sum() == 0 and weights.triu(1).sum() == 0


# ---- what is told of them


def test_every_model_has_a_diagnosis_and_a_public_report() -> None:
    assert [question.id for question in QUESTIONS] == [f"capstone.ward_{case.name.lower()}" for case in BUG_CASES]
    assert len({case.telling_check for case in BUG_CASES}) == 8 and {case.telling_check for case in BUG_CASES} <= set(
        CHECKS
    )
    addresses = [case.public_report.url for case in BUG_CASES]
    assert len(set(addresses)) == 8
    assert all(re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+", each) for each in addresses)
    for question in QUESTIONS:
        assert len(question.choices) >= 5
        for choice in question.choices:
            assert all(name in CHECKS for name in re.findall(r"“([^”]+)”", choice.reason) if " " in name) or (
                "feature 1" in choice.reason
            ), choice.reason


def test_right_answers_have_different_letters() -> None:
    assert len({question.right for question in QUESTIONS}) >= 4


def test_the_learners_positions_run_in_the_patient(broken: BrokenModels) -> None:
    emil = broken["Emil"]
    healthy = find_exercise("capstone.repair").resolve()
    mended = emil.deployed_with(partial(bugs.deploy_with_positions, rule=healthy))
    unchanged = emil.deployed_with(partial(bugs.deploy_with_positions, rule=bugs.emils_positions))
    assert mended.history is emil.history and all(mended.check(name).passed for name in CHECKS)
    assert not unchanged.check("cached equals uncached").passed
    with pytest.raises(ValueError, match="healthy twin needs no other deployment"):
        broken.baseline.deployed_with(bugs.deploy_with_positions)


def test_no_team_report_names_the_bug() -> None:
    words = r"eos|eval|shift|NaN|cache|rotary|optimi|duplicate|by heart|training mode"
    assert not [case.name for case in BUG_CASES if re.search(words, case.team_report)]


def test_equal_training_is_done_once(broken: BrokenModels) -> None:
    assert broken["Ada"].fixed().history is broken.baseline.history
    assert replace(HEALTHY, deploy=bugs.deploy_with_unguarded_softmax).training == HEALTHY


# ---- the view


@pytest.mark.usefixtures("shapes_unchecked")
def test_the_lab_joins_models_questions_and_progress(
    broken: BrokenModels, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for model in broken.models():  # nobody was examined before
        monkeypatch.setattr(model, "_measured", {})
    broken["Emil"].check("stops")
    record = Progress(tmp_path / "progress.json")
    view = show_debugging_lab(broken, record=record)
    assert view.examined == [case.name == "Emil" for case in BUG_CASES], "whom the class has examined"
    assert [bed["name"] for bed in view.beds] == [case.name for case in BUG_CASES]
    assert [bed["question"]["id"] for bed in view.beds] == [question.id for question in QUESTIONS]
    view.question = {"do": "probe", "bed": 3, "probe": "batch equals single"}
    view.chosen = [*view.chosen[:3], QUESTIONS[3].right, *view.chosen[4:]]
    view.question = {"do": "cure", "bed": 3}
    view.question = {"do": "write", "bed": 3}
    assert view.error == "" and view.findings[3]["batch equals single"]["shown"] == "NaN"
    assert view.cures[3]["batch equals single"]["passed"] and view.samples[3] == list(broken["Dora"].samples())
    assert record.entry("questions", "capstone.ward_dora") == {
        "examined": True, "first": QUESTIONS[3].right, "last": QUESTIONS[3].right, "right": True,
    }  # fmt: skip
    again = show_debugging_lab(broken, record=record)
    assert again.chosen == view.chosen and again.examined == [case.name in ("Dora", "Emil") for case in BUG_CASES]
    assert "Dora ends at" in again.still_picture().alt


@pytest.mark.usefixtures("shapes_unchecked")
def test_evidence_is_shown_of_diagnosed_models_only(broken: BrokenModels, tmp_path: Path) -> None:
    record = Progress(tmp_path / "progress.json")
    assert show_evidence(broken, record=record).text.startswith("0 of 8 diagnosed. The evidence")
    record.answered("capstone.ward_dora", 0, right=False)
    record.answered("capstone.ward_emil", QUESTIONS[4].right, right=True)
    shown = show_evidence(broken, record=record)
    assert "1 of 8" in shown.text and BUG_CASES[4].public_report.url in shown.text and "✗ Word by word" in shown.text
    assert "<code>use_cache=True</code>" in shown.html and "<a href=" in shown.html
    assert not [case.name for case in BUG_CASES if case.name != "Emil" and case.name in shown.html]
    for question in QUESTIONS:
        record.answered(question.id, question.right, right=True)
    shown = show_evidence(broken, record=record)
    assert "8 of 8 diagnosed.\n" in shown.text and "every part learns" in shown.text
    assert "<details><summary>All probes" in shown.html and all(case.name in shown.html for case in BUG_CASES)
