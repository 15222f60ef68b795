"""GPT-Neo: GPT-2 whose every other layer looks only so far back.

Black et al. 2021 (EleutherAI, doi:10.5281/zenodo.5297715; there is no paper). Against GPT-2: from the second on, every
other layer sees the last 256 positions only; scores are not divided by √d_head, as in T5; queries, keys and values come
out of three matrices without biases. Its checkpoints store matrices as torch does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import Decoder
from anatomy_utils.zoo.checkpoint import KeyMap, projections
from anatomy_utils.zoo.family import Family, classifier_dropout, numbers, require
from anatomy_utils.zoo.gpt2 import KEYS as GPT2_KEYS, Gpt2Config, gpt2, with_head
from anatomy_utils.zoo.heads import under_decoder_heads


@dataclass(frozen=True)
class GptNeoConfig(Gpt2Config):
    """The numbers of a GPT-Neo; the defaults are those of the smallest (125 million parameters)."""

    max_positions: int = 2048
    dropout: float = 0.0
    attention_dropout: float = 0.0
    window: int = 256
    """How many positions the second, fourth … layer sees, its own included."""

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> GptNeoConfig:
        """The numbers in a published `config.json`; ValueError where one is missing, or not as GPT-Neo has it."""
        require(config, "GPT-Neo", activation_function="gelu_new")
        names = "vocab_size d_model=hidden_size num_layers num_heads max_positions=max_position_embeddings"
        optional = "norm_epsilon=layer_norm_epsilon dropout=resid_dropout attention_dropout window=window_size"
        known = numbers(config, f"{names} types=attention_types", optional)
        types, num_layers = known.pop("types"), known["num_layers"]
        kinds = [kind for kinds, times in types for kind in list(kinds) * times]
        alternate = [("global", "local")[number % 2] for number in range(num_layers)]
        if not kinds == (config.get("attention_layers") or kinds) == alternate:
            raise ValueError(f"attention_types is {types!r}, but every other one of GPT-Neo's {num_layers} is local.")
        d_ff = config.get("intermediate_size") or 4 * known["d_model"]
        return cls(**known, d_ff=d_ff, classifier_dropout=classifier_dropout(config))


def gpt_neo(config: GptNeoConfig) -> Decoder:
    """The stack of a GPT-Neo of the given size, with fresh weights."""
    stack = gpt2(config)
    for layer in stack.layers:
        layer.self_attention = MultiHeadAttention(
            config.d_model, config.num_heads, bias=False, output_bias=True, dropout=config.attention_dropout, scale=1.0
        )
    for layer in stack.layers[1::2]:
        layer.window = config.window
    return stack


_ATTENTION = r"(?:transformer\.)?h\.(\d+)\.attn\.attention\."
KEYS = KeyMap(
    rename=[*projections(_ATTENTION, "q_proj k_proj v_proj out_proj"), *GPT2_KEYS.rename],
    ignore=[_ATTENTION + r"(masked_)?bias", *GPT2_KEYS.ignore],
)
TASKS = under_decoder_heads(KEYS)

FAMILY = Family("GPTNeo", GptNeoConfig.from_published, partial(with_head, stack=gpt_neo), TASKS)
