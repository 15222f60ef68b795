"""Mistral: Llama that looks only so far back.

Jiang et al. 2023 (arXiv:2310.06825). Each position attends to the last 4096; what lies further back reaches it through
the layers, 4096 positions a layer. Four query heads share a key/value head. The published code forgets old keys; here
the cache keeps them all and the mask hides them. Later Mistrals have no window (`sliding_window` is null).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from anatomy_utils.nn.decoder import Decoder
from anatomy_utils.zoo.family import Family
from anatomy_utils.zoo.llama import TASKS, LlamaConfig, llama, with_head


@dataclass(frozen=True)
class MistralConfig(LlamaConfig):
    """The numbers of a Mistral; the defaults are those of the first, with 7 billion parameters."""

    num_kv_heads: int = 8
    d_ff: int = 14336
    max_positions: int = 32768
    norm_epsilon: float = 1e-5
    window: int | None = 4096
    """How many positions each one sees, itself included."""

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> MistralConfig:
        """As `LlamaConfig.from_published`; entries that are left out have other meanings here."""
        left_out = {"num_key_value_heads": 8, "max_position_embeddings": 131072}
        known = LlamaConfig.from_published(left_out | dict(config))
        return cls(**asdict(known) | {"window": config.get("sliding_window", 4096)})


def mistral(config: MistralConfig) -> Decoder:
    """The stack of a Mistral of the given size, with fresh weights."""
    stack = llama(config)
    for layer in stack.layers:
        layer.window = config.window
    return stack


FAMILY = Family("Mistral", MistralConfig.from_published, partial(with_head, stack=mistral), TASKS)
