"""T5: every task as text in, text out.

Raffel et al. 2020 (arXiv:1910.10683). Against the 2017 encoder–decoder: norms before the sub-layers and without mean or
shift (RMSNorm), relative positions as a number added to the scores, no biases. Surprises in its checkpoints: scores are
not divided by √d_head; hidden states are divided by √d_model before a tied projection. Version 1.1 has a GELU gate
in the feed-forward network and no tied projection.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_utils.attention import MultiHeadAttention
from anatomy_utils.decoder import Decoder, DecoderLayer
from anatomy_utils.embeddings import Embeddings
from anatomy_utils.encoder import Encoder, EncoderLayer
from anatomy_utils.feed_forward import FeedForward, GatedFeedForward, gelu_tanh
from anatomy_utils.norm import Norms, RMSNorm
from anatomy_utils.positions import T5Bias
from anatomy_utils.seq2seq import EncoderDecoder
from anatomy_utils.zoo.checkpoint import KeyMap, load_published, pick, task_of, unfilled


@dataclass(frozen=True)
class T5Config:
    """The numbers of a T5; the defaults are T5-small's."""

    vocab_size: int = 32128
    d_model: int = 512
    d_head: int = 64
    d_ff: int = 2048
    num_layers: int = 6
    num_decoder_layers: int = 6
    num_heads: int = 8
    num_buckets: int = 32
    max_distance: int = 128
    gated: bool = False
    """Version 1.1: a GELU gate in the feed-forward network."""
    tied: bool = True
    output_scaled: bool = True
    """Whether hidden states are divided by √d_model before the projection."""
    norm_epsilon: float = 1e-6
    dropout: float = 0.1

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> T5Config:
        """Read the entries of a Hugging Face `config.json`.

        Raises:
            ValueError: an entry is missing, or the feed-forward network is another one.
        """
        kind = config.get("feed_forward_proj", "relu")
        if kind not in ("relu", "gated-gelu"):
            raise ValueError(f"feed_forward_proj is {kind!r}, but T5 here has 'relu' or (version 1.1) 'gated-gelu'.")
        vocab_size, d_model, d_head, d_ff, layers, heads = pick(
            config, "vocab_size", "d_model", "d_kv", "d_ff", "num_layers", "num_heads"
        )
        tied = config.get("tie_word_embeddings", True)
        return cls(
            vocab_size,
            d_model,
            d_head,
            d_ff,
            layers,
            config.get("num_decoder_layers") or layers,
            heads,
            num_buckets=config.get("relative_attention_num_buckets", 32),
            max_distance=config.get("relative_attention_max_distance", 128),
            gated=kind == "gated-gelu",
            tied=tied,
            output_scaled=config.get("scale_decoder_outputs", tied),
            norm_epsilon=config.get("layer_norm_epsilon", 1e-6),
            dropout=config.get("dropout_rate", 0.1),
        )


def t5(config: T5Config) -> EncoderDecoder:
    """A T5 of the given size, with fresh weights."""

    def norm() -> RMSNorm:
        return RMSNorm(config.d_model, config.norm_epsilon)

    def attention() -> MultiHeadAttention:
        return MultiHeadAttention(
            config.d_model, config.num_heads, d_head=config.d_head, bias=False, dropout=config.dropout, scale=1.0
        )

    def feed_forward() -> nn.Module:
        if config.gated:
            return GatedFeedForward(config.d_model, config.d_ff, activation=gelu_tanh, dropout=config.dropout)
        return FeedForward(config.d_model, config.d_ff, activation=F.relu, bias=False, dropout=config.dropout)

    def before() -> Norms:
        return Norms(before=norm())

    def embeddings() -> Embeddings:
        return Embeddings(config.vocab_size, config.d_model, dropout=config.dropout)

    def bias(*, bidirectional: bool) -> T5Bias:
        return T5Bias(
            config.num_heads,
            bidirectional=bidirectional,
            num_buckets=config.num_buckets,
            max_distance=config.max_distance,
        )

    encoder_layers = [
        EncoderLayer(
            attention(), feed_forward(), attention_norms=before(), feed_forward_norms=before(), dropout=config.dropout
        )
        for _ in range(config.num_layers)
    ]
    decoder_layers = [
        DecoderLayer(
            attention(),
            feed_forward(),
            self_attention_norms=before(),
            feed_forward_norms=before(),
            cross_attention=attention(),
            cross_attention_norms=before(),
            dropout=config.dropout,
        )
        for _ in range(config.num_decoder_layers)
    ]
    return EncoderDecoder(
        Encoder(embeddings(), encoder_layers, norm(), score_bias=bias(bidirectional=True)),
        Decoder(embeddings(), decoder_layers, norm=norm(), score_bias=bias(bidirectional=False)),
        nn.Linear(config.d_model, config.vocab_size, bias=False),
        tied=config.tied,
        output_scale=config.d_model**-0.5 if config.output_scaled else 1.0,
    )


_BLOCK = r"(encoder|decoder)\.block\.(\d+)\.layer\.\d\."
_DECODER = r"decoder.layers.\1."
_FEED_FORWARD = {"wi": "expand", "wi_0": "gate", "wi_1": "expand", "wo": "contract"}
_PARTS = {"q": "query", "k": "key", "v": "value", "o": "output"}
KEYS = KeyMap(
    rename=[
        (r"shared\.weight", "encoder.embeddings.tokens.weight"),
        (r"(encoder|decoder)\.embed_tokens\.weight", r"\1.embeddings.tokens.weight"),
        (r"lm_head\.weight", "vocabulary.weight"),
        (r"(encoder|decoder)\.final_layer_norm\.weight", r"\1.norm.weight"),
        (_BLOCK + r"SelfAttention\.relative_attention_bias\.weight", r"\1.score_bias.table.weight"),
        *(
            (_BLOCK + rf"SelfAttention\.{a}\.weight", rf"\1.layers.\2.self_attention.to_{b}.weight")
            for a, b in _PARTS.items()
        ),
        *(
            (_BLOCK + rf"EncDecAttention\.{a}\.weight", rf"\1.layers.\2.cross_attention.to_{b}.weight")
            for a, b in _PARTS.items()
        ),
        *(
            (_BLOCK + rf"DenseReluDense\.{a}\.weight", rf"\1.layers.\2.feed_forward.{b}.weight")
            for a, b in _FEED_FORWARD.items()
        ),
        (r"encoder\.block\.(\d+)\.layer\.0\.layer_norm\.weight", r"encoder.layers.\1.attention_norms.before.weight"),
        (r"encoder\.block\.(\d+)\.layer\.1\.layer_norm\.weight", r"encoder.layers.\1.feed_forward_norms.before.weight"),
        (r"decoder\.block\.(\d+)\.layer\.0\.layer_norm\.weight", _DECODER + r"self_attention_norms.before.weight"),
        (r"decoder\.block\.(\d+)\.layer\.1\.layer_norm\.weight", _DECODER + r"cross_attention_norms.before.weight"),
        (r"decoder\.block\.(\d+)\.layer\.2\.layer_norm\.weight", _DECODER + r"feed_forward_norms.before.weight"),
    ],
    # In old files, and never used:
    ignore=[r"decoder\.block\.\d+\.layer\.1\.EncDecAttention\.relative_attention_bias\.weight"],
)
TASKS: dict[str, KeyMap] = {"ConditionalGeneration": KEYS}
"""Task, as published architectures name it → where each tensor goes."""


def load(config: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> EncoderDecoder:
    """A T5, ready to use (dropout off)."""
    task = task_of({"architectures": ["T5ForConditionalGeneration"]} | dict(config), "T5", TASKS)
    with unfilled():
        model = t5(T5Config.from_published(config))
    load_published(model, tensors, TASKS[task])
    return model.eval()
