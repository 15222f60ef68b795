"""SmolLM3: Llama without rotary positions in one layer of four.

Hugging Face 2025 (a report without a paper), after Yang et al. 2025 (arXiv:2501.18795). A layer without positions
(NoPE) sees what came before as a set: it finds far words by what they are and forgets nothing by distance, while the
layers around it know the order. Four query heads share a key/value head, and the projection onto the vocabulary is
the token table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from anatomy_utils.nn.decoder import Decoder
from anatomy_utils.zoo.family import Family
from anatomy_utils.zoo.llama import TASKS, LlamaConfig, llama, with_head
from anatomy_utils.zoo.qwen2 import check_no_window


@dataclass(frozen=True)
class SmolLM3Config(LlamaConfig):
    """The numbers of a SmolLM3; the defaults are those of the only one, with 3 billion parameters."""

    vocab_size: int = 128256
    d_model: int = 2048
    num_layers: int = 36
    num_heads: int = 16
    num_kv_heads: int = 4
    max_positions: int = 32768
    rotary_base: float = 2_000_000.0
    tied: bool = True
    is_rotated: tuple[bool, ...] = (True, True, True, False) * 9
    """Of each layer: whether queries and keys are turned."""

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> SmolLM3Config:
        """As `LlamaConfig.from_published`; ValueError also for windows, or too few entries in no_rope_layers."""
        check_no_window(config, "SmolLM3")
        left_out = {
            "num_key_value_heads": 4,
            "max_position_embeddings": 32768,
            "rope_theta": 2_000_000.0,
            "tie_word_embeddings": True,
        }
        known = LlamaConfig.from_published(left_out | dict(config))
        every = config.get("no_rope_layer_interval", 4)
        rotated = config.get("no_rope_layers") or [number % every for number in range(1, known.num_layers + 1)]
        if len(rotated) < known.num_layers:
            raise ValueError(
                f"no_rope_layers has {len(rotated)} entries, but there are {known.num_layers} layers; "
                "give one for each: 1 for a layer with rotary positions, 0 for one without."
            )
        return cls(**asdict(known) | {"is_rotated": tuple(map(bool, rotated[: known.num_layers]))})


def smollm3(config: SmolLM3Config) -> Decoder:
    """The stack of a SmolLM3 of the given size, with fresh weights."""
    stack = llama(config)
    for layer, is_rotated in zip(stack.layers, config.is_rotated, strict=True):
        layer.is_rotated = is_rotated
    return stack


FAMILY = Family("SmolLM3", SmolLM3Config.from_published, partial(with_head, stack=smollm3), TASKS)
