"""The cases of notebook 03: both look healthy, have their symptoms, and fail where it is said that they fail."""

from __future__ import annotations

import pytest
import torch

from anatomy_course.lab.debugging.colleague import norm_placement, position_offset
from anatomy_course.lab.debugging.colleague.norm_placement import colleagues_layer, depth_trial
from anatomy_course.lab.debugging.colleague.position_offset import colleagues_embedding, tagging_trial_with_embedding
from anatomy_course.lab.experiments.norm_placement import guessing_loss
from anatomy_utils.functional.embeddings import embed_words
from anatomy_utils.functional.layers import encoder_layer, pre_norm_layer


def tables(width: int = 7) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(13, width, generator=generator), torch.randn(17, width, generator=generator)


def test_the_colleagues_embedding_has_the_right_shape_and_no_order() -> None:
    ids = torch.tensor([[1, 2, 3, 1, 5], [3, 3, 2, 1, 0], [4, 5, 6, 7, 8]])
    vectors = colleagues_embedding(ids, *tables())
    assert vectors.shape == (3, 5, 7)
    torch.testing.assert_close(colleagues_embedding(ids.flip(1), *tables()), vectors.flip(1))
    assert not torch.allclose(embed_words(ids.flip(1), *tables()), embed_words(ids, *tables()).flip(1))


def test_a_single_word_gets_what_it_should() -> None:
    torch.testing.assert_close(
        colleagues_embedding(torch.tensor([[5]]), *tables()), embed_words(torch.tensor([[5]]), *tables())
    )


def test_the_symptoms_of_missing_positions() -> None:
    lines = [line.split()[-2:] for line in position_offset.symptoms_of_position_offset().text.splitlines()[3:]]
    assert lines == [["yes", "yes"], ["no", "yes"], ["no", "yes"], ["yes", "no"]]
    assert position_offset.symptoms_of_position_offset().html == position_offset.symptoms_of_position_offset().html


@pytest.mark.usefixtures("unchecked")
def test_without_positions_a_tagger_learns_and_misses_beginnings() -> None:
    healthy, patient = (tagging_trial_with_embedding(embed) for embed in (embed_words, colleagues_embedding))
    for trial in (healthy, patient):
        assert len(trial.history) == 200 and trial.history.loss[-1] < 0.1 * trial.history.loss[0]
    assert healthy.all_words > 0.98 and healthy.beginnings > 0.95
    assert 0.8 < patient.all_words < 0.93 and patient.beginnings < 0.75


def parts(width: int = 5):  # type: ignore[no-untyped-def]
    generator = torch.Generator().manual_seed(1)
    attend, feed = torch.randn(2, width, width, generator=generator)
    norm = torch.nn.LayerNorm(width)
    return lambda x: x @ attend, lambda x: (x @ feed).tanh(), norm, torch.nn.LayerNorm(width)


def test_layers_of_the_patient_in_a_row_are_post_norm_layers() -> None:
    states = torch.randn(2, 3, 5, generator=torch.Generator().manual_seed(2))
    attend, feed, first, second = parts()
    patients = colleagues_layer(colleagues_layer(states, attend, feed, first, second), attend, feed, first, second)
    normed = first(states)
    between = encoder_layer(normed, attend, feed, second, first)
    after = second(between + attend(between))
    torch.testing.assert_close(patients, after + feed(after))


def test_the_symptoms_of_a_colleagues_layer() -> None:
    lines = norm_placement.symptoms_of_norm_placement((1, 9)).text.splitlines()[2:]
    assert lines[-2].split()[-5:] == ["the", "input", "the", "input,", "normed"]
    assert lines[-1].split()[-2:] == ["no", "no"]
    low, high, still_low, still = (float(number.strip(",")) for number in lines[1].split()[-4:])
    assert high > 1.5 * low and still < 1.2 * still_low
    assert norm_placement.symptoms_of_norm_placement((1,)).html == norm_placement.symptoms_of_norm_placement((1,)).html


@pytest.mark.usefixtures("unchecked")
def test_two_layers_of_the_patient_learn_and_ten_do_not() -> None:
    healthy, patient = (depth_trial(layer, 2).loss for layer in (pre_norm_layer, colleagues_layer))
    assert sum(healthy[-10:]) < 7 and sum(patient[-10:]) < 7
    tall, sick = (depth_trial(layer, 10).loss for layer in (pre_norm_layer, colleagues_layer))
    assert sum(tall[-10:]) < 5 and sum(sick[-10:]) / 10 == pytest.approx(guessing_loss(), rel=0.05)


@pytest.mark.usefixtures("shapes_unchecked")
def test_a_trial_can_be_repeated() -> None:
    one, other = (tagging_trial_with_embedding(colleagues_embedding, steps=3, seed=5) for _ in range(2))
    assert one.history.loss == other.history.loss and one.all_words == other.all_words
    one_deep, other_deep = (depth_trial(colleagues_layer, 3, steps=3, seed=5) for _ in range(2))
    assert one_deep.loss == other_deep.loss
