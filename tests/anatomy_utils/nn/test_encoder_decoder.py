"""Encoder and decoder together: what they share, what cross-attention reads, and a text that is written again."""

import pytest
import torch
from torch import nn

from anatomy_utils.functional import masks
from anatomy_utils.nn.encoder_decoder import EncoderDecoder, Rewriter
from anatomy_utils.zoo.transformer import TransformerConfig, transformer

SOURCE, TARGET = torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 0, 0]]), torch.tensor([[1, 2, 3], [4, 5, 6]])
REAL = torch.tensor([[1] * 5, [1] * 3 + [0] * 2])


def stacks(seed=0):
    """An encoder and a decoder with a token table of its own each."""
    torch.manual_seed(seed)
    config = TransformerConfig(11, 6, 1, 2, 3, 7)
    return transformer(config).eval().encoder, transformer(config).eval().decoder


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("shared", [False, True])
def test_tables_are_shared_where_it_is_asked(tied, shared):
    encoder, decoder = stacks()
    model = EncoderDecoder(encoder, decoder, nn.Linear(6, 11), tied=tied, shared=shared)
    table = decoder.embeddings.tokens.weight
    assert (encoder.embeddings.tokens.weight is table) == shared
    assert (model.vocabulary.weight is table) == tied


@torch.no_grad()
def test_logits_are_those_of_the_two_stacks_one_after_the_other():
    encoder, decoder = stacks()
    model = EncoderDecoder(encoder, decoder, nn.Linear(6, 11), output_scale=0.5).eval()
    states = decoder(TARGET, memory=encoder(SOURCE, REAL), memory_mask=masks.padding(REAL))
    wanted = model.vocabulary(states * 0.5)
    torch.testing.assert_close(model(SOURCE, TARGET, REAL), wanted)
    step, _ = model.step(TARGET, model.start(SOURCE, 3, attention_mask=REAL))
    torch.testing.assert_close(step, wanted[:, -1])
    other = SOURCE.clone()
    other[1, 3:] = 7
    torch.testing.assert_close(model(other, TARGET, REAL), wanted)


@torch.no_grad()
def test_a_rewriter_reads_the_text_one_token_late():
    model = EncoderDecoder(*stacks(), nn.Identity(), tied=False).eval()
    late = torch.tensor([[10, 3, 1, 4, 1], [10, 9, 2, 6, 0]])
    torch.testing.assert_close(Rewriter(model, 10)(SOURCE, REAL), model(SOURCE, late, REAL))
