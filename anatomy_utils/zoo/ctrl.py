"""CTRL: a decoder that is told by its first token what kind of text to write.

Keskar et al. 2019 (arXiv:1909.05858). The control code is a token like any other; nothing in the model knows of it.
Against GPT-2: ReLU, fixed waves instead of learned positions (all sines, then all cosines), scaled token vectors, a
vocabulary of 246,534 whose projection adds a bias, and no dropout inside attention.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

from torch import nn

from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import Decoder, DecoderLayer
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.heads import LanguageModel, SequenceHead, WithHead
from anatomy_utils.nn.norm import LayerNorm, NormPlaces
from anatomy_utils.nn.positions import SinusoidalPositions
from anatomy_utils.zoo.checkpoint import KeyMap
from anatomy_utils.zoo.family import Family, read

NORM_EPSILON = 1e-6


@dataclass(frozen=True)
class CtrlConfig:
    """The numbers of a CTRL; the defaults are those of the published one (1.6 billion parameters)."""

    vocab_size: int = 246534
    d_model: int = 1280
    num_layers: int = 48
    num_heads: int = 16
    d_ff: int = 8192
    dropout: float = 0.1

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> CtrlConfig:
        """Read the entries of a Hugging Face `config.json`.

        Raises:
            ValueError: an entry is missing, or the last norm has another epsilon than those of the layers.
        """
        epsilon = config.get("layer_norm_epsilon", NORM_EPSILON)
        if epsilon != NORM_EPSILON:
            raise ValueError(f"layer_norm_epsilon is {epsilon}, but all norms of CTRL here have {NORM_EPSILON}.")
        return cls(*read(config, *"vocab_size n_embd n_layer n_head dff resid_pdrop".split()))


def ctrl(config: CtrlConfig) -> Decoder:
    """The stack of a CTRL of the given size, with fresh weights."""

    def norm() -> LayerNorm:
        return LayerNorm(config.d_model, NORM_EPSILON)

    def layer() -> DecoderLayer:
        return DecoderLayer(
            MultiHeadAttention(config.d_model, config.num_heads),
            FeedForward(config.d_model, config.d_ff),
            self_attention_norms=NormPlaces(before=norm()),
            feed_forward_norms=NormPlaces(before=norm()),
            dropout=config.dropout,
        )

    embeddings = Embeddings(
        config.vocab_size,
        config.d_model,
        SinusoidalPositions(config.d_model, interleaved=False),
        scale=sqrt(config.d_model),
        dropout=config.dropout,
    )
    return Decoder(embeddings, [layer() for _ in range(config.num_layers)], norm=norm())


def with_head(config: CtrlConfig, task: str, num_labels: int = 2) -> nn.Module:
    """A CTRL with the head of a task, with fresh weights; see `TASKS`."""
    body, width = ctrl(config), config.d_model
    if task == "LMHeadModel":
        return LanguageModel(body, nn.Linear(width, config.vocab_size))
    if task == "SequenceClassification":
        return WithHead(body, SequenceHead(width, num_labels, at="last", activation=None, bias=False))
    return body


_LAYER = r"(?:transformer\.)?h\.(\d+)\."
_ATTENTION = {"Wq": "query", "Wk": "key", "Wv": "value", "dense": "output"}
KEYS = KeyMap(
    rename=[
        (r"(?:transformer\.)?w\.weight", r"embeddings.tokens.weight"),
        (r"(?:transformer\.)?layernorm\.(weight|bias)", r"norm.\1"),
        *(
            (_LAYER + rf"multi_head_attention\.{a}\.(weight|bias)", rf"layers.\1.self_attention.to_{b}.\2")
            for a, b in _ATTENTION.items()
        ),
        (_LAYER + r"layernorm1\.(weight|bias)", r"layers.\1.self_attention_norms.before.\2"),
        (_LAYER + r"layernorm2\.(weight|bias)", r"layers.\1.feed_forward_norms.before.\2"),
        (_LAYER + r"ffn\.0\.(weight|bias)", r"layers.\1.feed_forward.expand.\2"),
        (_LAYER + r"ffn\.2\.(weight|bias)", r"layers.\1.feed_forward.contract.\2"),
    ],
    ignore=[r"lm_head\.(weight|bias)"],
)
TASKS: dict[str, KeyMap] = {
    "Model": KEYS,
    "LMHeadModel": KEYS.within("decoder.", (r"lm_head\.(weight|bias)", r"vocabulary.\1"), ignore=[]),
    "SequenceClassification": KEYS.within("body.", (r"classifier\.weight", "head.labels.weight")),
}

FAMILY = Family("CTRL", CtrlConfig.from_published, with_head, TASKS)
