"""Qwen3-Next: three of four layers keep a state in place of their past.

Qwen Team 2025 (a post on their blog; there is no paper). Against Qwen 3 with experts: the gated delta rule
(`nn.delta_rule`) in most layers, and in every fourth attention whose output passes a gate and whose heads are turned in
a quarter of their features; one more expert for all tokens, behind a gate of its own; norms that multiply by
1 + weight. Surprises in its checkpoints: queries and gates come out of one matrix, head by head, and so does all that
the delta rule is made of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from torch import Tensor, nn

from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import Decoder
from anatomy_utils.nn.delta_rule import GatedDeltaRule
from anatomy_utils.nn.experts import MixtureOfExperts
from anatomy_utils.nn.feed_forward import GatedFeedForward
from anatomy_utils.nn.norm import NormPlaces
from anatomy_utils.nn.positions import RotaryPositions
from anatomy_utils.zoo.checkpoint import KeyMap, gated, part, rows_by_head, stacked_experts
from anatomy_utils.zoo.family import Family, numbers
from anatomy_utils.zoo.gemma import GemmaNorm
from anatomy_utils.zoo.llama import LAYER, LlamaConfig, tasks, with_head
from anatomy_utils.zoo.qwen3_moe import KEYS as QWEN3_MOE_KEYS, Qwen3MoeConfig, mixture, qwen3_moe


@dataclass(frozen=True)
class Qwen3NextConfig(Qwen3MoeConfig):
    """The numbers of a Qwen3-Next; the defaults are those of the first, with 80 billion parameters."""

    num_heads: int = 16
    num_kv_heads: int = 2
    d_ff: int = 5120
    d_head: int = 256
    max_positions: int = 262144
    rotary_base: float = 10_000_000.0
    rotary_share: float = 0.25
    """Of a head's features, those that are turned."""
    num_experts: int = 512
    experts_per_token: int = 10
    d_expert: int = 512
    d_shared: int = 512
    """Width of the expert that all tokens pass."""
    attention_every: int = 4
    """Every so many layers, the last of them has attention."""
    num_states: int = 32
    num_keys: int = 16
    """How many queries and keys the states share."""
    d_key: int = 128
    d_value: int = 128
    mixed_positions: int = 4

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> Qwen3NextConfig:
        """As `LlamaConfig.from_published`; ValueError also where attention is not in every so many layers."""
        left_out = {"num_key_value_heads": 2, "max_position_embeddings": 32768, "head_dim": 256}
        known = LlamaConfig.from_published(left_out | dict(config))
        kinds, every = config.get("layer_types"), config.get("full_attention_interval", 4)
        if kinds:
            every = [*kinds, "full_attention"].index("full_attention") + 1
        usual = [
            "linear_attention" if number % every else "full_attention" for number in range(1, known.num_layers + 1)
        ]
        if (kinds or usual) != usual:
            raise ValueError(f"layer_types is {kinds}, but Qwen3-Next here has attention in every so many layers.")
        names = (
            "d_shared=shared_expert_intermediate_size num_states=linear_num_value_heads num_keys=linear_num_key_heads "
            "d_key=linear_key_head_dim d_value=linear_value_head_dim mixed_positions=linear_conv_kernel_dim"
        )
        rope = config.get("rope_parameters") or {}
        share = rope.get("partial_rotary_factor", config.get("partial_rotary_factor", 0.25))
        own = numbers(config, "", names) | mixture(config)
        return cls(**asdict(known), **own, attention_every=every, rotary_share=share)


def qwen3_next(config: Qwen3NextConfig) -> Decoder:
    """The stack of a Qwen3-Next of the given size, with fresh weights."""
    epsilon = config.norm_epsilon

    def norm(width: int = config.d_model) -> GemmaNorm:
        return GemmaNorm(width, epsilon)

    stack = qwen3_moe(config)
    for number, layer in enumerate(stack.layers, start=1):
        if number % config.attention_every:
            layer.self_attention = GatedDeltaRule(
                config.d_model,
                config.num_states,
                num_key_heads=config.num_keys,
                d_key=config.d_key,
                d_value=config.d_value,
                width=config.mixed_positions,
                norm_epsilon=epsilon,
            )
        else:
            layer.self_attention = MultiHeadAttention(
                config.d_model,
                config.num_heads,
                num_kv_heads=config.num_kv_heads,
                d_head=config.d_head,
                bias=config.attention_bias,
                gated=True,
                query_norm=norm(config.d_head),
                key_norm=norm(config.d_head),
            )
        if isinstance(layer.feed_forward, MixtureOfExperts):
            layer.feed_forward.shared = GatedFeedForward(config.d_model, config.d_shared)
            layer.feed_forward.shared_gate = nn.Linear(config.d_model, 1, bias=False)
        layer.self_attention_norms = NormPlaces(before=norm())
        layer.feed_forward_norms = NormPlaces(before=norm())
    stack.norm = norm()
    stack.rotary = RotaryPositions(int(config.d_head * config.rotary_share), base=config.rotary_base)
    return stack


def prepare(config: Qwen3NextConfig, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Each matrix that holds several, head by head, as those; the experts of a layer together; and no layer that
    guesses one token further."""
    shared_by = config.num_states // config.num_keys
    values = shared_by * config.d_value
    mixed = {
        "q_proj": (config.num_heads, {"q_proj": config.d_head, "g_proj": config.d_head}),
        "in_proj_qkvz": (config.num_keys, {"q": config.d_key, "k": config.d_key, "v": values, "z": values}),
        "in_proj_ba": (config.num_keys, {"b": shared_by, "a": shared_by}),
    }
    found: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        if name.startswith("mtp."):
            continue
        place, _, kind = name.rpartition(".")
        place, _, module = place.rpartition(".")
        if module in mixed:
            heads, widths = mixed[module]
            rows = rows_by_head(tensor, heads, tuple(widths.values()))
            found |= {f"{place}.{part}.{kind}": each for part, each in zip(widths, rows, strict=True)}
        else:
            found[name] = tensor
    return stacked_experts(config, found)


_STATE, _SHARED, _OURS = LAYER + r"linear_attn\.", LAYER + r"mlp\.shared_expert", r"layers.\1.self_attention."
KEYS = KeyMap(
    rename=[
        part(LAYER + r"self_attn\.g_proj", _OURS + "to_gate"),
        part(_STATE + "q", _OURS + "to_query"),
        part(_STATE + "k", _OURS + "to_key"),
        part(_STATE + "v", _OURS + "to_value"),
        part(_STATE + "z", _OURS + "to_gate"),
        part(_STATE + "b", _OURS + "to_strength"),
        part(_STATE + "a", _OURS + "to_forgetting"),
        part(_STATE + "out_proj", _OURS + "to_output"),
        part(_STATE + "norm", _OURS + "norm"),
        (_STATE + "A_log", _OURS + "log_rate"),
        (_STATE + "dt_bias", _OURS + "forgetting_bias"),
        (_STATE + r"conv1d\.weight", _OURS + "mixing"),
        *gated(_SHARED + r"\.", r"layers.\1.feed_forward.shared."),
        part(_SHARED + "_gate", r"layers.\1.feed_forward.shared_gate"),
        *QWEN3_MOE_KEYS.rename,
    ],
    ignore=QWEN3_MOE_KEYS.ignore,
    change=[(_STATE + r"conv1d\.weight", lambda weight: weight[:, 0])],
)
TASKS = tasks(KEYS)

FAMILY = Family(
    "Qwen3Next", Qwen3NextConfig.from_published, partial(with_head, stack=qwen3_next), TASKS, prepare=prepare
)
