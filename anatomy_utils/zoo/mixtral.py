"""Mixtral: Mistral whose feed-forward networks are eight experts, of which each token passes two.

Jiang et al. 2024 (arXiv:2401.04088). All attention is shared; of the 47 billion parameters a token meets 13. The
published files have no window, and keep each expert in tensors of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from anatomy_utils.nn.decoder import Decoder
from anatomy_utils.nn.experts import Experts, MixtureOfExperts, Router
from anatomy_utils.zoo.checkpoint import KeyMap, part, stacked_experts
from anatomy_utils.zoo.family import Family, numbers, require
from anatomy_utils.zoo.llama import KEYS as LLAMA_KEYS, LAYER, tasks, with_head
from anatomy_utils.zoo.mistral import MistralConfig, mistral


@dataclass(frozen=True)
class MixtralConfig(MistralConfig):
    """The numbers of a Mixtral; the defaults are those of the first, eight experts beside a Mistral of 7 billion."""

    max_positions: int = 131072
    rotary_base: float = 1_000_000.0
    window: int | None = None
    num_experts: int = 8
    experts_per_token: int = 2

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> MixtralConfig:
        """As `MistralConfig.from_published`; ValueError also where routing is disturbed while training."""
        require(config, "Mixtral", router_jitter_noise=0.0)
        left_out = {"rms_norm_eps": 1e-5, "rope_theta": 1e6, "sliding_window": None}
        known = MistralConfig.from_published(left_out | dict(config))
        return cls(
            **asdict(known),
            **numbers(config, "", "num_experts=num_local_experts experts_per_token=num_experts_per_tok"),
        )


def mixtral(config: MixtralConfig) -> Decoder:
    """The stack of a Mixtral of the given size, with fresh weights."""
    stack = mistral(config)
    for layer in stack.layers:
        layer.feed_forward = MixtureOfExperts(
            Router(config.d_model, config.num_experts, config.experts_per_token),
            Experts(config.d_model, config.d_ff, config.num_experts),
        )
    return stack


_MIXTURE = LAYER + r"block_sparse_moe\."
_EXPERTS = r"layers.\1.feed_forward.experts."
KEYS = KeyMap(
    rename=[
        part(_MIXTURE + "gate", r"layers.\1.feed_forward.router.to_experts"),
        part(_MIXTURE + r"experts\.w1", _EXPERTS + "gate"),
        part(_MIXTURE + r"experts\.w3", _EXPERTS + "expand"),
        part(_MIXTURE + r"experts\.w2", _EXPERTS + "contract"),
        *LLAMA_KEYS.rename,
    ],
    ignore=LLAMA_KEYS.ignore,
)
TASKS = tasks(KEYS)

FAMILY = Family(
    "Mixtral", MixtralConfig.from_published, partial(with_head, stack=mixtral), TASKS, prepare=stacked_experts
)
