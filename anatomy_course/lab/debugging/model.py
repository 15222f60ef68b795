"""The architecture that all broken models share: a small decoder over the toy language's words.

Two layers as in Llama (rotary positions, RMSNorm, a gated feed-forward network), 48 features wide. Without a bug it
writes sentences of the toy language after some seconds of training.
"""

from __future__ import annotations

import torch
from torch import nn

from anatomy_course.lab.street.vocabulary import street_vocabulary
from anatomy_utils.functional.positions import Layout
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import Decoder, DecoderLayer
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.feed_forward import GatedFeedForward
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.nn.norm import NormPlaces, RMSNorm
from anatomy_utils.nn.positions import RotaryPositions
from anatomy_utils.zoo.gpt2 import initialize

D_MODEL, NUM_HEADS, NUM_LAYERS, D_FF = 48, 3, 2, 96
D_HEAD = D_MODEL // NUM_HEADS
ROTARY_BASE = 100.0
"""The longest wave is some hundred positions, which is enough for the toy language's sentences."""


def new_model(
    generator: torch.Generator,
    *,
    vocab_size: int | None = None,
    dropout: float = 0.0,
    layout: Layout = "halves",
) -> LanguageModel:
    """An untrained model.

    Args:
        generator: draws the weights.
        vocab_size: rows of the token table; as many as the toy language has words when left out.
        dropout: probability of dropping a feature of a sub-layer's output while training.
        layout: which features of queries and keys are rotated together.
    """

    def layer() -> DecoderLayer:
        return DecoderLayer(
            MultiHeadAttention(D_MODEL, NUM_HEADS, bias=False),
            GatedFeedForward(D_MODEL, D_FF),
            self_attention_norms=NormPlaces(before=RMSNorm(D_MODEL)),
            feed_forward_norms=NormPlaces(before=RMSNorm(D_MODEL)),
            dropout=dropout,
        )

    size = vocab_size or len(street_vocabulary())
    decoder = Decoder(
        Embeddings(size, D_MODEL),
        [layer() for _ in range(NUM_LAYERS)],
        norm=RMSNorm(D_MODEL),
        rotary=RotaryPositions(D_HEAD, base=ROTARY_BASE, layout=layout),
    )
    model = LanguageModel(decoder, nn.Linear(D_MODEL, size, bias=False))
    initialize(model, NUM_LAYERS, generator=generator)
    return model
