"""The roots as notebook 06 trains them: what they learn in a few steps, and what is read off them."""

from __future__ import annotations

import pytest
import torch

from anatomy_course.lab.small_models import recurrent_baselines
from anatomy_course.lab.street import say, street_vocabulary
from anatomy_course.lab.street.sampling import sample_scenes

ENGLISH = [str(say(scene, "english")) for scene in sample_scenes(3, torch.Generator().manual_seed(7), "test")]
TIRED = "The animal didn't cross the street because it was too tired."


@pytest.fixture(scope="module")
def young():
    """Eight steps each, and how much they made the loss smaller."""
    return [
        train(1, steps=8, progress=False)
        for train in (recurrent_baselines.train_recurrent_translator, recurrent_baselines.train_elmo)
    ]


def test_a_few_steps_help_and_a_seed_decides_them_all(young):
    for _, history in young:
        assert history.loss[-1] < history.loss[0] - 0.5
    again = recurrent_baselines.train_elmo(1, steps=2, progress=False)[1]
    assert again.loss[0] == young[1][1].loss[0]
    assert recurrent_baselines.train_elmo(2, steps=1, progress=False)[1].loss[0] != again.loss[0]


def test_looking_back_shows_a_row_for_each_word_written(young):
    for text in ENGLISH:
        read, written, weights = recurrent_baselines.translate_with_weights(young[0][0], text)
        assert read[0] == "<french>" and len(read) == weights.shape[1]
        assert len(written) == len(weights) > 0
        torch.testing.assert_close(weights.sum(-1), torch.ones(len(written)))


def test_a_words_vectors_depend_on_either_side_by_its_own_direction(young):
    here = recurrent_baselines.elmo_word_vectors(young[1][0], TIRED, "didn't")
    assert here.shape == (3, 2, 48)
    for changed, moves in (("animal", [True, False]), ("street", [False, True])):
        other = TIRED.replace(changed, "bird" if changed == "animal" else "bridge")
        moved = (recurrent_baselines.elmo_word_vectors(young[1][0], other, "didn't") - here).abs().amax(-1) > 0
        assert moved.tolist() == [[False, False], moves, moves]
    with pytest.raises(ValueError, match="'bird' is not among the words"):
        recurrent_baselines.elmo_word_vectors(young[1][0], TIRED, "bird")


def test_both_directions_are_asked_for_every_word_and_never_for_padding(young):
    """The loss by hand, on a batch of unequal lengths."""
    model, vocabulary = young[1][0], street_vocabulary()
    rows = [vocabulary.ids(["<bos>", "the", "animal", "<eos>"]), vocabulary.ids(["<bos>", "the", "<eos>"])]
    words = torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True)
    with torch.no_grad():
        got = recurrent_baselines.bidirectional_loss(
            model, recurrent_baselines.Batch(words, (words != vocabulary.pad_id).long())
        )
        losses = []
        for row in rows:
            following, preceding = (part[0].log_softmax(-1) for part in model.language_model(torch.tensor([row])))
            losses += [(-following[i, row[i + 1]], -preceding[i + 1, row[i]]) for i in range(len(row) - 1)]
    torch.testing.assert_close(got, torch.tensor(losses).mean())
