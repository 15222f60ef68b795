"""Qwen 3 with experts: Qwen 3 with many narrow experts, of which each token passes eight.

Yang et al. 2025 (arXiv:2505.09388), section 2. Against Mixtral: 128 experts of a twentieth of the width, chosen more
evenly; none is for all tokens. A configuration may leave some layers with a single wide network.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from anatomy_utils.nn.decoder import Decoder
from anatomy_utils.nn.experts import Experts, MixtureOfExperts, Router
from anatomy_utils.zoo.checkpoint import KeyMap, gated, part, stacked_experts
from anatomy_utils.zoo.family import Family, numbers
from anatomy_utils.zoo.llama import LAYER, LlamaConfig, tasks, with_head
from anatomy_utils.zoo.qwen2 import check_no_window
from anatomy_utils.zoo.qwen3 import KEYS as QWEN3_KEYS, Qwen3Config, qwen3


@dataclass(frozen=True)
class Qwen3MoeConfig(Qwen3Config):
    """The numbers of a Qwen 3 with experts; the defaults are those with 30 billion parameters."""

    d_model: int = 2048
    num_layers: int = 48
    num_heads: int = 32
    num_kv_heads: int = 4
    d_ff: int = 6144
    """Width of the single network in layers without experts."""
    tied: bool = False
    num_experts: int = 128
    experts_per_token: int = 8
    d_expert: int = 768
    """Width of each expert."""
    normalized: bool = True
    """Whether the shares of a token's experts sum to 1."""
    experts_every: int = 1
    """Every so many layers, the last of them included, one has experts."""
    without_experts: tuple[int, ...] = ()
    """Layers that have none, counted from 0."""

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> Qwen3MoeConfig:
        """As `LlamaConfig.from_published`; ValueError also where the model has a window."""
        check_no_window(config, "Qwen 3")
        left_out = {"num_key_value_heads": 4, "max_position_embeddings": 32768}
        known = asdict(LlamaConfig.from_published(left_out | dict(config)))
        return cls(**known, **{"normalized": False} | mixture(config))

    def has_experts(self, layer: int) -> bool:
        """Whether this layer, counted from 0, has experts."""
        return layer not in self.without_experts and (layer + 1) % self.experts_every == 0


def mixture(config: Mapping[str, Any]) -> dict[str, Any]:
    """What a published configuration says of experts; newer files call their number `num_local_experts`."""
    names = (
        "num_experts=num_local_experts num_experts experts_per_token=num_experts_per_tok "
        "d_expert=moe_intermediate_size normalized=norm_topk_prob experts_every=decoder_sparse_step"
    )
    return numbers(config, "", names) | {"without_experts": tuple(config.get("mlp_only_layers") or ())}


def qwen3_moe(config: Qwen3MoeConfig) -> Decoder:
    """The stack of a Qwen 3 with experts of the given size, with fresh weights."""
    stack = qwen3(config)
    for index, layer in enumerate(stack.layers):
        if config.has_experts(index):
            layer.feed_forward = MixtureOfExperts(
                Router(config.d_model, config.num_experts, config.experts_per_token, normalized=config.normalized),
                Experts(config.d_model, config.d_expert, config.num_experts),
            )
    return stack


_MIXTURE = LAYER + r"mlp\."
_EXPERTS = r"layers.\1.feed_forward.experts."
EXPERT_KEYS = [
    part(_MIXTURE + "gate", r"layers.\1.feed_forward.router.to_experts"),
    *gated(_MIXTURE + r"experts\.", _EXPERTS),
]
KEYS = KeyMap(rename=[*EXPERT_KEYS, *QWEN3_KEYS.rename], ignore=QWEN3_KEYS.ignore)
TASKS = tasks(KEYS)

FAMILY = Family(
    "Qwen3Moe", Qwen3MoeConfig.from_published, partial(with_head, stack=qwen3_moe), TASKS, prepare=stacked_experts
)
