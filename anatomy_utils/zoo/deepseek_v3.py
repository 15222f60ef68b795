"""DeepSeek-V3: attention that keeps one narrow vector of each position, and experts that are many and narrow.

DeepSeek-AI 2024 (arXiv:2412.19437). Against Llama: latent attention (`nn.latent_attention`); from the fourth layer on,
256 experts of which a token passes eight, chosen in groups, and one that all pass. A correction moves with how busy an
expert is, and takes part in the choice alone. Surprises in its checkpoints: keys and values come out of one matrix,
head by head; pairs of neighbors are turned; a layer beyond the last, which guesses one token further, is left out here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from torch import Tensor

from anatomy_utils.functional.positions import Yarn
from anatomy_utils.nn.decoder import Decoder
from anatomy_utils.nn.experts import Experts, GroupRouter, MixtureOfExperts
from anatomy_utils.nn.feed_forward import GatedFeedForward
from anatomy_utils.nn.latent_attention import LatentAttention
from anatomy_utils.nn.positions import RotaryPositions, YarnPositions
from anatomy_utils.zoo.checkpoint import KeyMap, gated, part, rows_by_head, stacked_experts
from anatomy_utils.zoo.family import Family, numbers, require
from anatomy_utils.zoo.gpt_oss import grown, stretched
from anatomy_utils.zoo.llama import KEYS as LLAMA_KEYS, LAYER, LlamaConfig, llama, tasks, with_head
from anatomy_utils.zoo.qwen3_moe import EXPERT_KEYS

PUBLISHED_YARN = Yarn(40.0, 4096)
PUBLISHED_GROWTH = grown(40.0) ** 2


@dataclass(frozen=True)
class DeepseekV3Config(LlamaConfig):
    """The numbers of a DeepSeek-V3; the defaults are those of the published one, with 671 billion parameters."""

    vocab_size: int = 129280
    d_model: int = 7168
    num_layers: int = 61
    num_heads: int = 128
    num_kv_heads: int = 128
    d_ff: int = 18432
    """Width of the single network in layers without experts."""
    d_head: int = 192
    """Of queries and keys, `d_rotary` included."""
    max_positions: int = 163840
    query_rank: int | None = 1536
    rank: int = 512
    d_rotary: int = 64
    d_value: int = 128
    interleaved: bool = True
    """Whether neighbors are turned in pairs."""
    yarn: Yarn | None = PUBLISHED_YARN
    score_growth: float = PUBLISHED_GROWTH
    """What scores are multiplied with, besides 1 / √d_head: longer texts need larger ones."""
    without_experts: int = 3
    """How many layers at the beginning have none."""
    num_experts: int = 256
    experts_per_token: int = 8
    num_groups: int = 8
    groups_per_token: int = 4
    d_expert: int = 2048
    shared_experts: int = 1
    """How many experts' width the network for all tokens has."""
    share_scale: float = 2.5
    normalized: bool = True

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> DeepseekV3Config:
        """As `LlamaConfig.from_published`; ValueError also for weights of 8 bits, or another choice of experts."""
        if config.get("quantization_config"):
            raise ValueError("The weights are stored in 8 bits (quantization_config); save them in bfloat16 first.")
        fixed = {"scoring_func": "sigmoid", "topk_method": "noaux_tc", "moe_layer_freq": 1}
        require(config, "DeepSeek-V3", attention_bias=False, **fixed)
        plain, yarn = stretched({"max_position_embeddings": 4096} | dict(config), "DeepSeek-V3")
        names = (
            "rank=kv_lora_rank d_plain=qk_nope_head_dim d_rotary=qk_rope_head_dim d_value=v_head_dim "
            "interleaved=rope_interleave without_experts=first_k_dense_replace num_experts=n_routed_experts "
            "experts_per_token=num_experts_per_tok num_groups=n_group groups_per_token=topk_group "
            "d_expert=moe_intermediate_size shared_experts=n_shared_experts share_scale=routed_scaling_factor "
            "normalized=norm_topk_prob"
        )
        known = asdict(LlamaConfig.from_published(plain)) | numbers(config, "", names)
        rope = config.get("rope_scaling") or config.get("rope_parameters") or {}
        growth = grown(yarn.factor, float(rope.get("mscale_all_dim") or 0.0)) ** 2 if yarn else 1.0
        d_head = known.pop("d_plain", cls.d_head - cls.d_rotary) + known.get("d_rotary", cls.d_rotary)
        changed = {"num_kv_heads": known["num_heads"], "d_head": d_head}
        query_rank = config.get("q_lora_rank", 1536)
        return cls(**known | changed, query_rank=query_rank, yarn=yarn, score_growth=growth)


def deepseek_v3(config: DeepseekV3Config) -> Decoder:
    """The stack of a DeepSeek-V3 of the given size, with fresh weights."""
    stack = llama(config)
    for layer in stack.layers:
        layer.self_attention = LatentAttention(
            config.d_model,
            config.num_heads,
            rank=config.rank,
            query_rank=config.query_rank,
            d_plain=config.d_head - config.d_rotary,
            d_rotary=config.d_rotary,
            d_value=config.d_value,
            scale=config.score_growth * config.d_head**-0.5,
        )
    for layer in stack.layers[config.without_experts :]:
        router = GroupRouter(
            config.d_model,
            config.num_experts,
            config.experts_per_token,
            num_groups=config.num_groups,
            groups_per_token=config.groups_per_token,
            normalized=config.normalized,
            scale=config.share_scale,
        )
        layer.feed_forward = MixtureOfExperts(
            router,
            Experts(config.d_model, config.d_expert, config.num_experts),
            shared=GatedFeedForward(config.d_model, config.shared_experts * config.d_expert),
        )
    turned: dict[str, Any] = {"base": config.rotary_base, "layout": "neighbors" if config.interleaved else "halves"}
    if config.yarn is None:
        stack.rotary = RotaryPositions(config.d_rotary, **turned)
    else:
        stack.rotary = YarnPositions(config.d_rotary, config.yarn, **turned)
    return stack


def prepare(config: DeepseekV3Config, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Keys and values in matrices of their own, the experts of a layer together, and no layer beyond the last."""
    found: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        layer = re.match(LAYER, name)
        if layer and int(layer[1]) >= config.num_layers:
            continue
        if name.endswith("kv_b_proj.weight"):
            rows = rows_by_head(tensor, config.num_heads, (config.d_head - config.d_rotary, config.d_value))
            for letter, each in zip("kv", rows, strict=True):
                found[name.replace("kv_b_proj", f"{letter}_b_proj")] = each
        else:
            found[name] = tensor
    return stacked_experts(config, found)


_ATTENTION, _OURS = LAYER + r"self_attn\.", r"layers.\1.self_attention."
_SHARED = LAYER + r"mlp\.shared_experts\."
KEYS = KeyMap(
    rename=[
        part(_ATTENTION + "q_a_proj", _OURS + "to_query_latent"),
        part(_ATTENTION + "q_a_layernorm", _OURS + "query_latent_norm"),
        part(_ATTENTION + "q_b_proj", _OURS + "to_query"),
        part(_ATTENTION + "kv_a_proj_with_mqa", _OURS + "to_latent"),
        part(_ATTENTION + "kv_a_layernorm", _OURS + "latent_norm"),
        part(_ATTENTION + "k_b_proj", _OURS + "to_key"),
        part(_ATTENTION + "v_b_proj", _OURS + "to_value"),
        (LAYER + r"mlp\.gate\.e_score_correction_bias", r"layers.\1.feed_forward.router.correction"),
        *gated(_SHARED, r"layers.\1.feed_forward.shared."),
        *EXPERT_KEYS,
        *LLAMA_KEYS.rename,
    ],
    ignore=LLAMA_KEYS.ignore,
)
TASKS = tasks(KEYS)

FAMILY = Family(
    "DeepseekV3", DeepseekV3Config.from_published, partial(with_head, stack=deepseek_v3), TASKS, prepare=prepare
)
