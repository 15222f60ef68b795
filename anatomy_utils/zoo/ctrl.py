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

from anatomy_utils.nn.decoder import Decoder
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.positions import SinusoidalPositions
from anatomy_utils.zoo.checkpoint import KeyMap, part, projections, sub_layers
from anatomy_utils.zoo.family import Family, numbers
from anatomy_utils.zoo.gpt2 import Gpt2Config, gpt2
from anatomy_utils.zoo.heads import LABELS, on_decoder, under_decoder_heads

NORM_EPSILON = 1e-6


@dataclass(frozen=True)
class CtrlConfig(Gpt2Config):
    """The numbers of a CTRL; the defaults are those of the published one (1.6 billion parameters)."""

    vocab_size: int = 246534
    d_model: int = 1280
    num_layers: int = 48
    num_heads: int = 16
    max_positions: int = 256
    """Of the texts in training; the waves go on beyond."""
    d_ff: int = 8192
    norm_epsilon: float = NORM_EPSILON
    attention_dropout: float = 0.0

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> CtrlConfig:
        """The numbers in a `config.json`; ValueError where one is missing, or the last norm has another epsilon."""
        epsilon = config.get("layer_norm_epsilon", NORM_EPSILON)
        if epsilon != NORM_EPSILON:
            raise ValueError(f"layer_norm_epsilon is {epsilon}, but all norms of CTRL here have {NORM_EPSILON}.")
        names = "vocab_size d_model=n_embd num_layers=n_layer num_heads=n_head d_ff=dff dropout=resid_pdrop"
        return cls(**numbers(config, names, "max_positions=n_positions"))


def ctrl(config: CtrlConfig) -> Decoder:
    """The stack of a CTRL of the given size, with fresh weights."""
    stack = gpt2(config)
    stack.embeddings = Embeddings(
        config.vocab_size,
        config.d_model,
        SinusoidalPositions(config.d_model, interleaved=False),
        scale=sqrt(config.d_model),
        dropout=config.dropout,
    )
    for layer in stack.layers:
        layer.feed_forward = FeedForward(config.d_model, config.d_ff)  # with ReLU
    return stack


def with_head(config: CtrlConfig, task: str, num_labels: int = 2) -> nn.Module:
    """A CTRL with the head of a task, with fresh weights; see `TASKS`."""
    return on_decoder(ctrl(config), task, num_labels, bias=True)


_LAYER = r"(?:transformer\.)?h\.(\d+)\."
KEYS = KeyMap(
    rename=[
        (r"(?:transformer\.)?w\.weight", r"embeddings.tokens.weight"),
        part(r"(?:transformer\.)?layernorm", "norm"),
        *projections(_LAYER + r"multi_head_attention\.", "Wq Wk Wv dense"),
        *sub_layers(_LAYER, "before", r"layernorm1 layernorm2 ffn\.0 ffn\.2"),
    ],
    ignore=[r"lm_head\.(weight|bias)"],
)
TASKS = under_decoder_heads(KEYS, "LMHeadModel", SequenceClassification=[LABELS])

FAMILY = Family("CTRL", CtrlConfig.from_published, with_head, TASKS)
