"""The case of notebook 06, and its loss against torch's."""

from __future__ import annotations

import pytest
import torch
from solutions import both, solution
from torch.nn import functional as F
from unchecked import unchecked

from anatomy_course.lab.debugging.colleague import causal_tagger
from anatomy_course.lab.street.sampling import sample_scenes


def test_the_loss_is_torchs_divergence() -> None:
    student, teacher = torch.randn(2, 3, 5, 7, generator=torch.Generator().manual_seed(0))
    log_student, soft = (student.flatten(0, -2) / 3).log_softmax(-1), (teacher.flatten(0, -2) / 3).softmax(-1)
    theirs = F.kl_div(log_student, soft, reduction="batchmean")
    for loss in both("taxonomy.soft_loss"):
        torch.testing.assert_close(loss(student, teacher, 3.0), 9 * theirs)


@pytest.fixture(scope="module")
def taggers() -> dict[str, causal_tagger.Tagger]:
    """Pretraining is cut short: what is shown does not hang on it. Types are checked in the short training below."""
    with pytest.MonkeyPatch.context() as patch, unchecked():
        patch.setattr(causal_tagger, "PRETRAINING", 10)
        patch.setattr(causal_tagger, "FINE_TUNING", 130)
        return {
            "patient": causal_tagger.colleagues_tagger(),
            "healthy": causal_tagger.healthy_tagger(),
            "repaired": causal_tagger.colleagues_tagger(solution("taxonomy.repair")),
        }


@pytest.mark.usefixtures("unchecked")
def test_the_patient_is_wrong_where_a_tag_hangs_on_what_comes_after(taggers: dict[str, causal_tagger.Tagger]) -> None:
    scenes = sample_scenes(200, torch.Generator().manual_seed(3), "test")
    shares = {
        name: {kind: right / total for kind, (right, total) in causal_tagger.right_by_kind(each, scenes).items()}
        for name, each in taggers.items()
    }
    for name in ("healthy", "repaired"):
        assert min(shares[name].values()) > 0.9, f"{name}: {shares[name]}"
    patient = shares["patient"]
    assert min(patient["nouns"], patient["other words"]) > 0.97
    assert 0.4 < patient["it"] < 0.6 and 0.6 < patient["adjectives beside a noun"] < 0.9


def test_the_patients_share_is_that_of_a_guess(taggers: dict[str, causal_tagger.Tagger], unchecked: None) -> None:
    scenes = sample_scenes(causal_tagger.SENTENCES, torch.Generator().manual_seed(9), "test")
    found, guessed = (
        causal_tagger.right_by_kind(taggers["patient"], scenes),
        causal_tagger.best_guess_from_words_before(),
    )
    assert guessed.keys() == {"adjectives beside a noun", "it"}
    for kind, share in guessed.items():
        right, total = found[kind]
        assert right / total == pytest.approx(share, abs=0.08)


def test_what_moves(taggers: dict[str, causal_tagger.Tagger]) -> None:
    sentence = "The old animal didn't cross the street because it was too tired."
    for name, nothing_moves in (("patient", 11), ("healthy", 0), ("repaired", 0)):
        moves = [
            move
            for _, move in causal_tagger.words_that_change(taggers[name], sentence, sentence.replace("tired", "wide"))
        ]
        assert moves == [False] * nothing_moves + [True] * (13 - nothing_moves)
    words, moves = zip(
        *causal_tagger.words_that_change(taggers["patient"], sentence, sentence.replace("animal", "horse")), strict=True
    )
    assert words[2] == "animal" and moves == (False, False, *[True] * 11)
    with pytest.raises(ValueError, match="13 and 12 words"):
        causal_tagger.words_that_change(taggers["patient"], sentence, sentence.replace("old ", ""))


def test_the_symptoms(taggers: dict[str, causal_tagger.Tagger], unchecked: None) -> None:
    text = causal_tagger.symptoms_of_causal_tagger(taggers["patient"], taggers["healthy"]).text
    lines = [line.strip() for line in text.splitlines()]
    assert any(line.startswith("another reason") and line.endswith("0 of 200 pairs") for line in lines)
    parameters = lines[-1].split()
    assert parameters[0] == "parameters" and parameters[1] == parameters[2]


def test_a_training_can_be_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(causal_tagger, "PRETRAINING", 2)
    monkeypatch.setattr(causal_tagger, "FINE_TUNING", 3)
    one, other = (causal_tagger.colleagues_tagger(seed=4).history.loss for _ in range(2))
    assert one == other and len(one) == 3
