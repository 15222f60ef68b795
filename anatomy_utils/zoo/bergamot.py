"""Bergamot: small translators that run in a browser, whose decoder does not attend to its own text.

Kim et al. 2019 (D19-5632), and Bogoychev et al. 2021 (arXiv:2109.10194). Against the 2017 Transformer: the decoder has
two layers where the encoder has six; a recurrent unit (`nn.simple_recurrence`) in place of its self-attention; waves
whose longest is exactly 2π · 10000 positions. The first head of its last layer looks at the word that is being
translated, as Marian can teach it. The decoder begins with a vector of zeros. `marian` reads its files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

from torch import nn

from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import Decoder
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.nn.encoder_decoder import EncoderDecoder
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.norm import LayerNorm, NormPlaces
from anatomy_utils.nn.simple_recurrence import SimpleRecurrence
from anatomy_utils.zoo.checkpoint import KeyMap, Pair
from anatomy_utils.zoo.family import Family, numbers
from anatomy_utils.zoo.m2m_100 import Waves
from anatomy_utils.zoo.transformer import decoder_layers, encoder_layers

EPSILON = 1e-9


@dataclass(frozen=True)
class BergamotConfig:
    """The numbers of a Bergamot translator; the defaults are those of the published small ones."""

    vocab_size: int = 32001
    """The last one is the start of the decoder's text, whose vector is zero and which is never written."""
    d_model: int = 256
    num_layers: int = 6
    num_decoder_layers: int = 2
    num_heads: int = 8
    d_ff: int = 1536
    dropout: float = 0.0

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> BergamotConfig:
        """The numbers that `marian.bergamot` finds; ValueError where one is missing."""
        names = (
            "vocab_size d_model num_layers=encoder_layers num_decoder_layers=decoder_layers "
            "num_heads=encoder_attention_heads d_ff=encoder_ffn_dim"
        )
        return cls(**numbers(config, names))


def bergamot(config: BergamotConfig) -> EncoderDecoder:
    """A Bergamot translator of the given size, with fresh weights."""
    width = config.d_model

    def attention() -> MultiHeadAttention:
        return MultiHeadAttention(width, config.num_heads)

    def feed_forward() -> FeedForward:
        return FeedForward(width, config.d_ff)

    def after() -> NormPlaces:
        return NormPlaces(after=LayerNorm(width, EPSILON))

    def embeddings() -> Embeddings:
        return Embeddings(config.vocab_size, width, Waves(width, 0), scale=sqrt(width), dropout=config.dropout)

    rest = (attention, feed_forward, after, config.dropout)
    layers = decoder_layers(config.num_decoder_layers, *rest)
    for layer in layers:
        layer.self_attention = SimpleRecurrence(width)
    encoder = Encoder(embeddings(), encoder_layers(config.num_layers, *rest))
    return EncoderDecoder(encoder, Decoder(embeddings(), layers), nn.Linear(width, config.vocab_size))


def with_head(config: BergamotConfig, task: str) -> EncoderDecoder:
    """A Bergamot translator, with fresh weights; there is no other task."""
    return bergamot(config)


def _in_layer(published: str, ours: str) -> Pair:
    return rf"(encoder|decoder)\.layers\.(\d+)\.{published}", rf"\1.layers.\2.{ours}"


def _attention(published: str, ours: str) -> Iterator[Pair]:
    yield _in_layer(f"{published}_Wo_ln_scale", f"{ours}_norms.after.weight")
    yield _in_layer(f"{published}_Wo_ln_bias", f"{ours}_norms.after.bias")
    for letter, name in zip("qkvo", ("query", "key", "value", "output"), strict=True):
        yield _in_layer(f"{published}_W{letter}", f"{ours}.to_{name}.weight")
        yield _in_layer(f"{published}_b{letter}", f"{ours}.to_{name}.bias")


KEYS = KeyMap(
    rename=[
        ("tokens", "encoder.embeddings.tokens.weight"),
        ("logits_bias", "vocabulary.bias"),
        *_attention("self", "self_attention"),
        *_attention("context", "cross_attention"),
        _in_layer("rnn_Wf", "self_attention.to_keep.weight"),
        _in_layer("rnn_bf", "self_attention.to_keep.bias"),
        _in_layer("rnn_W", "self_attention.to_state.weight"),
        _in_layer("rnn_ffn_ln_scale", "self_attention_norms.after.weight"),
        _in_layer("rnn_ffn_ln_bias", "self_attention_norms.after.bias"),
        _in_layer("ffn_W1", "feed_forward.expand.weight"),
        _in_layer("ffn_b1", "feed_forward.expand.bias"),
        _in_layer("ffn_W2", "feed_forward.contract.weight"),
        _in_layer("ffn_b2", "feed_forward.contract.bias"),
        _in_layer("ffn_ffn_ln_scale", "feed_forward_norms.after.weight"),
        _in_layer("ffn_ffn_ln_bias", "feed_forward_norms.after.bias"),
    ],
)
TASKS: dict[str, KeyMap] = {"ConditionalGeneration": KEYS}

FAMILY = Family("Bergamot", BergamotConfig.from_published, with_head, TASKS, usual_task="ConditionalGeneration")
