"""The case of notebook 02: it looks healthy, has its symptoms, and learns all but one thing."""

from __future__ import annotations

import pytest
import torch

from anatomy_course.lab.debugging.colleague.head_splitting import (
    colleagues_heads,
    symptoms_of_head_splitting,
    tagging_example,
    tagging_trial_with_heads,
)
from anatomy_utils.functional import masks
from anatomy_utils.functional.multi_head import attend_in_heads


def vectors(words: int, width: int = 21) -> torch.Tensor:
    return torch.randn(2, words, width, generator=torch.Generator().manual_seed(0))


def test_the_patient_has_the_right_shape_and_keeps_the_past() -> None:
    sentence = vectors(5)
    assert colleagues_heads(sentence, sentence, sentence, 3).shape == (2, 5, 21)
    changed = sentence.clone()
    changed[:, 3:] += 1
    before, after = (colleagues_heads(part, part, part, 3, masks.causal(5)) for part in (sentence, changed))
    torch.testing.assert_close(before[:, :3], after[:, :3])


def test_with_one_head_the_patient_is_healthy() -> None:
    sentence = vectors(5)
    torch.testing.assert_close(
        colleagues_heads(sentence, sentence, sentence, 1), attend_in_heads(sentence, sentence, sentence, 1)
    )


def test_the_symptoms() -> None:
    lines = [line.split()[-2:] for line in symptoms_of_head_splitting(words=12, num_heads=4).text.splitlines()[1:]]
    assert lines[1:3] == [["12,", "32)"], ["of", "12"]] and lines[3:] == [["yes", "no"]] * 2
    text = symptoms_of_head_splitting(words=12, num_heads=4).text
    assert (
        "12 of 12" in text
        and "3 of 12" in text
        and symptoms_of_head_splitting().html == symptoms_of_head_splitting().html
    )


@pytest.mark.usefixtures("unchecked")
def test_the_patient_learns_but_never_what_it_stands_for() -> None:
    healthy, patient = (tagging_trial_with_heads(heads) for heads in (attend_in_heads, colleagues_heads))
    for trial in (healthy, patient):
        assert len(trial.history) == 200 and trial.history.loss[-1] < 0.1 * trial.history.loss[0]
    assert healthy.all_words > 0.98 and healthy.pronouns > 0.9
    assert 0.93 < patient.all_words < 0.97 and patient.pronouns < 0.6
    assert healthy.guess == patient.guess and 0.2 < healthy.guess < 0.5


def test_the_example_labels_it_with_what_it_stands_for() -> None:
    labels = dict(pair.split("/") for pair in tagging_example().split())
    assert labels["it"] == labels["tractor"] == "B-MACHINE" and labels["boulevard"] == "I-STREET"


@pytest.mark.usefixtures("shapes_unchecked")
def test_a_trial_can_be_repeated() -> None:
    one, other = (tagging_trial_with_heads(colleagues_heads, steps=3, seed=5) for _ in range(2))
    assert one.history.loss == other.history.loss and one.all_words == other.all_words
