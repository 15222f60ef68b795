"""Every bug causes its symptoms, the table of results tells the broken models apart, and every fix works."""

import re
from dataclasses import replace
from functools import partial

import pytest
import torch
from unchecked import unchecked

from anatomy_course.capstone.debugging_lab import show_debugging_lab, show_evidence
from anatomy_course.judge import find_exercise
from anatomy_course.judge.progress.record import Progress
from anatomy_course.judge.registry import questions_of
from anatomy_course.lab.debugging import bugs
from anatomy_course.lab.debugging.broken_model import BrokenModel, train_broken_models
from anatomy_course.lab.debugging.cases import BUG_CASES
from anatomy_course.lab.debugging.checks import CHECKS, PROMPTS
from anatomy_course.lab.debugging.inspect_plots import all_attention_weights
from anatomy_course.lab.debugging.mutants import HEALTHY_ONES, MUTANTS, caught_by
from anatomy_course.lab.debugging.pipeline import HEALTHY, new_model, sample_datasets
from anatomy_course.lab.street import is_grammatical
from anatomy_utils.training.losses import IGNORE

QUESTIONS = [question for id, question in questions_of("capstone").items() if ".ward_" in id]
STEPS = 100
"""Enough for every symptom; sentences get good later."""
RESULTS = {
    "Ada": "✓ ✗ ✓ ✓ ✓ ✓ ✗ ✗ ·",
    "Boris": "✓ ✓ ✓ ✗ ✗ ✗ ✓ · ✓",
    "Clara": "✗ ✗ ✗ ✓ ✓ ✓ ✗ ✗ ·",
    "Dora": "✓ ✓ ✓ ✓ ✓ ✗ ✓ ✓ ✓",
    "Emil": "✓ ✓ · ✓ ✗ ✓ · ✗ ·",
    "Frida": "✗ ✗ ✓ ✓ ✓ ✓ · ✗ ·",
    "Gustav": "✗ ✓ ✓ ✓ ✓ · ✗ ✗ ✗",
    "Hanna": "✗ ✓ ✓ ✓ · · ✓ ✗ ✓",
}
"""Of each check, in the order of `CHECKS`: what the explanations of wrong diagnoses rely on; · is either."""


@pytest.fixture(scope="module")
def broken():
    """All models, trained without looking at types."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bugs, "FEW_SENTENCES", 16)  # so that Hanna knows her sentences by heart after so few steps
        with unchecked():
            trained = train_broken_models(steps=STEPS, progress=False)
        yield trained


@pytest.fixture(scope="module")
def table(broken):
    return broken.table()


def test_bugs_show_where_they_should_and_nowhere_else(table):
    assert all(result.passed for result in table["the healthy twin"].values())
    for name, wanted in RESULTS.items():
        for mark, (check, result) in zip(wanted.split(), table[name].items(), strict=True):
            assert mark == "·" or (mark == "✓") == result.passed, (name, check)
    rows = [tuple(result.passed for result in found.values()) for found in table.values()]
    assert len(set(rows)) == 9, "no two models fail the same checks"


@pytest.mark.parametrize("case", BUG_CASES, ids=lambda case: case.name)
@pytest.mark.usefixtures("shapes_unchecked")
def test_the_fix_works(broken, table, case):
    assert not table[case.name][case.telling_check].passed
    fixed = broken[case.name].fixed()
    known = case.fixed_pipeline == HEALTHY  # then it is the healthy twin, which passes all
    assert all(fixed.check(name).passed for name in ([case.telling_check] if known else CHECKS))


def test_equal_training_is_done_once(broken):
    for name in ("Clara", "Dora", "Emil", "Frida"):
        assert broken[name].history is broken.baseline.history and broken[name].test_loss == broken.baseline.test_loss
    assert all(broken[name].fixed().history is broken.baseline.history for name in ("Ada", "Gustav", "Hanna"))
    assert replace(HEALTHY, deploy=bugs.deploy_with_unguarded_softmax).training == HEALTHY


def test_curves_show_what_the_team_reports(broken):
    end = {model.name: model.history.loss[-1] for model in broken.models()}
    baseline = broken.baseline.history.loss[-1]
    assert end["Hanna"] < baseline - 0.3 and broken["Hanna"].test_loss < broken.baseline.test_loss - 0.3
    assert end["Gustav"] > baseline + 2
    ends = {model.name: model.final_loss - broken.baseline.final_loss for model in broken.models()}
    assert {name for name, apart in ends.items() if abs(apart) > 0.15} == {"Gustav", "Hanna"}, "as the answer tells"
    assert all(abs(model.history.loss[0] - 5.756) < 0.1 for model in broken.models()), "ln 316, all words alike"


@pytest.mark.usefixtures("shapes_unchecked")
def test_samples(broken):
    for model in (broken.baseline, *broken.models()):
        assert [text.partition(" |")[0] for text in model.samples()] == list(PROMPTS)
    assert sum(is_grammatical(text.replace(" |", "")) for text in broken.baseline.samples()) >= 2
    assert all(text.endswith("…") for text in broken["Ada"].samples())
    assert [text.endswith("| …") for text in broken["Dora"].samples()] == [False, True, True, True, True]
    assert broken["Boris"].samples() != broken["Boris"].samples()
    clara = [text.rstrip(" …").split()[-4:] for text in broken["Clara"].samples()]
    assert all(len(set(words)) == 1 for words in clara), "one word over and over"
    assert broken["Clara"].check("which word it says").value == 0, "the one that she has just read"
    assert broken["Emil"].samples()[0] == broken.baseline.samples()[0], "one word after a prompt read at once is right"


def test_maps(broken):
    baseline = broken.baseline.head()
    assert len(baseline.tokens) == 15 and baseline.weights.shape == (15, 15)
    assert torch.equal(baseline.weights, baseline.baseline)
    assert baseline.weights[:2].sum() == 0 and torch.allclose(baseline.weights[2:].sum(-1), torch.ones(13), atol=1e-5)
    dora, emil = broken["Dora"].head(), broken["Emil"].head()
    assert dora.weights[:2, :7].isnan().all() and torch.allclose(dora.weights[2:], dora.baseline[2:], atol=1e-5)
    same = [torch.allclose(one, other, atol=1e-4) for one, other in zip(emil.weights, emil.baseline, strict=True)]
    assert same == [True] * 7 + [False] * 8, "the prompt is read at once, the rest word by word"
    assert "NaN" not in broken["Dora"].attention_map().alt
    assert broken["Ada"].loss_curve().alt.startswith("Ada over step")


def test_a_check_tells_both_numbers_and_what_there_is(broken):
    result = broken["Dora"].check("batch equals single")
    assert repr(result) == (
        "✗ In a batch and alone, the logits differ by up to NaN; the healthy twin's number is 0.00."
    )
    for wrong, said in (
        (lambda: broken.baseline.check("stop"), "no check 'stop'; did you mean 'stops'"),
        (broken.baseline.fixed, "has no bug to fix"),
        (lambda: broken.baseline.deployed_with(bugs.deploy_with_positions), "twin needs no other deployment"),
        (lambda: broken["Ida"], "called 'Ida'; there are Ada, Boris"),
    ):
        with pytest.raises(ValueError, match=said):
            wrong()


def test_the_table_is_shown(table):
    lines = repr(table).splitlines()
    assert len(lines) == 1 + len(CHECKS) and lines[0].split()[-8:] == [case.name for case in BUG_CASES]
    assert table._repr_html_().startswith("<details><summary>"), "it holds the answers"
    assert table._repr_html_().count("✗") == repr(table).count("✗") > 20


# ---- the bugs themselves, without training


def test_each_case_differs_from_the_healthy_pipeline_in_what_it_should():
    changed = {
        "Ada": {"loss"}, "Boris": {"build", "deploy"}, "Clara": {"deploy"}, "Dora": {"deploy"}, "Emil": {"deploy"},
        "Frida": {"deploy"}, "Gustav": {"optimizer"}, "Hanna": {"batches", "evaluate_on"},
    }  # fmt: skip
    for case in BUG_CASES:
        assert {name for name, step in vars(case.pipeline).items() if step != vars(HEALTHY)[name]} == changed[case.name]
        assert case.pipeline != case.fixed_pipeline


def test_labels_that_the_loss_asks_for():
    asked = []

    def note(model, batch):
        asked.append(batch.labels)
        return torch.zeros(())

    model = new_model(torch.Generator())
    batch = sample_datasets(1, torch.Generator().manual_seed(1)).training[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bugs, "label_loss", note)
        bugs.loss_without_the_end_token(model, batch)
    ends = (batch.labels == 2).sum()
    assert ends == 64 and (asked[0] == IGNORE).sum() == (batch.labels == IGNORE).sum() + ends


def test_sorted_weights_do_on_the_new_engine_what_they_did_on_the_old():
    model = new_model(torch.Generator().manual_seed(2)).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3, generator=torch.Generator().manual_seed(parameter.numel()))
    ids = torch.randint(3, 316, (2, 7), generator=torch.Generator().manual_seed(3))
    with torch.no_grad():
        before = model(ids)
        assert torch.allclose(bugs.deploy_with_rows_reordered(model)(ids), before, atol=1e-4)
        assert (bugs.deploy_with_neighbors_rotated(model)(ids) - before).abs().max() > 0.1
        assert torch.equal(model(ids), before), "the taught body stays as it is"
        unguarded = bugs.deploy_with_unguarded_softmax(model)(ids)
        assert unguarded.allclose(before, atol=1e-4), "without padding nothing is amiss"


def test_the_output_matrix_is_neither_loaded_nor_trained():
    model, healthy = (new_model(torch.Generator().manual_seed(4)) for _ in range(2))
    optimizer = bugs.optimizer_of_the_tensors_in_the_file(model)
    held = [id(parameter) for group in optimizer.param_groups for parameter in group["params"]]
    table, own = model.decoder.embeddings.tokens.weight, model.vocabulary.weight
    assert id(table) in held and id(own) not in held and not torch.equal(table, own) and own.shape == table.shape
    loaded = {name: part for name, part in model.state_dict().items() if name != "vocabulary.weight"}
    assert all(torch.equal(part, healthy.state_dict()[name]) for name, part in loaded.items()), "the rest is the file's"


def test_an_engine_that_adds_1_undoes_what_the_file_has_less():
    model = new_model(torch.Generator().manual_seed(6)).eval()
    engine = bugs.deploy_with_bare_norm_weights(model)
    ours, theirs = model.state_dict(), engine.state_dict()
    changed = {name for name in ours if not torch.equal(ours[name], theirs[name])}
    assert changed == {name for name in ours if "norm" in name} and len(changed) == 5
    assert all(torch.equal(theirs[name] + 1, ours[name]) for name in changed)


def test_weights_are_read_in_a_padded_batch():
    weights = all_attention_weights(new_model(torch.Generator().manual_seed(5)))
    assert weights.shape == (2, 3, 15, 15)
    assert weights[..., :2].sum() == 0 and weights.triu(1).sum() == 0


def test_planted_faults_are_counted():
    rows = caught_by(lambda model: model(torch.tensor([[5, 6]])).isnan().any() or model.training, seeds=2)
    assert [row[0] for row in rows] == [*(mutant.fault for mutant in MUTANTS), "nothing: it is healthy"]
    assert [row[2] for row in rows] == ["2 of 2", *["0 of 2"] * (len(MUTANTS) - 1), f"0 of {2 * HEALTHY_ONES}"]
    everybody = caught_by(lambda model: model.train(), seeds=1)
    assert everybody[-1][2] == f"{HEALTHY_ONES} of {HEALTHY_ONES}", "any answer counts as True or False"


# ---- what is told of them


def test_every_model_has_a_diagnosis_and_a_public_report():
    assert [question.id for question in QUESTIONS] == [f"capstone.ward_{case.name.lower()}" for case in BUG_CASES]
    telling = {case.telling_check for case in BUG_CASES}
    assert len(telling) == 8 and telling <= set(CHECKS)
    addresses = {case.public_report.url for case in BUG_CASES}
    assert len(addresses) == 8
    assert all(re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+", each) for each in addresses)
    assert len({question.right for question in QUESTIONS}) >= 4, "right answers have different letters"
    for question in QUESTIONS:
        assert len(question.choices) >= 5
        for choice in question.choices:
            named = [name for name in re.findall(r"“([^”]+)”", choice.reason) if " " in name]
            assert set(named) <= set(CHECKS) or "feature 1" in choice.reason, choice.reason


def test_the_learners_positions_run_in_the_patient(broken):
    emil = broken["Emil"]
    healthy = find_exercise("capstone.repair").resolve()
    mended, unchanged = (
        emil.deployed_with(partial(bugs.deploy_with_positions, rule=rule)) for rule in (healthy, bugs.emils_positions)
    )
    assert mended.history is emil.history and all(mended.check(name).passed for name in CHECKS)
    assert not unchanged.check("cached equals uncached").passed


@pytest.mark.usefixtures("shapes_unchecked")
@pytest.mark.parametrize("vary", [0, 7])
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.fault)
def test_the_nine_checks_see_the_planted_faults_of_which_it_is_said(broken, mutant, vary):
    case = replace(BUG_CASES[0], pipeline=replace(HEALTHY, deploy=lambda model: mutant.change(model, vary)))
    planted = BrokenModel(case, case.pipeline, broken.baseline._trainer, broken.baseline)
    seen_by = [name for name in CHECKS if not planted.check(name).passed]
    assert mutant.seen_by in seen_by if mutant.seen_by else seen_by == []


def test_no_team_report_names_the_bug():
    words = r"eos|eval|shift|NaN|cache|rotary|optimi|norm|tied|output matrix|duplicate|by heart|training mode"
    assert not [case.name for case in BUG_CASES if re.search(words, case.team_report)]


# ---- the view


@pytest.mark.usefixtures("shapes_unchecked")
def test_the_lab_joins_models_questions_and_progress(broken, tmp_path, monkeypatch):
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
def test_evidence_is_shown_of_diagnosed_models_only(broken, tmp_path):
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
