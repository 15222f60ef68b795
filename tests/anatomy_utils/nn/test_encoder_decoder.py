"""Encoder and decoder together: which tables they share."""

import pytest
from torch import nn

from anatomy_utils.nn.encoder_decoder import EncoderDecoder
from anatomy_utils.zoo.transformer import TransformerConfig, transformer

CONFIG = TransformerConfig(11, 6, 1, 2, 3, 7)


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("shared", [False, True])
def test_tables_are_shared_where_it_is_asked(tied, shared):
    encoder, decoder = transformer(CONFIG).encoder, transformer(CONFIG).decoder
    model = EncoderDecoder(encoder, decoder, nn.Linear(6, 11), tied=tied, shared=shared)
    table = decoder.embeddings.tokens.weight
    assert (encoder.embeddings.tokens.weight is table) == shared
    assert (model.vocabulary.weight is table) == tied
