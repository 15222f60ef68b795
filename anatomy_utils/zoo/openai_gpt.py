"""GPT: the decoder by itself, before it had a number.

Radford et al. 2018, "Improving Language Understanding by Generative Pre-Training". Against the 2017 decoder: no
cross-attention, learned positions, the tanh approximation of GELU. Against GPT-2, its successor: the norms stand after
the sub-layers, and none at the end. In its checkpoints, as in GPT-2's, queries, keys and values come out of one matrix,
and matrices are stored transposed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from anatomy_utils.nn.decoder import Decoder
from anatomy_utils.nn.norm import LayerNorm, NormPlaces
from anatomy_utils.zoo.checkpoint import KeyMap
from anatomy_utils.zoo.family import Family
from anatomy_utils.zoo.gpt2 import KEYS as GPT2_KEYS, Gpt2Config, gpt2, with_head
from anatomy_utils.zoo.heads import SCORE, under_decoder_heads


@dataclass(frozen=True)
class GptConfig(Gpt2Config):
    """The numbers of a GPT; the defaults are those of the only published one."""

    vocab_size: int = 40478
    max_positions: int = 512

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> GptConfig:
        """The numbers in a `config.json`; ValueError where one is missing, or the activation is not "gelu"."""
        if config.get("afn", "gelu") != "gelu":
            raise ValueError(f"afn is {config['afn']!r}, but GPT here has 'gelu' (which is the tanh approximation).")
        return cls(**asdict(Gpt2Config.from_published(config)))


def gpt(config: GptConfig) -> Decoder:
    """The stack of a GPT of the given size, with fresh weights."""

    def norms() -> NormPlaces:
        return NormPlaces(after=LayerNorm(config.d_model, config.norm_epsilon))

    stack = gpt2(config)
    for layer in stack.layers:
        layer.self_attention_norms = norms()
        layer.feed_forward_norms = norms()
    return Decoder(stack.embeddings, stack.layers)  # no norm at the end


_BODY = r"(?:transformer\.)?"
KEYS = KeyMap(
    rename=[
        (_BODY + r"tokens_embed\.weight", r"embeddings.tokens.weight"),
        (_BODY + r"positions_embed\.weight", r"embeddings.positions.table.weight"),
        (_BODY + r"h\.(\d+)\.ln_1\.(weight|bias)", r"layers.\1.self_attention_norms.after.\2"),
        (_BODY + r"h\.(\d+)\.ln_2\.(weight|bias)", r"layers.\1.feed_forward_norms.after.\2"),
        *GPT2_KEYS.rename,
    ],
    ignore=[
        _BODY + r"position_ids",  # the numbers 0, 1, 2 … that old files stored
        *GPT2_KEYS.ignore,
    ],
    change=GPT2_KEYS.change,
)
TASKS = under_decoder_heads(KEYS, "LMHeadModel", SequenceClassification=[SCORE])

FAMILY = Family("OpenAIGPT", GptConfig.from_published, partial(with_head, stack=gpt), TASKS)
