"""The decoder branch since Llama: RMSNorm, rotary positions and a gate, and what each changed since."""

from __future__ import annotations

from functools import partial
from typing import Any

from anatomy_utils.taxonomy.row import BILLION, MILLION, ModelFacts, Size


def _llama(
    vocab_size: int, d_model: int, num_layers: int, num_heads: int, num_kv_heads: int, d_ff: int, **more: Any
) -> dict[str, Any]:
    """The entries of a Llama's `config.json`, and of those that write theirs like it."""
    return {
        "vocab_size": vocab_size,
        "hidden_size": d_model,
        "num_hidden_layers": num_layers,
        "num_attention_heads": num_heads,
        "num_key_value_heads": num_kv_heads,
        "intermediate_size": d_ff,
    } | more


_QWEN = {"rope_theta": 1e6, "rms_norm_eps": 1e-6, "max_position_embeddings": 32768}
_GEMMA = {"hidden_activation": "gelu_pytorch_tanh", "tie_word_embeddings": True, "max_position_embeddings": 8192}
_GEMMA2 = {"head_dim": 256, "sliding_window": 4096, "query_pre_attn_scalar": 256}
_GEMMA3 = {"head_dim": 256, "sliding_window": 512, "query_pre_attn_scalar": 256}
_OLMO2 = {"rope_theta": 5e5, "rms_norm_eps": 1e-6, "max_position_embeddings": 4096}
_SMOLLM2 = {"tie_word_embeddings": True, "max_position_embeddings": 8192, "rope_theta": 100_000.0, "rms_norm_eps": 1e-5}

_decoder = partial(ModelFacts, branch="decoder", objectives=("next token",))

LLAMAS = (
    _decoder(
        "Llama",
        2023,
        "GPT-3",
        "2302.13971",
        "RMSNorm, rotary, SwiGLU",
        "llama",
        "LlamaForCausalLM",
        (
            Size("7B", _llama(32000, 4096, 32, 32, 32, 11008), 6_738_415_616),
            Size("13B", _llama(32000, 5120, 40, 40, 40, 13824), 13 * BILLION, 100 * MILLION),
            Size("2 70B", _llama(32000, 8192, 80, 64, 8, 28672), 69 * BILLION, BILLION),
        ),
    ),
    _decoder(
        "SmolLM2",
        2025,
        "Llama",
        "2502.02737",
        "small, one table; shared keys below 1.7B",
        "llama",
        "LlamaForCausalLM",
        (
            Size("135M", _llama(49152, 576, 30, 9, 3, 1536, **_SMOLLM2), 134_515_008),
            Size("360M", _llama(49152, 960, 32, 15, 5, 2560, **_SMOLLM2), 361_821_120),
            Size("1.7B", _llama(49152, 2048, 24, 32, 32, 8192, **_SMOLLM2), 1_711_376_384),
        ),
        note="135M and 360M have three query heads for each key/value head; in 1.7B each query head has its own.",
    ),
    _decoder(
        "SmolLM3",
        2025,
        "SmolLM2",
        "",
        "no positions in one layer of four",
        "smollm3",
        "SmolLM3ForCausalLM",
        (Size("3B", _llama(128256, 2048, 36, 16, 4, 11008, **_SMOLLM2 | {"rope_theta": 5e6}), 3_075_098_624),),
        small={"num_hidden_layers": 4},
        month=7,
    ),
    _decoder(
        "OLMo 2",
        2024,
        "Llama",
        "2501.00656",
        "norms on what sub-layers give, on all queries, on all keys",
        "olmo2",
        "Olmo2ForCausalLM",
        (
            Size("1B", _llama(100352, 2048, 16, 16, 16, 8192, **_OLMO2), 1_484_916_736),
            Size("7B", _llama(100352, 4096, 32, 32, 32, 11008, **_OLMO2), 7_298_617_344),
            Size("13B", _llama(100352, 5120, 40, 40, 40, 13824, **_OLMO2), 13_716_198_400),
        ),
        note="Its data, code and all intermediate weights are published too.",
    ),
    _decoder(
        "Mistral",
        2023,
        "Llama",
        "2310.06825",
        "a sliding window",
        "mistral",
        "MistralForCausalLM",
        (
            Size(
                "7B",
                _llama(
                    32000, 4096, 32, 32, 8, 14336, sliding_window=4096, max_position_embeddings=32768, rms_norm_eps=1e-5
                ),
                7_241_732_096,
            ),
        ),
    ),
    _decoder(
        "Qwen 2",
        2024,
        "Llama",
        "2407.10671",
        "biases on queries, keys, values",
        "qwen2",
        "Qwen2ForCausalLM",
        (
            Size("0.5B", _llama(151936, 896, 24, 14, 2, 4864, tie_word_embeddings=True, **_QWEN), 494_032_768),
            Size("1.5B", _llama(151936, 1536, 28, 12, 2, 8960, tie_word_embeddings=True, **_QWEN), 1_543_714_304),
            Size("7B", _llama(152064, 3584, 28, 28, 4, 18944, **_QWEN), 7_615_616_512),
        ),
    ),
    _decoder(
        "Qwen 3",
        2025,
        "Qwen 2",
        "2505.09388",
        "norms on queries and keys, no biases",
        "qwen3",
        "Qwen3ForCausalLM",
        (
            Size(
                "0.6B",
                _llama(151936, 1024, 28, 16, 8, 3072, head_dim=128, tie_word_embeddings=True, **_QWEN),
                600 * MILLION,
                100 * MILLION,
            ),
            Size("8B", _llama(151936, 4096, 36, 32, 8, 12288, head_dim=128, **_QWEN), 8_200 * MILLION, 100 * MILLION),
        ),
    ),
    _decoder(
        "Gemma",
        2024,
        "Llama",
        "2403.08295",
        "GELU gate, wide heads, scaled table",
        "gemma",
        "GemmaForCausalLM",
        (
            Size("2B", _llama(256000, 2048, 18, 8, 1, 16384, head_dim=256, **_GEMMA), 2_506_172_416),
            Size("7B", _llama(256000, 3072, 28, 16, 16, 24576, head_dim=256, **_GEMMA), 8_537_680_896),
        ),
        note="The one called 7B has 8.5 billion parameters, 0.8 billion of them in its token table.",
    ),
    _decoder(
        "Gemma 2",
        2024,
        "Gemma",
        "2408.00118",
        "every other layer local, norms on both sides, soft caps",
        "gemma2",
        "Gemma2ForCausalLM",
        (
            Size("2B", _llama(256000, 2304, 26, 8, 4, 9216, **_GEMMA2), 2_614_341_888),
            Size("9B", _llama(256000, 3584, 42, 16, 8, 14336, **_GEMMA2), 9_241_705_984),
            Size(
                "27B",
                _llama(256000, 4608, 46, 32, 16, 36864, **_GEMMA2 | {"head_dim": 128, "query_pre_attn_scalar": 144}),
                27_227_128_320,
            ),
        ),
        objectives=("next token", "distillation"),
        note="2B and 9B learned from a larger model's answers, 27B from text. Only 27B divides its scores by another "
        "number than √d_head.",
    ),
    _decoder(
        "Gemma 3",
        2025,
        "Gemma 2",
        "2503.19786",
        "five local layers for one global, norms instead of caps",
        "gemma3_text",
        "Gemma3ForCausalLM",
        (
            Size("270M", _llama(262144, 640, 18, 4, 1, 2048, **_GEMMA3), 268_098_176),
            Size("1B", _llama(262144, 1152, 26, 4, 1, 6912, **_GEMMA3), 999_885_952),
        ),
        objectives=("distillation",),
        small={"sliding_window_pattern": 2},
        note="The larger ones read images as well and scale their rotary positions, which is left out here. "
        "168 of the 268 million parameters of 270M are its token table.",
    ),
    _decoder(
        "EmbeddingGemma",
        2025,
        "Gemma 3",
        "2509.20354",
        "its mask opened: one vector",
        "gemma3_text",
        "Gemma3TextModel",
        (Size("300M", _llama(262144, 768, 24, 3, 1, 1152, **_GEMMA3, use_bidirectional_attention=True), 302_863_104),),
        branch="encoder",
        objectives=("distillation",),
        small={"sliding_window_pattern": 2},
        note="It learns that the vectors of texts that belong together lie near each other, and from a larger model's "
        "vectors. Two matrices after the mean of its vectors, 4.7 million numbers, are published beside it.",
    ),
)
