"""The cases of notebooks 02, 03 and 10: they look healthy, have their symptoms, and fail where it is said that they do.

And those of all notebooks: a seed decides every training and every table.
"""

import math

import pytest
import torch
from solutions import solution

from anatomy_course.lab.debugging.colleague import (
    batch_mask,
    causal_mask,
    head_splitting,
    norm_placement,
    position_offset,
    training_program,
)
from anatomy_course.lab.debugging.colleague.head_splitting import colleagues_heads
from anatomy_course.lab.debugging.colleague.norm_placement import colleagues_layer
from anatomy_course.lab.debugging.colleague.position_offset import colleagues_embedding
from anatomy_course.lab.experiments.norm_placement import guessing_loss
from anatomy_course.lab.street.vocabulary import street_vocabulary
from anatomy_utils.functional import masks
from anatomy_utils.functional.embeddings import embed_words
from anatomy_utils.functional.layers import encoder_layer, pre_norm_layer
from anatomy_utils.functional.multi_head import attend_in_heads

STEPS = {"right": training_program.healthy_step, "colleague's": training_program.colleagues_step}


def last_words(table, skip, count=2):
    """The last words of each line, after some lines."""
    return [line.split()[-count:] for line in table.text.splitlines()[skip:]]


# ---- 02: heads split by a view alone ----


def test_the_patients_heads_have_the_right_shape_keep_the_past_and_a_single_one_is_healthy():
    sentence = torch.randn(2, 5, 21, generator=torch.Generator().manual_seed(0))
    assert colleagues_heads(sentence, sentence, sentence, 3).shape == (2, 5, 21)
    changed = sentence.clone()
    changed[:, 3:] += 1
    before, after = (colleagues_heads(part, part, part, 3, masks.causal(5)) for part in (sentence, changed))
    torch.testing.assert_close(before[:, :3], after[:, :3])
    one, wanted = (heads(sentence, sentence, sentence, 1) for heads in (colleagues_heads, attend_in_heads))
    torch.testing.assert_close(one, wanted)


def test_the_symptoms_of_heads():
    table = head_splitting.symptoms_of_head_splitting(words=12, num_heads=4)
    assert last_words(table, 2) == [["12,", "32)"], ["of", "12"], ["yes", "no"], ["yes", "no"]]
    assert "12 of 12" in table.text and "3 of 12" in table.text


@pytest.mark.usefixtures("unchecked")
def test_with_the_patients_heads_a_tagger_learns_but_never_what_it_stands_for():
    healthy, patient = (head_splitting.tagging_trial_with_heads(heads) for heads in (attend_in_heads, colleagues_heads))
    for trial in (healthy, patient):
        assert len(trial.history) == 200 and trial.history.loss[-1] < 0.1 * trial.history.loss[0]
    assert healthy.all_words > 0.98 and healthy.pronouns > 0.9
    assert 0.93 < patient.all_words < 0.97 and patient.pronouns < 0.6
    assert healthy.guess == patient.guess and 0.2 < healthy.guess < 0.5


def test_the_example_labels_it_with_what_it_stands_for():
    labels = dict(pair.split("/") for pair in head_splitting.tagging_example().split())
    assert labels["it"] == labels["tractor"] == "B-MACHINE" and labels["boulevard"] == "I-STREET"


# ---- 03: positions along another axis ----


def test_the_colleagues_embedding_has_the_right_shape_and_no_order():
    generator = torch.Generator().manual_seed(0)
    tables = [torch.randn(rows, 7, generator=generator) for rows in (13, 17)]
    ids = torch.tensor([[1, 2, 3, 1, 5], [3, 3, 2, 1, 0], [4, 5, 6, 7, 8]])
    vectors = colleagues_embedding(ids, *tables)
    assert vectors.shape == (3, 5, 7)
    torch.testing.assert_close(colleagues_embedding(ids.flip(1), *tables), vectors.flip(1))
    assert not torch.allclose(embed_words(ids.flip(1), *tables), embed_words(ids, *tables).flip(1))
    single = torch.tensor([[5]])
    torch.testing.assert_close(colleagues_embedding(single, *tables), embed_words(single, *tables))


def test_the_symptoms_of_missing_positions():
    wanted = [["yes", "yes"], ["no", "yes"], ["no", "yes"], ["yes", "no"]]
    assert last_words(position_offset.symptoms_of_position_offset(), 3) == wanted


@pytest.mark.usefixtures("unchecked")
def test_without_positions_a_tagger_learns_and_misses_beginnings():
    healthy, patient = (
        position_offset.tagging_trial_with_embedding(embed) for embed in (embed_words, colleagues_embedding)
    )
    for trial in (healthy, patient):
        assert len(trial.history) == 200 and trial.history.loss[-1] < 0.1 * trial.history.loss[0]
    assert healthy.all_words > 0.98 and healthy.beginnings > 0.95
    assert 0.8 < patient.all_words < 0.93 and patient.beginnings < 0.75


# ---- 03: the residual connection on the wrong side of the norm ----


def test_layers_of_the_patient_in_a_row_are_post_norm_layers():
    states = torch.randn(2, 3, 5, generator=torch.Generator().manual_seed(2))
    matrices = torch.randn(2, 5, 5, generator=torch.Generator().manual_seed(1))
    first, second = torch.nn.LayerNorm(5), torch.nn.LayerNorm(5)

    def attend(x):
        return x @ matrices[0]

    def feed(x):
        return (x @ matrices[1]).tanh()

    patients = colleagues_layer(colleagues_layer(states, attend, feed, first, second), attend, feed, first, second)
    between = encoder_layer(first(states), attend, feed, second, first)
    after = second(between + attend(between))
    torch.testing.assert_close(patients, after + feed(after))


def test_the_symptoms_of_a_layer():
    lines = last_words(norm_placement.symptoms_of_norm_placement((1, 9)), 2, 5)
    assert lines[-2] == ["the", "input", "the", "input,", "normed"] and lines[-1][-2:] == ["no", "no"]
    low, high, still_low, still = (float(number.strip(",")) for number in lines[1][-4:])
    assert high > 1.5 * low and still < 1.2 * still_low


@pytest.mark.usefixtures("unchecked")
def test_two_layers_of_the_patient_learn_and_ten_do_not():
    def end(layer, depth):
        return sum(norm_placement.depth_trial(layer, depth).loss[-10:])

    assert end(pre_norm_layer, 2) < 7 and end(colleagues_layer, 2) < 7
    assert end(pre_norm_layer, 10) < 5 and end(colleagues_layer, 10) / 10 == pytest.approx(guessing_loss(), rel=0.05)


# ---- 08: a step whose loss pairs each answer with another window's token ----


@pytest.mark.usefixtures("unchecked")
def test_the_first_loss_and_the_gradients_are_right_in_both_and_one_window_tells_nothing():
    for step in STEPS.values():
        found = training_program.overfit_one_batch(step, steps=1)
        assert found.losses[0] == pytest.approx(math.log(len(street_vocabulary())), abs=0.1)
        assert found.with_gradient == found.parameters == 28
    one, other = (training_program.overfit_one_batch(step, windows=1, steps=20) for step in STEPS.values())
    assert one.losses == other.losses


@pytest.mark.usefixtures("unchecked")
def test_four_windows_tell_and_the_solution_is_the_healthy_step():
    healthy, patient = (training_program.overfit_one_batch(step) for step in STEPS.values())
    assert healthy.losses[-1] < 0.05 and patient.losses[-1] < 0.05
    assert healthy.recited == 1 and patient.recited < 0.2
    assert healthy.reordered < 0.05 and patient.reordered > 3
    repaired = training_program.overfit_one_batch(solution("workshop.repair"), steps=5)
    assert repaired.losses == pytest.approx(healthy.losses[:5])


@pytest.mark.usefixtures("unchecked")
def test_with_the_colleagues_step_a_gpt_learns_no_more_than_frequencies():
    (healthy, solved), (patient, lost) = (training_program.training_trial(step, steps=100) for step in STEPS.values())
    _, counts = training_program.street_text("train").unique(return_counts=True)
    shares = counts / counts.sum()
    frequencies = -(shares * shares.log()).sum().item()
    assert healthy[-1] < 2 and solved < 2
    assert abs(patient[-1] - frequencies) < 0.3 and lost > 3


@pytest.mark.usefixtures("unchecked")
def test_the_symptoms_of_a_step():
    rows = last_words(training_program.symptoms_of_training_program(), 2)
    assert len(rows) == 6 and rows[4][0] == "100%" and rows[2] == rows[3] == ["0.01", "0.01"]


# ---- seeds ----


def tagging(trial):
    return trial.history.loss, trial.all_words


def writing():
    trial = causal_mask.writing_trial(causal_mask.colleagues_causal_mask, steps=3, seed=5)
    return trial.history.loss, trial.texts


def equal_lengths():
    history = batch_mask.train_on_equal_lengths(steps=12, seed=4)[1]
    assert 6 <= len(history) <= 12, "what does not fill a batch is left out"
    return history.loss


SEEDED = {
    "heads": lambda: tagging(head_splitting.tagging_trial_with_heads(colleagues_heads, steps=3, seed=5)),
    "embedding": lambda: tagging(position_offset.tagging_trial_with_embedding(colleagues_embedding, steps=3, seed=5)),
    "layer": lambda: norm_placement.depth_trial(colleagues_layer, 3, steps=3, seed=5).loss,
    "mask": writing,
    "batch": equal_lengths,
    "symptoms of heads": lambda: head_splitting.symptoms_of_head_splitting().html,
    "symptoms of an embedding": lambda: position_offset.symptoms_of_position_offset().html,
    "symptoms of a layer": lambda: norm_placement.symptoms_of_norm_placement((1,)).html,
    "symptoms of a mask": lambda: causal_mask.symptoms_of_causal_mask().html,
}


@pytest.mark.parametrize("name", SEEDED)
@pytest.mark.usefixtures("shapes_unchecked")
def test_twice_the_same(name):
    assert SEEDED[name]() == SEEDED[name]()
