"""Qwen 3: Llama whose heads normalize each query and each key before they are turned.

Yang et al. 2025 (arXiv:2505.09388), section 2. One RMSNorm for all queries of a layer and one for all keys keep the
scores in bounds while a large model trains; the biases of Qwen 2 are gone. In the smallest, all heads together are
twice as wide as the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from anatomy_utils.nn.decoder import Decoder
from anatomy_utils.nn.norm import RMSNorm
from anatomy_utils.zoo.checkpoint import KeyMap
from anatomy_utils.zoo.family import Family
from anatomy_utils.zoo.llama import KEYS as LLAMA_KEYS, LAYER, LlamaConfig, llama, tasks, with_head
from anatomy_utils.zoo.qwen2 import check_no_window


@dataclass(frozen=True)
class Qwen3Config(LlamaConfig):
    """The numbers of a Qwen 3; the defaults are those of the smallest, with 0.6 billion parameters."""

    vocab_size: int = 151936
    d_model: int = 1024
    num_layers: int = 28
    num_heads: int = 16
    num_kv_heads: int = 8
    d_ff: int = 3072
    max_positions: int = 40960
    rotary_base: float = 1_000_000.0
    tied: bool = True

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> Qwen3Config:
        """As `LlamaConfig.from_published`; ValueError also where the model has a window."""
        check_no_window(config, "Qwen 3")
        left_out = {"head_dim": 128, "max_position_embeddings": 32768}
        return cls(**asdict(LlamaConfig.from_published(left_out | dict(config))))


def qwen3(config: Qwen3Config) -> Decoder:
    """The stack of a Qwen 3 of the given size, with fresh weights."""
    stack = llama(config)
    for layer in stack.layers:
        layer.self_attention.query_norm = RMSNorm(config.d_head, config.norm_epsilon)
        layer.self_attention.key_norm = RMSNorm(config.d_head, config.norm_epsilon)
    return stack


_ATTENTION = LAYER + r"self_attn\."
NORM_KEYS = [
    (_ATTENTION + r"q_norm\.weight", r"layers.\1.self_attention.query_norm.weight"),
    (_ATTENTION + r"k_norm\.weight", r"layers.\1.self_attention.key_norm.weight"),
]
KEYS = KeyMap([*NORM_KEYS, *LLAMA_KEYS.rename], LLAMA_KEYS.ignore)
TASKS = tasks(KEYS)

FAMILY = Family("Qwen3", Qwen3Config.from_published, partial(with_head, stack=qwen3), TASKS)
