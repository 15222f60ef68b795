"""The Transformer of 2017, as it was published for translation.

Vaswani et al. 2017 (arXiv:1706.03762): six encoder and six decoder layers, post-norm, ReLU, fixed waves for positions,
one table shared by both sides and the output. There is no published checkpoint in use; the tests hold it equal to
`torch.nn.Transformer`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import torch
from torch import nn

from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import Decoder, DecoderLayer
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.encoder import Encoder, EncoderLayer
from anatomy_utils.nn.encoder_decoder import EncoderDecoder
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.norm import LayerNorm, NormPlaces
from anatomy_utils.nn.positions import SinusoidalPositions
from anatomy_utils.zoo.family import Family


@dataclass(frozen=True)
class TransformerConfig:
    """The numbers of a Transformer; the defaults are the paper's base model (table 3)."""

    vocab_size: int = 37000
    d_model: int = 512
    num_layers: int = 6
    num_decoder_layers: int = 6
    num_heads: int = 8
    d_ff: int = 2048
    pre_norm: bool = False
    """Norms before the sub-layers and one at the end of each stack, as most models since."""
    dropout: float = 0.1


def encoder_layers(
    count: int,
    attention: Callable[[], MultiHeadAttention],
    feed_forward: Callable[[], nn.Module],
    norms: Callable[[], NormPlaces],
    dropout: float,
) -> list[EncoderLayer]:
    """So many layers of an encoder, each with parts of its own; the norms around its two sub-layers are alike."""
    return [
        EncoderLayer(
            attention(), feed_forward(), self_attention_norms=norms(), feed_forward_norms=norms(), dropout=dropout
        )
        for _ in range(count)
    ]


def decoder_layers(
    count: int,
    attention: Callable[[], MultiHeadAttention],
    feed_forward: Callable[[], nn.Module],
    norms: Callable[[], NormPlaces],
    dropout: float,
) -> list[DecoderLayer]:
    """The same for a decoder that looks at an encoder's output too."""
    return [
        DecoderLayer(
            attention(),
            feed_forward(),
            self_attention_norms=norms(),
            feed_forward_norms=norms(),
            cross_attention=attention(),
            cross_attention_norms=norms(),
            dropout=dropout,
        )
        for _ in range(count)
    ]


def transformer(config: TransformerConfig, *, generator: torch.Generator | None = None) -> EncoderDecoder:
    """A Transformer of the given size, with fresh weights (Xavier uniform; tables normal of 1/√d_model).

    Args:
        config: the numbers.
        generator: makes the weights; torch's own when left out.
    """

    def norms() -> NormPlaces:
        norm = LayerNorm(config.d_model)
        return NormPlaces(before=norm) if config.pre_norm else NormPlaces(after=norm)

    def attention() -> MultiHeadAttention:
        return MultiHeadAttention(config.d_model, config.num_heads, dropout=config.dropout)

    def feed_forward() -> FeedForward:
        return FeedForward(config.d_model, config.d_ff, dropout=config.dropout)

    def embeddings() -> Embeddings:
        positions = SinusoidalPositions(config.d_model)
        return Embeddings(
            config.vocab_size, config.d_model, positions, scale=sqrt(config.d_model), dropout=config.dropout
        )

    def last() -> LayerNorm | None:
        return LayerNorm(config.d_model) if config.pre_norm else None

    parts = (attention, feed_forward, norms, config.dropout)
    encoder, decoder = encoder_layers(config.num_layers, *parts), decoder_layers(config.num_decoder_layers, *parts)
    model = EncoderDecoder(
        Encoder(embeddings(), encoder, last()),
        Decoder(embeddings(), decoder, norm=last()),
        nn.Linear(config.d_model, config.vocab_size, bias=False),
    )
    for name, parameter in model.named_parameters():
        if "tokens" in name:
            nn.init.normal_(parameter, std=config.d_model**-0.5, generator=generator)
        elif parameter.dim() > 1:
            nn.init.xavier_uniform_(parameter, generator=generator)
        elif name.endswith("bias"):
            nn.init.zeros_(parameter)
    return model


FAMILY = Family("Transformer", lambda entries: TransformerConfig(**entries), transformer)
