"""The ward: every fault causes its symptoms, the table of findings tells the patients apart, and every cure works."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from unchecked import unchecked

from anatomy_utils.debugging import PROBES, Table, Ward, admit, bugs
from anatomy_utils.debugging.cases import CASES
from anatomy_utils.debugging.inspect_plots import all_weights
from anatomy_utils.debugging.model import new_body
from anatomy_utils.debugging.pipeline import HEALTHY, new_books
from anatomy_utils.debugging.samples import PROMPTS
from anatomy_utils.exercises.capstone.debugging_lab import ward_round
from anatomy_utils.exercises.catalogue.capstone.questions import QUESTIONS
from anatomy_utils.exercises.progress.record import Progress
from anatomy_utils.toy_language import is_grammatical
from anatomy_utils.toy_language.batches import IGNORE, Labelled

STEPS = 100
"""Enough for every symptom; sentences get good later."""
FAILS = {
    "Ada": {"as it was taught", "stops", "right and new"},
    "Boris": {"same answer twice", "cached equals uncached", "batch equals single"},
    "Clara": {"unseen sentences", "as it was taught", "which word it says", "right and new"},
    "Dora": {"batch equals single"},
    "Emil": {"cached equals uncached", "right and new"},
    "Frida": {"unseen sentences", "as it was taught", "right and new"},
    "Gustav": {"unseen sentences", "stops", "right and new", "every organ learns"},
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
    "Boris": {"unseen sentences", "as it was taught", "which word it says", "stops", "every organ learns"},
    "Clara": {"same answer twice", "cached equals uncached", "batch equals single", "every organ learns"},
    "Dora": set(PROBES) - {"batch equals single"},
    "Emil": {"unseen sentences", "as it was taught", "same answer twice", "batch equals single"},
    "Frida": {"which word it says", "same answer twice", "cached equals uncached", "batch equals single"},
    "Gustav": {"as it was taught", "which word it says", "same answer twice", "cached equals uncached"},
    "Hanna": {"as it was taught", "which word it says", "same answer twice", "stops", "every organ learns"},
}
"""What the explanations of wrong diagnoses rely on."""


@pytest.fixture(scope="module")
def ward() -> Iterator[Ward]:
    """Everybody, taught without looking at types; Gustav's cure teaches once more, and there they are looked at."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bugs, "FEW", 16)  # so that Hanna knows her sentences by heart after so few steps
        with unchecked():
            admitted = admit(steps=STEPS, progress=False)
        yield admitted


@pytest.fixture(scope="module")
def table(ward: Ward) -> Table:
    return ward.table()


def test_the_twin_is_healthy(table: Table) -> None:
    assert all(finding.passed for finding in table["the healthy twin"].values())


@pytest.mark.parametrize("name", FAILS)
def test_a_fault_shows_where_it_should_and_nowhere_else(table: Table, name: str) -> None:
    failed = {probe for probe, finding in table[name].items() if not finding.passed}
    assert FAILS[name] <= failed and not PASSES[name] & failed


def test_no_two_patients_fail_the_same_probes(table: Table) -> None:
    rows = [tuple(finding.passed for finding in found.values()) for found in table.values()]
    assert len(set(rows)) == 9


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.usefixtures("shapes_unchecked")
def test_the_cure_puts_it_right(ward: Ward, table: Table, case) -> None:  # type: ignore[no-untyped-def]
    assert not table[case.name][case.telling].passed
    cured = ward[case.name].cured()
    assert all(cured.probe(name).passed for name in PROBES)


def test_who_fell_ill_afterwards_has_learnt_what_the_twin_has(ward: Ward) -> None:
    for name in ("Dora", "Emil", "Frida"):
        assert ward[name].history is ward.twin.history and ward[name].exam == ward.twin.exam


def test_curves_tell_what_the_anamnesis_says(ward: Ward) -> None:
    end = {patient.name: patient.history.loss[-1] for patient in ward.patients()}
    twin = ward.twin.history.loss[-1]
    assert end["Hanna"] < twin - 0.3 and ward["Hanna"].exam < ward.twin.exam - 0.3
    assert end["Gustav"] > twin + 2 and twin + 0.05 < end["Clara"] < twin + 1
    assert all(abs(patient.history.loss[0] - 5.756) < 0.1 for patient in ward.patients()), "ln 316, all words alike"


@pytest.mark.usefixtures("shapes_unchecked")
def test_samples(ward: Ward) -> None:
    for patient in (ward.twin, *ward.patients()):
        assert [text.partition(" |")[0] for text in patient.samples()] == list(PROMPTS)
    assert sum(is_grammatical(text.replace(" |", "")) for text in ward.twin.samples()) >= 2
    assert all(text.endswith("…") for text in ward["Ada"].samples())
    assert [text.endswith("| …") for text in ward["Dora"].samples()] == [False, True, True, True, True]
    assert ward["Boris"].samples() != ward["Boris"].samples()
    assert ward["Emil"].samples()[0] == ward.twin.samples()[0], "one word behind a prompt read at once is right"


def test_maps(ward: Ward) -> None:
    twin = ward.twin.head()
    assert len(twin.tokens) == 15 and twin.weights.shape == (15, 15)
    assert torch.equal(twin.weights, twin.twin)
    assert twin.weights[:2].sum() == 0 and torch.allclose(twin.weights[2:].sum(-1), torch.ones(13), atol=1e-5)
    dora, emil = ward["Dora"].head(), ward["Emil"].head()
    assert dora.weights[:2, :7].isnan().all() and torch.allclose(dora.weights[2:], dora.twin[2:], atol=1e-5)
    same = [torch.allclose(one, other, atol=1e-4) for one, other in zip(emil.weights, emil.twin, strict=True)]
    assert same == [True] * 7 + [False] * 8, "the prompt is read at once, the rest word by word"
    assert "NaN" not in ward["Dora"].attention_map().alt and ward["Ada"].loss_curve().alt.startswith("Ada over step")


def test_a_probe_tells_both_numbers(ward: Ward) -> None:
    finding = ward["Dora"].probe("batch equals single")
    assert repr(finding) == ("✗ In company and alone, logits differ by up to NaN; the healthy twin's number is 0.00.")
    with pytest.raises(ValueError, match=r"no probe 'stop'; did you mean 'stops'"):
        ward.twin.probe("stop")
    with pytest.raises(ValueError, match="nothing that could be cured"):
        ward.twin.cured()
    with pytest.raises(ValueError, match=r"called 'Ida'; there are Ada, Boris"):
        ward["Ida"]


def test_the_table_is_shown(table: Table) -> None:
    lines = repr(table).splitlines()
    assert len(lines) == 1 + len(PROBES) and lines[0].split()[-8:] == [case.name for case in CASES]
    assert table._repr_html_().count("✗") == repr(table).count("✗") > 20


# ---- the faults themselves, without training


def test_each_case_differs_from_healthy_care_in_what_it_should() -> None:
    changed = {
        "Ada": {"loss"}, "Boris": {"build", "use"}, "Clara": {"loss"}, "Dora": {"use"}, "Emil": {"use"},
        "Frida": {"use"}, "Gustav": {"build", "prepare"}, "Hanna": {"read", "exam"},
    }  # fmt: skip
    for case in CASES:
        assert {name for name, step in vars(case.care).items() if step != vars(HEALTHY)[name]} == changed[case.name]
        assert case.care != case.cure


def test_labels_that_the_losses_ask_for() -> None:
    asked: list[torch.Tensor] = []

    def note(model: object, batch: Labelled) -> torch.Tensor:
        asked.append(batch.labels)
        return torch.zeros(())

    model = new_body(torch.Generator())
    batch = new_books(1, torch.Generator().manual_seed(1)).lessons[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bugs, "label_loss", note)
        bugs.without_the_end(model, batch)
        bugs.shifted_again(model, batch)
    ends = (batch.labels == 2).sum()
    assert ends == 64 and (asked[0] == IGNORE).sum() == (batch.labels == IGNORE).sum() + ends
    assert torch.equal(asked[1][:, :-1], batch.labels[:, 1:]) and (asked[1][:, -1] == IGNORE).all()


def test_sorted_weights_do_on_the_new_engine_what_they_did_on_the_old() -> None:
    model = new_body(torch.Generator().manual_seed(2)).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3, generator=torch.Generator().manual_seed(parameter.numel()))
    ids = torch.randint(3, 316, (2, 7), generator=torch.Generator().manual_seed(3))
    with torch.no_grad():
        before = model(ids)
        assert torch.allclose(bugs.moved_and_sorted(model)(ids), before, atol=1e-4)
        assert (bugs.moved_to_neighbours(model)(ids) - before).abs().max() > 0.1
        assert torch.equal(model(ids), before), "the taught body stays as it is"
        assert bugs.unguarded(model)(ids).allclose(before, atol=1e-4), "without padding nothing is amiss"


def test_the_optimizer_that_came_too_early_holds_another_table() -> None:
    early, late = (bugs.small_body(torch.Generator().manual_seed(4)) for _ in range(2))
    optimizers = bugs.enlarged_too_late(early), bugs.enlarged_first(late)
    held = [[id(p) for group in optimizer.param_groups for p in group["params"]] for optimizer in optimizers]
    assert id(early.vocabulary.weight) not in held[0] and id(late.vocabulary.weight) in held[1]
    assert early.vocabulary.weight is early.decoder.embeddings.tokens.weight and len(early.vocabulary.weight) == 316


def test_weights_are_read_in_a_padded_batch() -> None:
    weights = all_weights(new_body(torch.Generator().manual_seed(5)))
    assert weights.shape == (2, 3, 15, 15)
    assert weights[..., :2].sum() == 0 and weights.triu(1).sum() == 0


# ---- what is told of them


def test_every_patient_has_a_diagnosis_and_a_public_report() -> None:
    assert [question.id for question in QUESTIONS] == [f"capstone.ward_{case.name.lower()}" for case in CASES]
    assert len({case.telling for case in CASES}) == 8 and {case.telling for case in CASES} <= set(PROBES)
    addresses = [case.report.address for case in CASES]
    assert len(set(addresses)) == 8
    assert all(re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+", each) for each in addresses)
    for question in QUESTIONS:
        assert len(question.choices) >= 5
        for choice in question.choices:
            assert all(name in PROBES for name in re.findall(r"“([^”]+)”", choice.reason) if " " in name) or (
                "feature 1" in choice.reason
            ), choice.reason


def test_right_answers_stand_in_different_places() -> None:
    assert len({question.right for question in QUESTIONS}) >= 4


def test_no_name_of_a_fault_in_an_anamnesis() -> None:
    words = r"eos|eval|shift|NaN|cache|rotary|optimi|duplicate|by heart|training mode"
    assert not [case.name for case in CASES if re.search(words, case.anamnesis)]


def test_equal_care_is_taught_once(ward: Ward) -> None:
    assert ward["Ada"].cured().history is ward.twin.history
    assert replace(HEALTHY, use=bugs.unguarded).lessons == HEALTHY


# ---- the view


@pytest.mark.usefixtures("shapes_unchecked")
def test_the_round_joins_patients_questions_and_progress(ward: Ward, tmp_path: Path) -> None:
    record = Progress(tmp_path / "progress.json")
    view = ward_round(ward, record=record)
    assert [bed["name"] for bed in view.beds] == [case.name for case in CASES]
    assert [bed["question"]["id"] for bed in view.beds] == [question.id for question in QUESTIONS]
    view.question = {"do": "probe", "bed": 3, "probe": "batch equals single"}
    view.chosen = [*view.chosen[:3], QUESTIONS[3].right, *view.chosen[4:]]
    view.question = {"do": "cure", "bed": 3}
    view.question = {"do": "write", "bed": 3}
    assert view.error == "" and view.findings[3]["batch equals single"]["shown"] == "NaN"
    assert view.cures[3]["batch equals single"]["passed"] and view.samples[3] == list(ward["Dora"].samples())
    assert record.entry("questions", "capstone.ward_dora") == {
        "examined": True, "first": QUESTIONS[3].right, "last": QUESTIONS[3].right, "right": True,
    }  # fmt: skip
    again = ward_round(ward, record=record)
    assert again.chosen == view.chosen and again.examined == [number == 3 for number in range(8)]
    assert "Dora ends at" in again.static_twin().alt
