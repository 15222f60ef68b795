"""gpt-oss: a mixture of experts whose heads may look at nothing.

OpenAI 2025 (arXiv:2508.10925). Against Mixtral: each head has a sink, a learned logit that takes weight in its softmax
and gives no value; every other layer, from the first on, sees a window of 128; biases nearly everywhere, that of the
router included; experts' gates are clipped, and their values raised by 1. Rotary positions are stretched (YaRN).
Surprises in its checkpoints: experts are stored as (in, out), gate and values in turns, and in 4 bits, which is not
read here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from jaxtyping import Float
from torch import Tensor

from anatomy_utils.functional.feed_forward import clipped_gate
from anatomy_utils.functional.positions import Yarn
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import Decoder
from anatomy_utils.nn.experts import Experts, MixtureOfExperts, Router
from anatomy_utils.nn.positions import YarnPositions
from anatomy_utils.zoo.checkpoint import KeyMap, part, transposed
from anatomy_utils.zoo.family import Family, numbers, read
from anatomy_utils.zoo.llama import KEYS as LLAMA_KEYS, LAYER, LlamaConfig, llama, tasks, with_head

PUBLISHED_YARN = Yarn(32.0, 4096, truncate=False, magnitude=1 + 0.1 * math.log(32))


@dataclass(frozen=True)
class GptOssConfig(LlamaConfig):
    """The numbers of a gpt-oss; the defaults are those of the larger, with 117 billion parameters."""

    vocab_size: int = 201088
    d_model: int = 2880
    num_layers: int = 36
    num_heads: int = 64
    num_kv_heads: int = 8
    d_ff: int = 2880
    """Width of each expert."""
    d_head: int = 64
    max_positions: int = 131072
    norm_epsilon: float = 1e-5
    rotary_base: float = 150_000.0
    attention_bias: bool = True
    yarn: Yarn | None = PUBLISHED_YARN
    window: int | None = 128
    """How many positions the first, third … layer sees, its own included."""
    num_experts: int = 128
    experts_per_token: int = 4
    slope: float = 1.702
    limit: float = 7.0
    """Of the experts' gates; see `functional.clipped_gate`."""

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> GptOssConfig:
        """As `LlamaConfig.from_published`; ValueError also where windows are elsewhere or weights have 4 bits."""
        if config.get("quantization_config"):
            raise ValueError("The experts are stored in 4 bits (quantization_config); save them in bfloat16 first.")
        plain, yarn = stretched(_LEFT_OUT | dict(config), "gpt-oss")
        known = LlamaConfig.from_published(plain)
        kinds = config.get("layer_types")
        alternate = [("sliding_attention", "full_attention")[number % 2] for number in range(known.num_layers)]
        if (kinds or alternate) != alternate:
            raise ValueError(
                f"layer_types is {kinds}, but every other layer of gpt-oss has a window, the first included."
            )
        names = (
            "num_experts=num_local_experts experts_per_token=num_experts_per_tok slope=swiglu_alpha limit=swiglu_limit"
        )
        window = config.get("sliding_window", 128)
        return cls(**asdict(known), **numbers(config, "", names), yarn=yarn, window=window)


_LEFT_OUT: dict[str, Any] = {
    "num_key_value_heads": 8,
    "head_dim": 64,
    "attention_bias": True,
    "rms_norm_eps": 1e-5,
    "max_position_embeddings": 131072,
    "rope_theta": 150_000.0,
    "rope_parameters": {
        "rope_type": "yarn", "factor": 32.0, "truncate": False, "original_max_position_embeddings": 4096,
    },
}  # fmt: skip


def stretched(config: Mapping[str, Any], family: str) -> tuple[dict[str, Any], Yarn | None]:
    """A configuration without stretched rotary positions, and how they are stretched; None where they are not.

    Raises:
        ValueError: they are stretched in another way than YaRN's.
    """
    rope = config.get("rope_scaling") or config.get("rope_parameters") or {}
    plain = dict(config) | {"rope_scaling": None, "rope_parameters": None}
    plain["rope_theta"] = rope.get("rope_theta", config.get("rope_theta", 10_000.0))
    kind = rope.get("rope_type", rope.get("type", "default"))
    if kind == "default":
        return plain, None
    if kind != "yarn":
        raise ValueError(f"The rotary positions are scaled ({rope}), of which {family} here knows only 'yarn'.")
    factor, original = (float(each) for each in read(rope, "factor", "original_max_position_embeddings"))
    magnitude = rope.get("attention_factor")
    if magnitude is None:
        own, shared = rope.get("mscale"), rope.get("mscale_all_dim")
        magnitude = grown(factor, float(own)) / grown(factor, float(shared)) if own and shared else grown(factor)
    edges = {name: float(turns) for name, turns in numbers(rope, "", "fast=beta_fast slow=beta_slow").items()}
    return plain, Yarn(factor, int(original), truncate=rope.get("truncate", True), magnitude=magnitude, **edges)


def grown(factor: float, share: float = 1.0) -> float:
    """By how much scores grow with the length of the text; Peng et al. 2023, section 3.4 (arXiv:2309.00071)."""
    return 1 + 0.1 * share * math.log(factor) if factor > 1 else 1.0


class ClippedExperts(Experts):
    """Experts whose gates and values are clipped.

    Args:
        d_model, d_ff, num_experts: as in `Experts`.
        slope: of the gate's sigmoid.
        limit: the largest gate, and how far a value may be from 0.
    """

    def __init__(self, d_model: int, d_ff: int, num_experts: int, *, slope: float, limit: float) -> None:
        super().__init__(d_model, d_ff, num_experts, bias=True)
        self.slope, self.limit = slope, limit

    def gated(
        self, gate: Float[Tensor, "token d_ff"], expanded: Float[Tensor, "token d_ff"]
    ) -> Float[Tensor, "token d_ff"]:
        """What lies between an expert's layers."""
        return clipped_gate(gate, expanded, slope=self.slope, limit=self.limit)


def gpt_oss(config: GptOssConfig) -> Decoder:
    """The stack of a gpt-oss of the given size, with fresh weights."""
    stack = llama(config)
    for layer in stack.layers:
        layer.self_attention = MultiHeadAttention(
            config.d_model,
            config.num_heads,
            num_kv_heads=config.num_kv_heads,
            d_head=config.d_head,
            bias=config.attention_bias,
            sinks=True,
        )
        layer.feed_forward = MixtureOfExperts(
            Router(config.d_model, config.num_experts, config.experts_per_token, bias=True),
            ClippedExperts(config.d_model, config.d_ff, config.num_experts, slope=config.slope, limit=config.limit),
        )
    for layer in stack.layers[::2]:
        layer.window = config.window
    if config.yarn is not None:
        stack.rotary = YarnPositions(config.d_head, config.yarn, base=config.rotary_base)
    return stack


def _in_turns(mixed: Tensor) -> Tensor:
    """Gates and values that alternate along the last axis, as two halves of the first axis."""
    return mixed.unflatten(-1, (-1, 2)).movedim(-1, 0).flatten(0, 1)


_EXPERTS = LAYER + r"mlp\.experts\."
_OURS = r"layers.\1.feed_forward.experts."
KEYS = KeyMap(
    rename=[
        (LAYER + r"self_attn\.sinks", r"layers.\1.self_attention.sinks"),
        part(LAYER + r"mlp\.router", r"layers.\1.feed_forward.router.to_experts"),
        (_EXPERTS + "gate_up_proj", (_OURS + "gate.weight", _OURS + "expand.weight")),
        (_EXPERTS + "gate_up_proj_bias", (_OURS + "gate.bias", _OURS + "expand.bias")),
        (_EXPERTS + "down_proj", _OURS + "contract.weight"),
        (_EXPERTS + "down_proj_bias", _OURS + "contract.bias"),
        *LLAMA_KEYS.rename,
    ],
    ignore=LLAMA_KEYS.ignore,
    change=[(_EXPERTS + "gate_up_proj(_bias)?", _in_turns), (_EXPERTS + "(gate_up|down)_proj", transposed)],
)
TASKS = tasks(KEYS)

FAMILY = Family("GptOss", GptOssConfig.from_published, partial(with_head, stack=gpt_oss), TASKS)
