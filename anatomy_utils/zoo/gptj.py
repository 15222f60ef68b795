"""GPT-J: attention and the feed-forward network beside each other, and rotary positions on a part of each head.

Wang and Komatsuzaki 2021 (EleutherAI, "GPT-J-6B: A 6 Billion Parameter Autoregressive Language Model"; there is no
paper). Against GPT-2: both sub-layers read the vectors of one norm, so that they can be computed at the same time; no
position table, instead the first 64 of each head's 256 features turn, in neighboring pairs where Llama turns halves;
no biases in attention; a projection onto the vocabulary of its own, with a bias.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch import nn

from anatomy_utils.functional.feed_forward import gelu_tanh
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import Decoder, ParallelLayer
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.heads import LanguageModel, SequenceHead, SpanHead, WithHead
from anatomy_utils.nn.norm import LayerNorm
from anatomy_utils.nn.positions import RotaryPositions
from anatomy_utils.zoo.checkpoint import KeyMap
from anatomy_utils.zoo.family import Family, read, require


@dataclass(frozen=True)
class GptJConfig:
    """The numbers of a GPT-J; the defaults are those of the only published one, with 6 billion parameters."""

    vocab_size: int = 50400
    d_model: int = 4096
    num_layers: int = 28
    num_heads: int = 16
    d_ff: int = 16384
    max_positions: int = 2048
    rotary_width: int = 64
    """How many features of each head turn."""
    norm_epsilon: float = 1e-5
    tied: bool = False
    dropout: float = 0.0
    attention_dropout: float = 0.0

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> GptJConfig:
        """Read the entries of a Hugging Face `config.json`.

        Raises:
            ValueError: an entry is missing, or the model has a variation that GPT-J does not have.
        """
        require(config, "GPT-J", activation_function="gelu_new")
        vocab_size, d_model, layers, heads = read(config, "vocab_size", "n_embd", "n_layer", "n_head")
        turned = config.get("rotary_dim")
        if not turned:
            raise ValueError(f"rotary_dim is {turned!r}, but GPT-J here needs the number of features that turn.")
        return cls(
            vocab_size,
            d_model,
            layers,
            heads,
            d_ff=config.get("n_inner") or 4 * d_model,
            max_positions=config.get("n_positions", 2048),
            rotary_width=turned,
            norm_epsilon=config.get("layer_norm_epsilon", 1e-5),
            tied=config.get("tie_word_embeddings", False),
            dropout=config.get("resid_pdrop", 0.0),
            attention_dropout=config.get("attn_pdrop", 0.0),
        )


def gptj(config: GptJConfig) -> Decoder:
    """The stack of a GPT-J of the given size, with fresh weights."""

    def norm() -> LayerNorm:
        return LayerNorm(config.d_model, config.norm_epsilon)

    def layer() -> ParallelLayer:
        return ParallelLayer(
            MultiHeadAttention(config.d_model, config.num_heads, bias=False, dropout=config.attention_dropout),
            FeedForward(config.d_model, config.d_ff, activation=gelu_tanh),
            norm=norm(),
            dropout=config.dropout,
        )

    return Decoder(
        Embeddings(config.vocab_size, config.d_model, dropout=config.dropout),
        [layer() for _ in range(config.num_layers)],
        norm=norm(),
        rotary=RotaryPositions(config.rotary_width, layout="neighbors"),
    )


def with_head(config: GptJConfig, task: str, num_labels: int = 2) -> nn.Module:
    """A GPT-J with the head of a task, with fresh weights; see `TASKS`."""
    body, width = gptj(config), config.d_model
    if task == "CausalLM":
        return LanguageModel(body, nn.Linear(width, config.vocab_size), tied=config.tied)
    heads = {
        "SequenceClassification": lambda: SequenceHead(width, num_labels, at="last", activation=None, bias=False),
        "QuestionAnswering": lambda: SpanHead(width),
    }
    return WithHead(body, heads[task]()) if task in heads else body


_LAYER = r"(?:transformer\.)?h\.(\d+)\."
KEYS = KeyMap(
    rename=[
        (r"(?:transformer\.)?wte\.weight", r"embeddings.tokens.weight"),
        (r"(?:transformer\.)?ln_f\.(weight|bias)", r"norm.\1"),
        (_LAYER + r"ln_1\.(weight|bias)", r"layers.\1.self_attention_norms.before.\2"),
        (_LAYER + r"attn\.q_proj\.weight", r"layers.\1.self_attention.to_query.weight"),
        (_LAYER + r"attn\.k_proj\.weight", r"layers.\1.self_attention.to_key.weight"),
        (_LAYER + r"attn\.v_proj\.weight", r"layers.\1.self_attention.to_value.weight"),
        (_LAYER + r"attn\.out_proj\.weight", r"layers.\1.self_attention.to_output.weight"),
        (_LAYER + r"mlp\.fc_in\.(weight|bias)", r"layers.\1.feed_forward.expand.\2"),
        (_LAYER + r"mlp\.fc_out\.(weight|bias)", r"layers.\1.feed_forward.contract.\2"),
    ],
    ignore=[_LAYER + r"attn\.(masked_)?bias"],  # the causal mask that old files stored
)
TASKS: dict[str, KeyMap] = {
    "Model": KEYS,
    "CausalLM": KEYS.within("decoder.", (r"lm_head\.(weight|bias)", r"vocabulary.\1")),
    "SequenceClassification": KEYS.within("body.", (r"score\.weight", "head.labels.weight")),
    "QuestionAnswering": KEYS.within("body.", (r"qa_outputs\.(weight|bias)", r"head.ends.\1")),
}

FAMILY = Family("GPTJ", GptJConfig.from_published, with_head, TASKS)
