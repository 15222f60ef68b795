"""Llama: what a decoder has become.

Touvron et al. 2023 (arXiv:2302.13971). Against GPT-2: rotary positions, RMSNorm, a SiLU gate in the feed-forward
network, no biases, and (since Llama 2) fewer key/value heads than query heads. SmolLM2 is a small Llama.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from torch import nn

from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import Decoder, DecoderLayer
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.feed_forward import GatedFeedForward
from anatomy_utils.nn.norm import NormPlaces, RMSNorm
from anatomy_utils.nn.positions import RotaryPositions
from anatomy_utils.zoo.checkpoint import KeyMap, part, projections, sub_layers
from anatomy_utils.zoo.family import USUAL, Family, classifier_dropout, numbers, require
from anatomy_utils.zoo.heads import BY_TOKEN, SCORE, on_decoder, under_decoder_heads


@dataclass(frozen=True)
class LlamaConfig:
    """The numbers of a Llama; the defaults are Llama 1's with 7 billion parameters."""

    vocab_size: int = 32000
    d_model: int = 4096
    num_layers: int = 32
    num_heads: int = 32
    num_kv_heads: int = 32
    d_ff: int = 11008
    d_head: int = 128
    max_positions: int = 2048
    norm_epsilon: float = 1e-6
    rotary_base: float = 10_000.0
    tied: bool = False
    attention_bias: bool = False
    feed_forward_bias: bool = False
    classifier_dropout: float = 0.1
    """Before the labels of a token classifier."""

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> LlamaConfig:
        """The numbers in a published `config.json`; ValueError where one is missing, or not as Llama has it here."""
        rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
        if rope.get("rope_type", rope.get("type", "default")) != "default":
            raise ValueError(f"The rotary positions are scaled ({rope}), which Llama here does not do.")
        require(config, "Llama", hidden_act="silu")
        optional = (
            "max_positions=max_position_embeddings norm_epsilon=rms_norm_eps tied=tie_word_embeddings attention_bias "
            "feed_forward_bias=mlp_bias"
        )
        known = numbers(config, USUAL, optional)
        return cls(
            **known,
            num_kv_heads=config.get("num_key_value_heads") or known["num_heads"],
            d_head=config.get("head_dim") or known["d_model"] // known["num_heads"],
            rotary_base=rope.get("rope_theta", config.get("rope_theta", 10_000.0)),
            classifier_dropout=classifier_dropout(config),
        )


def llama(config: LlamaConfig) -> Decoder:
    """The stack of a Llama of the given size, with fresh weights."""

    def norm() -> RMSNorm:
        return RMSNorm(config.d_model, config.norm_epsilon)

    def layer() -> DecoderLayer:
        attention = MultiHeadAttention(
            config.d_model,
            config.num_heads,
            num_kv_heads=config.num_kv_heads,
            d_head=config.d_head,
            bias=config.attention_bias,
        )
        return DecoderLayer(
            attention,
            GatedFeedForward(config.d_model, config.d_ff, bias=config.feed_forward_bias),
            self_attention_norms=NormPlaces(before=norm()),
            feed_forward_norms=NormPlaces(before=norm()),
        )

    return Decoder(
        Embeddings(config.vocab_size, config.d_model),
        [layer() for _ in range(config.num_layers)],
        norm=norm(),
        rotary=RotaryPositions(config.d_head, base=config.rotary_base),
    )


def with_head(
    config: LlamaConfig, task: str, num_labels: int = 2, *, stack: Callable[[Any], Decoder] = llama
) -> nn.Module:
    """A Llama, or a relative with another `stack`, with the head of a task, with fresh weights; see `TASKS`."""
    return on_decoder(stack(config), task, num_labels, tied=config.tied, dropout=config.classifier_dropout)


LAYER = r"(?:\w+\.)?layers\.(\d+)\."
"""How the published names of a layer begin."""
KEYS = KeyMap(
    rename=[
        (r"(?:\w+\.)?embed_tokens\.weight", r"embeddings.tokens.weight"),
        (r"(?:\w+\.)?norm\.weight", r"norm.weight"),
        *projections(LAYER + r"self_attn\.", "q_proj k_proj v_proj o_proj"),
        part(LAYER + r"mlp\.gate_proj", r"layers.\1.feed_forward.gate"),
        *sub_layers(LAYER, "before", r"input_layernorm post_attention_layernorm mlp\.up_proj mlp\.down_proj"),
    ],
    ignore=[r".*\.rotary_emb\.inv_freq"],  # computed from the base
)


def tasks(keys: KeyMap) -> dict[str, KeyMap]:
    """The same stack under every head; that for tokens is called "score" too."""
    labels = {"SequenceClassification": [SCORE], "TokenClassification": [SCORE]}
    return under_decoder_heads(keys, **BY_TOKEN | labels)


TASKS = tasks(KEYS)

FAMILY = Family("Llama", LlamaConfig.from_published, with_head, TASKS)
