"""The ELMo that notebook 07 trains: what it learns in a few steps, and what is read off it."""

import pytest
import torch

from anatomy_course.lab.small_models import recurrent_baselines
from anatomy_course.lab.street import street_vocabulary

TIRED = "The animal didn't cross the street because it was too tired."


@pytest.fixture(scope="module")
def young():
    """After eight steps, which made its loss smaller."""
    model, history = recurrent_baselines.train_elmo(1, steps=8, progress=False)
    assert history.loss[-1] < history.loss[0] - 0.5
    return model


def test_a_words_vectors_depend_on_either_side_by_its_own_direction(young):
    here = recurrent_baselines.elmo_word_vectors(young, TIRED, "didn't")
    assert here.shape == (3, 2, 48)
    for old, new, moves in (("animal", "bird", [True, False]), ("street", "bridge", [False, True])):
        there = recurrent_baselines.elmo_word_vectors(young, TIRED.replace(old, new), "didn't")
        assert ((there - here).abs().amax(-1) > 0).tolist() == [[False, False], moves, moves]
    with pytest.raises(ValueError, match="'bird' is not among the words"):
        recurrent_baselines.elmo_word_vectors(young, TIRED, "bird")


@torch.no_grad()
def test_both_directions_are_asked_for_every_word_and_never_for_padding(young):
    """The loss by hand, on a batch of unequal lengths."""
    model, vocabulary = young, street_vocabulary()
    rows = [vocabulary.ids(["<bos>", "the", "animal", "<eos>"]), vocabulary.ids(["<bos>", "the", "<eos>"])]
    words = torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True)
    batch = recurrent_baselines.Batch(words, (words != vocabulary.pad_id).long())
    losses = []
    for row in rows:
        following, preceding = (part[0].log_softmax(-1) for part in model.language_model(torch.tensor([row])))
        losses += [(-following[i, row[i + 1]], -preceding[i + 1, row[i]]) for i in range(len(row) - 1)]
    torch.testing.assert_close(recurrent_baselines.bidirectional_loss(model, batch), torch.tensor(losses).mean())
