"""The decoder branch with experts: many feed-forward networks in a layer, of which a token passes through a few."""

from __future__ import annotations

from functools import partial
from typing import Any

from anatomy_utils.taxonomy.llamas import _llama
from anatomy_utils.taxonomy.row import BILLION, MILLION, ModelFacts, Size

_MIXTRAL = {"rope_theta": 1e6, "rms_norm_eps": 1e-5, "num_experts_per_tok": 2, "num_local_experts": 8}
_QWEN3 = {
    "rope_theta": 1e6,
    "rms_norm_eps": 1e-6,
    "max_position_embeddings": 40960,
    "head_dim": 128,
    "num_experts": 128,
    "num_experts_per_tok": 8,
    "norm_topk_prob": True,
}

_DEEPSEEK = _llama(129280, 7168, 61, 128, 128, 18432, max_position_embeddings=163840) | {
    "q_lora_rank": 1536,
    "kv_lora_rank": 512,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "n_routed_experts": 256,
    "num_experts_per_tok": 8,
    "n_group": 8,
    "topk_group": 4,
    "moe_intermediate_size": 2048,
    "first_k_dense_replace": 3,
    "rope_parameters": {
        "rope_type": "yarn", "rope_theta": 10_000.0, "factor": 40.0, "original_max_position_embeddings": 4096,
        "mscale": 1.0, "mscale_all_dim": 1.0,
    },
}  # fmt: skip

_QWEN3_NEXT = _llama(151936, 2048, 48, 16, 2, 5120, head_dim=256, rope_theta=1e7, max_position_embeddings=262144) | {
    "num_experts": 512,
    "num_experts_per_tok": 10,
    "norm_topk_prob": True,
    "moe_intermediate_size": 512,
    "shared_expert_intermediate_size": 512,
    "full_attention_interval": 4,
    "linear_num_value_heads": 32,
    "linear_num_key_heads": 16,
    "linear_key_head_dim": 128,
    "linear_value_head_dim": 128,
}


def _gpt_oss(num_layers: int, num_experts: int) -> dict[str, Any]:
    """The entries of a gpt-oss's `config.json`."""
    yarn = {"factor": 32.0, "original_max_position_embeddings": 4096, "truncate": False}
    return _llama(201088, 2880, num_layers, 64, 8, 2880, head_dim=64, sliding_window=128) | {
        "num_local_experts": num_experts,
        "num_experts_per_tok": 4,
        "rope_parameters": {"rope_type": "yarn", "rope_theta": 150_000.0, **yarn},
    }


_decoder = partial(ModelFacts, branch="decoder", objectives=("next token",))

MIXTURES = (
    _decoder(
        "Mixtral",
        2024,
        "Mistral",
        "2401.04088",
        "8 experts, 2 for each token",
        "mixtral",
        "MixtralForCausalLM",
        (
            Size(
                "8x7B",
                _llama(32000, 4096, 32, 32, 8, 14336, max_position_embeddings=32768, **_MIXTRAL),
                46_700 * MILLION,
                100 * MILLION,
            ),
            Size(
                "8x22B",
                _llama(32000, 6144, 56, 48, 8, 16384, max_position_embeddings=65536, **_MIXTRAL),
                141 * BILLION,
                BILLION,
            ),
        ),
        note="A token meets 12.9 of the 46.7 billion parameters of 8x7B: two of eight experts, and all of the rest.",
    ),
    _decoder(
        "Qwen 3 with experts",
        2025,
        "Qwen 3",
        "2505.09388",
        "128 narrow experts, 8 for each token",
        "qwen3_moe",
        "Qwen3MoeForCausalLM",
        (
            Size(
                "30B-A3B",
                _llama(151936, 2048, 48, 32, 4, 6144, moe_intermediate_size=768, **_QWEN3),
                30_500 * MILLION,
                100 * MILLION,
            ),
            Size(
                "235B-A22B",
                _llama(151936, 4096, 94, 64, 4, 12288, moe_intermediate_size=1536, **_QWEN3),
                235 * BILLION,
                BILLION,
            ),
        ),
        note="A3B: of 30.5 billion parameters a token meets 3.3 billion.",
    ),
    _decoder(
        "gpt-oss",
        2025,
        "Mixtral",
        "2508.10925",
        "sinks, every other layer a window",
        "gpt_oss",
        "GptOssForCausalLM",
        (
            Size("20b", _gpt_oss(24, 32), 20_910 * MILLION, 10 * MILLION),
            Size("120b", _gpt_oss(36, 128), 116_830 * MILLION, 10 * MILLION),
        ),
        note="Published in 4 bits. A token meets 3.6 or 5.1 billion parameters, the token table not counted.",
    ),
    _decoder(
        "DeepSeek-V3",
        2024,
        "Llama",
        "2412.19437",
        "keys, values from a latent; 256 experts + 1",
        "deepseek_v3",
        "DeepseekV3ForCausalLM",
        (Size("671B", _DEEPSEEK, 671 * BILLION, BILLION),),
        note="Published in 8 bits. A token meets 37 billion parameters: 8 of 256 experts in 58 of 61 layers, and one "
        "for all. The published files also hold a layer that guesses one token further, which is left out here.",
    ),
    _decoder(
        "Qwen3-Next",
        2025,
        "Qwen 3 with experts",
        "",
        "a state in 3 of 4 layers (delta rule)",
        "qwen3_next",
        "Qwen3NextForCausalLM",
        (Size("80B-A3B", _QWEN3_NEXT, 80 * BILLION, BILLION),),
        note="The delta rule is that of arXiv:2412.06464. A3B: a token meets 3.9 of 80 billion parameters, 3.3 without "
        "both tables. The published files also hold a layer that guesses one token further, which is left out here.",
        month=9,
    ),
)
