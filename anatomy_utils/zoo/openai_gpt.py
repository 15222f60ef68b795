"""GPT: the decoder by itself, before it had a number.

Radford et al. 2018, "Improving Language Understanding by Generative Pre-Training". Against the 2017 decoder: no
cross-attention, learned positions, the tanh approximation of GELU. Against GPT-2, its successor: the norms stand after
the sub-layers, and none at the end. In its checkpoints, as in GPT-2's, queries, keys and values come out of one matrix,
and matrices are stored transposed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from anatomy_utils.attention import MultiHeadAttention
from anatomy_utils.decoder import Decoder, DecoderLayer
from anatomy_utils.embeddings import Embeddings
from anatomy_utils.feed_forward import FeedForward, gelu_tanh
from anatomy_utils.heads import LanguageModel, SequenceHead, WithHead
from anatomy_utils.norm import LayerNorm, Norms
from anatomy_utils.positions import LearnedPositions
from anatomy_utils.zoo.checkpoint import (
    KeyMap,
    load_published,
    number_of_labels,
    pick,
    task_of,
    transposed,
    unfilled,
)


@dataclass(frozen=True)
class GptConfig:
    """The numbers of a GPT; the defaults are those of the only published one."""

    vocab_size: int = 40478
    d_model: int = 768
    num_layers: int = 12
    num_heads: int = 12
    max_positions: int = 512
    norm_epsilon: float = 1e-5
    dropout: float = 0.1
    attention_dropout: float = 0.1

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> GptConfig:
        """Read the entries of a Hugging Face `config.json`.

        Raises:
            ValueError: an entry is missing, or the activation is another one than "gelu".
        """
        if config.get("afn", "gelu") != "gelu":
            raise ValueError(f"afn is {config['afn']!r}, but GPT here has 'gelu' (which is the tanh approximation).")
        names = "vocab_size n_embd n_layer n_head n_positions layer_norm_epsilon resid_pdrop attn_pdrop"
        return cls(*pick(config, *names.split()))


def gpt(config: GptConfig) -> Decoder:
    """The stack of a GPT of the given size, with fresh weights."""

    def norms() -> Norms:
        return Norms(after=LayerNorm(config.d_model, config.norm_epsilon))

    def layer() -> DecoderLayer:
        return DecoderLayer(
            MultiHeadAttention(config.d_model, config.num_heads, dropout=config.attention_dropout),
            FeedForward(config.d_model, 4 * config.d_model, activation=gelu_tanh),
            self_attention_norms=norms(),
            feed_forward_norms=norms(),
            dropout=config.dropout,
        )

    positions = LearnedPositions(config.max_positions, config.d_model)
    embeddings = Embeddings(config.vocab_size, config.d_model, positions, dropout=config.dropout)
    return Decoder(embeddings, [layer() for _ in range(config.num_layers)])


def with_head(config: GptConfig, task: str, num_labels: int = 2) -> nn.Module:
    """A GPT with the head of a task, with fresh weights; see `TASKS`."""
    body, width = gpt(config), config.d_model
    if task == "LMHeadModel":
        return LanguageModel(body, nn.Linear(width, config.vocab_size, bias=False))
    if task == "SequenceClassification":
        return WithHead(body, SequenceHead(width, num_labels, at="last", activation=None, bias=False))
    return body


_LAYER = r"(?:transformer\.)?h\.(\d+)\."
_MIXED = tuple(rf"layers.\1.self_attention.to_{name}.\2" for name in ("query", "key", "value"))
KEYS = KeyMap(
    rename=[
        (r"(?:transformer\.)?tokens_embed\.weight", r"embeddings.tokens.weight"),
        (r"(?:transformer\.)?positions_embed\.weight", r"embeddings.positions.table.weight"),
        (_LAYER + r"ln_1\.(weight|bias)", r"layers.\1.self_attention_norms.after.\2"),
        (_LAYER + r"ln_2\.(weight|bias)", r"layers.\1.feed_forward_norms.after.\2"),
        (_LAYER + r"attn\.c_attn\.(weight|bias)", _MIXED),
        (_LAYER + r"attn\.c_proj\.(weight|bias)", r"layers.\1.self_attention.to_output.\2"),
        (_LAYER + r"mlp\.c_fc\.(weight|bias)", r"layers.\1.feed_forward.expand.\2"),
        (_LAYER + r"mlp\.c_proj\.(weight|bias)", r"layers.\1.feed_forward.contract.\2"),
    ],
    ignore=[
        _LAYER + r"attn\.bias",  # the causal mask that old files stored
        r"(?:transformer\.)?position_ids",  # the numbers 0, 1, 2 … likewise
        r"lm_head\.weight",  # the token table once more
    ],
    change=[(_LAYER + r"(attn|mlp)\.c_\w+\.weight", transposed)],
)
TASKS: dict[str, KeyMap] = {
    "Model": KEYS,
    "LMHeadModel": KEYS.within("decoder."),
    "SequenceClassification": KEYS.within("body.", (r"score\.weight", "head.labels.weight")),
}
"""Task, as published architectures name it → where each tensor goes."""


def load(config: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> nn.Module:
    """A GPT, with the head its configuration names, ready to use (dropout off)."""
    task = task_of(config, "OpenAIGPT", TASKS)
    with unfilled():
        model = with_head(GptConfig.from_published(config), task, number_of_labels(config))
    load_published(model, tensors, TASKS[task])
    return model.eval()
