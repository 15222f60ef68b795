"""Heads: which position each reads, and what its logits are, written out with its own weights."""

import pytest
import torch
from random_tensors import normal
from torch import nn
from torch.nn import functional as F

from anatomy_utils.nn.heads import (
    LanguageModel,
    MaskedLanguageHead,
    MultipleChoice,
    PretrainingHead,
    ReplacedTokenHead,
    SequenceHead,
    SpanHead,
    TokenHead,
    WithHead,
)
from anatomy_utils.nn.norm import LayerNorm
from anatomy_utils.zoo.gpt2 import Gpt2Config, gpt2

STATES = normal(3, 5, 7)
REAL = torch.tensor([[1] * 5, [1] * 2 + [0] * 3, [0] * 2 + [1] * 3])


@pytest.mark.parametrize(("at", "mask", "speakers"), [("first", REAL, 0), ("last", None, 4), ("last", REAL, [4, 1, 4])])
def test_one_position_speaks_for_the_text(at, mask, speakers):
    head = SequenceHead(7, 2, at=at)
    speaker = STATES[torch.arange(3), torch.tensor(speakers)]
    torch.testing.assert_close(head(STATES, mask), head.labels(head.dense(speaker).tanh()))
    bare = SequenceHead(7, 2, at=at, activation=None, bias=False)
    torch.testing.assert_close(bare(STATES, mask), speaker @ bare.labels.weight.T)


def test_tokens_and_ends_of_spans_are_read_one_by_one():
    tags, spans, replaced = TokenHead(7, 2), SpanHead(7), ReplacedTokenHead(7)
    torch.testing.assert_close(tags(STATES)[1, 2], tags.labels(STATES[1, 2]))
    start, end = spans(STATES)
    torch.testing.assert_close(torch.stack([start, end], -1)[1, 2], spans.ends(STATES[1, 2]))
    by_hand = replaced.replaced(F.gelu(replaced.dense(STATES[1, 2])))[0]
    torch.testing.assert_close(replaced(STATES)[1, 2], by_hand)


def test_masked_words_are_those_of_the_shared_table():
    tokens, norm = nn.Embedding(11, 3), LayerNorm(3)
    head = MaskedLanguageHead(tokens, norm, d_model=7)
    wanted = norm(F.gelu(head.dense(STATES))) @ tokens.weight.T + head.vocabulary.bias
    torch.testing.assert_close(head(STATES), wanted)
    both = PretrainingHead(head, SequenceHead(7, 2))
    torch.testing.assert_close(both(STATES).tokens, wanted)
    torch.testing.assert_close(both(STATES).next_sentence, both.next_sentence(STATES))


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


@torch.no_grad()
@pytest.mark.parametrize("tied", [False, True])
def test_a_language_model_gives_the_logits_of_its_vocabulary(tied):
    body = gpt2(Gpt2Config(31, 12, 2, 3, 40, 17)).eval()
    model, ids = LanguageModel(body, nn.Linear(12, 31, bias=False), tied=tied).eval(), torch.tensor([[3, 1, 4, 1, 5]])
    assert (model.vocabulary.weight is body.embeddings.tokens.weight) == tied
    wanted = body(ids) @ model.vocabulary.weight.T
    torch.testing.assert_close(model(ids), wanted)
    torch.testing.assert_close(model.step(ids, model.start(1, 5))[0], wanted[:, -1], atol=1e-5, rtol=1e-4)
