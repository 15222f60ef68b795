"""Heads as functions: the tied vocabulary of real models, and labels in which padding has no say."""

import torch
from random_tensors import normal

from anatomy_utils.functional import heads
from anatomy_utils.zoo.gpt2 import Gpt2Config, with_head as gpt2


@torch.no_grad()
def test_logits_are_those_of_the_tied_table():
    model, ids = gpt2(Gpt2Config(61, 24, 3, 4, 40, 35), "LMHeadModel").eval(), torch.tensor([[7, 3, 50, 3]])
    made = heads.vocabulary_logits(model.decoder(ids), model.decoder.embeddings.tokens.weight)
    torch.testing.assert_close(made, model(ids))


def test_padding_has_no_say_in_a_label():
    states, weight, bias = normal(1, 5, 7), normal(7, 3, seed=1), torch.ones(3)
    mask = torch.tensor([[1, 1, 1, 0, 0]])
    changed = states.clone()
    changed[:, 3:] = 100.0
    expected = heads.classify(states[:, :3], mask[:, :3], weight, bias)
    torch.testing.assert_close(heads.classify(changed, mask, weight, bias), expected)
