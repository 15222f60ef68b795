"""Llama: what a decoder has become.

Touvron et al. 2023 (arXiv:2302.13971). Against GPT-2: rotary positions, RMSNorm, a SiLU gate in the feed-forward
network, no biases, and (since Llama 2) fewer key/value heads than query heads. SmolLM2 is a small Llama.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch import nn

from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import Decoder, DecoderLayer
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.feed_forward import GatedFeedForward
from anatomy_utils.nn.heads import LanguageModel, SequenceHead, SpanHead, TokenHead, WithHead
from anatomy_utils.nn.norm import NormPlaces, RMSNorm
from anatomy_utils.nn.positions import RotaryPositions
from anatomy_utils.zoo.checkpoint import KeyMap
from anatomy_utils.zoo.family import Family, classifier_dropout, read, require


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
        """Read the entries of a Hugging Face `config.json`.

        Raises:
            ValueError: an entry is missing, or the model has a variation that Llama here does not have.
        """
        rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
        if rope.get("rope_type", rope.get("type", "default")) != "default":
            raise ValueError(f"The rotary positions are scaled ({rope}), which Llama here does not do.")
        require(config, "Llama", hidden_act="silu")
        names = "vocab_size hidden_size num_hidden_layers num_attention_heads intermediate_size"
        vocab_size, d_model, num_layers, num_heads, d_ff = read(config, *names.split())
        return cls(
            vocab_size,
            d_model,
            num_layers,
            num_heads,
            num_kv_heads=config.get("num_key_value_heads") or num_heads,
            d_ff=d_ff,
            d_head=config.get("head_dim") or d_model // num_heads,
            max_positions=config.get("max_position_embeddings", 2048),
            norm_epsilon=config.get("rms_norm_eps", 1e-6),
            rotary_base=rope.get("rope_theta", config.get("rope_theta", 10_000.0)),
            tied=config.get("tie_word_embeddings", False),
            attention_bias=config.get("attention_bias", False),
            feed_forward_bias=config.get("mlp_bias", False),
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


def with_head(config: LlamaConfig, task: str, num_labels: int = 2, *, body: Decoder | None = None) -> nn.Module:
    """A Llama, or the `body` that another family makes of it, with the head of a task; see `TASKS`. Fresh weights."""
    body, width = body or llama(config), config.d_model
    if task == "CausalLM":
        return LanguageModel(body, nn.Linear(width, config.vocab_size, bias=False), tied=config.tied)
    heads = {
        "SequenceClassification": lambda: SequenceHead(width, num_labels, at="last", activation=None, bias=False),
        "TokenClassification": lambda: TokenHead(width, num_labels, dropout=config.classifier_dropout),
        "QuestionAnswering": lambda: SpanHead(width),
    }
    return WithHead(body, heads[task]()) if task in heads else body


_LAYER = r"(?:\w+\.)?layers\.(\d+)\."
KEYS = KeyMap(
    rename=[
        (r"(?:\w+\.)?embed_tokens\.weight", r"embeddings.tokens.weight"),
        (r"(?:\w+\.)?norm\.weight", r"norm.weight"),
        (_LAYER + r"input_layernorm\.weight", r"layers.\1.self_attention_norms.before.weight"),
        (_LAYER + r"post_attention_layernorm\.weight", r"layers.\1.feed_forward_norms.before.weight"),
        (_LAYER + r"self_attn\.q_proj\.(weight|bias)", r"layers.\1.self_attention.to_query.\2"),
        (_LAYER + r"self_attn\.k_proj\.(weight|bias)", r"layers.\1.self_attention.to_key.\2"),
        (_LAYER + r"self_attn\.v_proj\.(weight|bias)", r"layers.\1.self_attention.to_value.\2"),
        (_LAYER + r"self_attn\.o_proj\.(weight|bias)", r"layers.\1.self_attention.to_output.\2"),
        (_LAYER + r"mlp\.gate_proj\.(weight|bias)", r"layers.\1.feed_forward.gate.\2"),
        (_LAYER + r"mlp\.up_proj\.(weight|bias)", r"layers.\1.feed_forward.expand.\2"),
        (_LAYER + r"mlp\.down_proj\.(weight|bias)", r"layers.\1.feed_forward.contract.\2"),
    ],
    ignore=[r".*\.rotary_emb\.inv_freq"],  # computed from the base
)


def tasks(keys: KeyMap) -> dict[str, KeyMap]:
    """The same stack under every head."""
    return {
        "Model": keys,
        "CausalLM": keys.within("decoder.", (r"lm_head\.weight", "vocabulary.weight")),
        "SequenceClassification": keys.within("body.", (r"score\.weight", "head.labels.weight")),
        "TokenClassification": keys.within("body.", (r"score\.(weight|bias)", r"head.labels.\1")),
        "QuestionAnswering": keys.within("body.", (r"qa_outputs\.(weight|bias)", r"head.ends.\1")),
    }


TASKS = tasks(KEYS)

FAMILY = Family("Llama", LlamaConfig.from_published, with_head, TASKS)
