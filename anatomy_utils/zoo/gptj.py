"""GPT-J: attention and the feed-forward network beside each other, and rotary positions on a part of each head.

Wang and Komatsuzaki 2021 (EleutherAI, "GPT-J-6B: A 6 Billion Parameter Autoregressive Language Model"; there is no
paper). Against GPT-2: both sub-layers read the vectors of one norm, so that they can be computed at the same time; no
position table, instead the first 64 of each head's 256 features turn, in neighboring pairs where Llama turns halves;
no biases in attention; a projection onto the vocabulary of its own, with a bias.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from torch import nn

from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import Decoder, DecoderLayer, ParallelLayer
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.norm import LayerNorm
from anatomy_utils.nn.positions import RotaryPositions
from anatomy_utils.zoo.checkpoint import KeyMap, part, projections
from anatomy_utils.zoo.family import Family, require
from anatomy_utils.zoo.gpt2 import KEYS as GPT2_KEYS, Gpt2Config, gpt2
from anatomy_utils.zoo.heads import BY_TOKEN, SCORE, on_decoder, under_decoder_heads


@dataclass(frozen=True)
class GptJConfig(Gpt2Config):
    """The numbers of a GPT-J; the defaults are those of the only published one, with 6 billion parameters."""

    vocab_size: int = 50400
    d_model: int = 4096
    num_layers: int = 28
    num_heads: int = 16
    max_positions: int = 2048
    d_ff: int = 16384
    dropout: float = 0.0
    attention_dropout: float = 0.0
    rotary_width: int = 64
    """How many features of each head turn."""
    tied: bool = False

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> GptJConfig:
        """The numbers in a published `config.json`; ValueError where one is missing, or not as GPT-J has it."""
        require(config, "GPT-J", activation_function="gelu_new")
        turned = config.get("rotary_dim")
        if not turned:
            raise ValueError(f"rotary_dim is {turned!r}, but GPT-J here needs the number of features that turn.")
        left_out = {"n_positions": 2048, "resid_pdrop": 0.0, "attn_pdrop": 0.0}
        known = Gpt2Config.from_published(left_out | dict(config))
        return cls(**asdict(known), rotary_width=turned, tied=config.get("tie_word_embeddings", False))


def gptj(config: GptJConfig) -> Decoder:
    """The stack of a GPT-J of the given size, with fresh weights."""

    def norm() -> LayerNorm:
        return LayerNorm(config.d_model, config.norm_epsilon)

    def beside(layer: DecoderLayer) -> ParallelLayer:
        return ParallelLayer(
            MultiHeadAttention(config.d_model, config.num_heads, bias=False, dropout=config.attention_dropout),
            layer.feed_forward,
            norm=norm(),
            dropout=config.dropout,
        )

    return Decoder(
        Embeddings(config.vocab_size, config.d_model, dropout=config.dropout),
        [beside(layer) for layer in gpt2(config).layers],
        norm=norm(),
        rotary=RotaryPositions(config.rotary_width, layout="neighbors"),
    )


def with_head(config: GptJConfig, task: str, num_labels: int = 2) -> nn.Module:
    """A GPT-J with the head of a task, with fresh weights; see `TASKS`."""
    return on_decoder(gptj(config), task, num_labels, tied=config.tied, bias=True)


_LAYER = r"(?:transformer\.)?h\.(\d+)\."
KEYS = KeyMap(
    rename=[
        *projections(_LAYER + r"attn\.", "q_proj k_proj v_proj out_proj"),
        part(_LAYER + r"mlp\.fc_in", r"layers.\1.feed_forward.expand"),
        part(_LAYER + r"mlp\.fc_out", r"layers.\1.feed_forward.contract"),
        *GPT2_KEYS.rename,
    ],
    ignore=GPT2_KEYS.ignore[:1],  # the causal mask; the projection onto the vocabulary is its own
)
TASKS = under_decoder_heads(KEYS, SequenceClassification=[SCORE], QuestionAnswering=BY_TOKEN["QuestionAnswering"])

FAMILY = Family("GPTJ", GptJConfig.from_published, with_head, TASKS)
