"""Heads: which position speaks for a text, and what they are given. Their logits are compared in the zoo."""

import pytest
import torch
from random_tensors import normal
from torch import nn

from anatomy_utils.nn.heads import MultipleChoice, SequenceHead, WithHead

STATES = normal(3, 5, 7)
REAL = torch.tensor([[1] * 5, [1] * 2 + [0] * 3, [0] * 2 + [1] * 3])


@pytest.mark.parametrize(("at", "mask", "speakers"), [("first", REAL, 0), ("last", None, 4), ("last", REAL, [4, 1, 4])])
def test_one_position_speaks_for_the_text(at, mask, speakers):
    head = SequenceHead(7, 2, at=at)
    speaker = STATES[torch.arange(3), torch.tensor(speakers)]
    torch.testing.assert_close(head(STATES, mask), head.labels(head.dense(speaker).tanh()))
    bare = SequenceHead(7, 2, at=at, activation=None, bias=False)
    torch.testing.assert_close(bare(STATES, mask), speaker @ bare.labels.weight.T)


class Lookup(nn.Module):
    """A body without a stack, whose vectors of padding are 0."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(11, 7)

    def forward(self, input_ids, attention_mask=None, shift=None):
        states = self.table(input_ids) if attention_mask is None else self.table(input_ids) * attention_mask[..., None]
        return states if shift is None else states + shift[..., None]


def test_a_head_gets_the_mask_and_the_body_everything():
    ids, shift = torch.arange(10).view(2, 5), normal(2, 5)
    model = WithHead(Lookup(), SequenceHead(7, 2, at="last"))
    states = model.body(ids, REAL[:2], shift)
    torch.testing.assert_close(model(ids, REAL[:2], shift=shift), model.head(states, REAL[:2]))


def test_each_choice_is_read_by_itself():
    ids, mask, shift = torch.arange(24).view(2, 3, 4) % 11, torch.ones(2, 3, 4, dtype=torch.long), normal(2, 3, 4)
    mask[1, 2, 2:] = 0
    model = MultipleChoice(Lookup(), SequenceHead(7, 1, at="last"))
    alone = WithHead(model.body, model.head)
    found = model(ids, mask, shift=shift)
    assert found.shape == (2, 3)
    for text in range(2):
        wanted = alone(ids[text], mask[text], shift=shift[text])
        torch.testing.assert_close(found[text], wanted[:, 0])
