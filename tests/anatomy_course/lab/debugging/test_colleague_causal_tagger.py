"""The case of notebook 07: what its tagger never learns, what moves in it, and what a guess would get."""

import pytest
import torch
from solutions import solution
from unchecked import unchecked

from anatomy_course.lab.debugging.colleague import causal_tagger
from anatomy_course.lab.street.sampling import sample_scenes


@pytest.fixture(scope="module")
def taggers():
    """Pretraining is cut short: nothing that is shown depends on it. Types are checked in the short training below."""
    with pytest.MonkeyPatch.context() as patch, unchecked():
        patch.setattr(causal_tagger, "PRETRAINING", 10)
        patch.setattr(causal_tagger, "FINE_TUNING", 130)
        return {
            "patient": causal_tagger.colleagues_tagger(),
            "healthy": causal_tagger.healthy_tagger(),
            "repaired": causal_tagger.colleagues_tagger(solution("taxonomy.repair")),
        }


@pytest.mark.usefixtures("unchecked")
def test_the_patient_is_wrong_where_a_tag_depends_on_what_comes_after(taggers):
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


@pytest.mark.usefixtures("unchecked")
def test_the_patients_share_is_that_of_a_guess(taggers):
    scenes = sample_scenes(causal_tagger.SENTENCES, torch.Generator().manual_seed(9), "test")
    found = causal_tagger.right_by_kind(taggers["patient"], scenes)
    guessed = causal_tagger.best_guess_from_words_before()
    assert guessed.keys() == {"adjectives beside a noun", "it"}
    for kind, share in guessed.items():
        right, total = found[kind]
        assert right / total == pytest.approx(share, abs=0.08)


def test_what_moves(taggers):
    sentence = "The old animal didn't cross the street because it was too tired."

    def moves(name, old, new):
        return causal_tagger.words_that_change(taggers[name], sentence, sentence.replace(old, new))

    for name, still in (("patient", 11), ("healthy", 0), ("repaired", 0)):
        assert [moved for _, moved in moves(name, "tired", "wide")] == [False] * still + [True] * (13 - still)
    words, moved = zip(*moves("patient", "animal", "horse"), strict=True)
    assert words[2] == "animal" and moved == (False, False, *[True] * 11)
    with pytest.raises(ValueError, match="13 and 12 words"):
        moves("patient", "old ", "")


@pytest.mark.usefixtures("unchecked")
def test_the_symptoms(taggers):
    text = causal_tagger.symptoms_of_causal_tagger(taggers["patient"], taggers["healthy"]).text
    lines = [line.strip() for line in text.splitlines()]
    assert any(line.startswith("another reason") and line.endswith("0 of 200 pairs") for line in lines)
    parameters = lines[-1].split()
    assert parameters[0] == "parameters" and parameters[1] == parameters[2]


def test_a_training_can_be_repeated(monkeypatch):
    monkeypatch.setattr(causal_tagger, "PRETRAINING", 2)
    monkeypatch.setattr(causal_tagger, "FINE_TUNING", 3)
    one, other = (causal_tagger.colleagues_tagger(seed=4).history.loss for _ in range(2))
    assert one == other and len(one) == 3
