"""GPT-2: the decoder by itself, trained to predict the next token.

Radford et al. 2019. Against the 2017 decoder: no cross-attention, norms before the sub-layers and one at the end,
learned positions, the tanh approximation of GELU. Surprises in its checkpoints: queries, keys and values come out of
one matrix, and matrices are stored transposed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from anatomy_utils.functional.feed_forward import gelu_tanh
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import Decoder, DecoderLayer
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.norm import LayerNorm, NormPlaces
from anatomy_utils.nn.positions import LearnedPositions
from anatomy_utils.zoo.checkpoint import MIXED, KeyMap, sub_layers, transposed
from anatomy_utils.zoo.family import Family, classifier_dropout, numbers, require
from anatomy_utils.zoo.heads import on_decoder, under_decoder_heads


@dataclass(frozen=True)
class Gpt2Config:
    """The numbers of a GPT-2; the defaults are the small one's (124 million parameters)."""

    vocab_size: int = 50257
    d_model: int = 768
    num_layers: int = 12
    num_heads: int = 12
    max_positions: int = 1024
    d_ff: int = 3072
    norm_epsilon: float = 1e-5
    dropout: float = 0.1
    attention_dropout: float = 0.1
    classifier_dropout: float = 0.1
    """Before the labels of a token classifier."""

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> Gpt2Config:
        """The numbers in a published `config.json`; ValueError where one is missing, or not as GPT-2 has it."""
        scaled = {"scale_attn_by_inverse_layer_idx": False, "scale_attn_weights": True}
        require(config, "GPT-2", activation_function="gelu_new", **scaled)
        names = "vocab_size d_model=n_embd num_layers=n_layer num_heads=n_head max_positions=n_positions"
        optional = "norm_epsilon=layer_norm_epsilon dropout=resid_pdrop attention_dropout=attn_pdrop"
        known = numbers(config, names, optional)
        d_ff = config.get("n_inner") or 4 * known["d_model"]
        return cls(**known, d_ff=d_ff, classifier_dropout=classifier_dropout(config))


def gpt2(config: Gpt2Config) -> Decoder:
    """The stack of a GPT-2 of the given size, with fresh weights."""

    def norm() -> LayerNorm:
        return LayerNorm(config.d_model, config.norm_epsilon)

    def layer() -> DecoderLayer:
        return DecoderLayer(
            MultiHeadAttention(config.d_model, config.num_heads, dropout=config.attention_dropout),
            FeedForward(config.d_model, config.d_ff, activation=gelu_tanh),
            self_attention_norms=NormPlaces(before=norm()),
            feed_forward_norms=NormPlaces(before=norm()),
            dropout=config.dropout,
        )

    positions = LearnedPositions(config.max_positions, config.d_model)
    embeddings = Embeddings(config.vocab_size, config.d_model, positions, dropout=config.dropout)
    return Decoder(embeddings, [layer() for _ in range(config.num_layers)], norm=norm())


def with_head(
    config: Gpt2Config, task: str, num_labels: int = 2, *, stack: Callable[[Any], Decoder] = gpt2
) -> nn.Module:
    """A GPT-2, or a relative with another `stack`, with the head of a task, with fresh weights; see `TASKS`."""
    return on_decoder(stack(config), task, num_labels, dropout=config.classifier_dropout)


_LAYER = r"(?:transformer\.)?h\.(\d+)\."
KEYS = KeyMap(
    rename=[
        (r"(?:transformer\.)?wte\.weight", r"embeddings.tokens.weight"),
        (r"(?:transformer\.)?wpe\.weight", r"embeddings.positions.table.weight"),
        (r"(?:transformer\.)?ln_f\.(weight|bias)", r"norm.\1"),
        *sub_layers(_LAYER, "before", r"ln_1 ln_2 mlp\.c_fc mlp\.c_proj"),
        (_LAYER + r"attn\.c_attn\.(weight|bias)", MIXED),
        (_LAYER + r"attn\.c_proj\.(weight|bias)", r"layers.\1.self_attention.to_output.\2"),
    ],
    ignore=[
        _LAYER + r"attn\.(masked_)?bias",  # the causal mask that old files stored
        r"lm_head\.weight",  # the token table once more, where nothing is written
    ],
    change=[(_LAYER + r"(attn|mlp)\.c_\w+\.weight", transposed)],
)
TASKS = under_decoder_heads(KEYS, "LMHeadModel")

FAMILY = Family("GPT2", Gpt2Config.from_published, with_head, TASKS)


def initialize(model: nn.Module, num_layers: int, *, generator: torch.Generator) -> None:
    """Fresh weights as GPT-2's: normal of 0.02, for the projections into the residual stream 1/√(2 · layers) of it.

    Radford et al. 2019, section 2.3.
    """
    for name, parameter in model.named_parameters():
        if parameter.dim() < 2:
            nn.init.zeros_(parameter) if name.endswith("bias") else nn.init.ones_(parameter)
            continue
        into_residual = name.endswith(("to_output.weight", "contract.weight"))
        nn.init.normal_(parameter, std=0.02 / (2 * num_layers) ** 0.5 if into_residual else 0.02, generator=generator)
