"""The roots as notebook 07 trains them: what they learn in a few steps, and what is read off them."""

import pytest
import torch

from anatomy_course.lab.small_models import recurrent_baselines
from anatomy_course.lab.street import say, street_vocabulary
from anatomy_course.lab.street.sampling import sample_scenes

ENGLISH = [str(say(scene, "english")) for scene in sample_scenes(3, torch.Generator().manual_seed(7), "test")]
TIRED = "The animal didn't cross the street because it was too tired."


@pytest.fixture(scope="module")
def young():
    """Both after eight steps, which made their losses smaller."""
    models = []
    for train in (recurrent_baselines.train_recurrent_translator, recurrent_baselines.train_elmo):
        model, history = train(1, steps=8, progress=False)
        assert history.loss[-1] < history.loss[0] - 0.5
        models.append(model)
    return models


def test_looking_back_shows_a_row_for_each_word_written(young):
    for text in ENGLISH:
        read, written, weights = recurrent_baselines.translate_with_weights(young[0], text)
        assert read[0] == "<french>" and len(read) == weights.shape[1]
        assert len(written) == len(weights) > 0
        torch.testing.assert_close(weights.sum(-1), torch.ones(len(written)))


def test_a_words_vectors_depend_on_either_side_by_its_own_direction(young):
    here = recurrent_baselines.elmo_word_vectors(young[1], TIRED, "didn't")
    assert here.shape == (3, 2, 48)
    for old, new, moves in (("animal", "bird", [True, False]), ("street", "bridge", [False, True])):
        there = recurrent_baselines.elmo_word_vectors(young[1], TIRED.replace(old, new), "didn't")
        assert ((there - here).abs().amax(-1) > 0).tolist() == [[False, False], moves, moves]
    with pytest.raises(ValueError, match="'bird' is not among the words"):
        recurrent_baselines.elmo_word_vectors(young[1], TIRED, "bird")


@torch.no_grad()
def test_both_directions_are_asked_for_every_word_and_never_for_padding(young):
    """The loss by hand, on a batch of unequal lengths."""
    model, vocabulary = young[1], street_vocabulary()
    rows = [vocabulary.ids(["<bos>", "the", "animal", "<eos>"]), vocabulary.ids(["<bos>", "the", "<eos>"])]
    words = torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True)
    batch = recurrent_baselines.Batch(words, (words != vocabulary.pad_id).long())
    losses = []
    for row in rows:
        following, preceding = (part[0].log_softmax(-1) for part in model.language_model(torch.tensor([row])))
        losses += [(-following[i, row[i + 1]], -preceding[i + 1, row[i]]) for i in range(len(row) - 1)]
    torch.testing.assert_close(recurrent_baselines.bidirectional_loss(model, batch), torch.tensor(losses).mean())
