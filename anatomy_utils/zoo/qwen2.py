"""Qwen 2: Llama with biases where queries, keys and values are made, and nowhere else.

Yang et al. 2024 (arXiv:2407.10671), section 2.2.1. Qwen 1 brought these biases in to help with texts longer than those
of training (arXiv:2309.16609). Qwen 2.5 is the same model, trained on more text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from torch import nn

from anatomy_utils.nn.decoder import Decoder
from anatomy_utils.zoo.family import Family
from anatomy_utils.zoo.llama import TASKS, LlamaConfig, llama, with_head


@dataclass(frozen=True)
class Qwen2Config(LlamaConfig):
    """The numbers of a Qwen 2; the defaults are those of the smallest, with half a billion parameters."""

    vocab_size: int = 151936
    d_model: int = 896
    num_layers: int = 24
    num_heads: int = 14
    num_kv_heads: int = 2
    d_ff: int = 4864
    d_head: int = 64
    max_positions: int = 131072
    rotary_base: float = 1_000_000.0
    tied: bool = True
    attention_bias: bool = True

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> Qwen2Config:
        """As `LlamaConfig.from_published`; ValueError also where the model has a window."""
        check_no_window(config, "Qwen 2")
        known = LlamaConfig.from_published({"max_position_embeddings": 32768, **config})
        return cls(**asdict(known) | {"attention_bias": True})


def check_no_window(config: Mapping[str, Any], family: str) -> None:
    """Raise one clear sentence where layers look only so far back; no published Qwen 2 or 3 has such layers."""
    if config.get("use_sliding_window"):
        raise ValueError(f"use_sliding_window is set, but each layer of {family} here sees the whole past.")


def qwen2(config: Qwen2Config) -> Decoder:
    """The stack of a Qwen 2 of the given size, with fresh weights."""
    stack = llama(config)
    for layer in stack.layers:
        layer.self_attention.to_output = nn.Linear(config.num_heads * config.d_head, config.d_model, bias=False)
    return stack


FAMILY = Family("Qwen2", Qwen2Config.from_published, partial(with_head, stack=qwen2), TASKS)
