"""The decoder branch: every token sees itself and its past."""

from __future__ import annotations

from typing import Any

from anatomy_utils.taxonomy.record import BILLION, MILLION, Model, Size


def _gpt2(d_model: int, num_layers: int, num_heads: int, max_positions: int = 1024) -> dict[str, Any]:
    """The entries of a GPT-2's `config.json`."""
    return {
        "vocab_size": 50257,
        "n_embd": d_model,
        "n_layer": num_layers,
        "n_head": num_heads,
        "n_positions": max_positions,
    }


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


def _gpt_neo(d_model: int, num_layers: int, num_heads: int) -> dict[str, Any]:
    """The entries of a GPT-Neo's `config.json`."""
    return {
        "vocab_size": 50257,
        "hidden_size": d_model,
        "num_layers": num_layers,
        "num_heads": num_heads,
        "max_position_embeddings": 2048,
        "window_size": 256,
        "attention_types": [[["global", "local"], num_layers // 2]],
    }


_QWEN = {"rope_theta": 1e6, "rms_norm_eps": 1e-6, "max_position_embeddings": 32768}
_GEMMA = {"hidden_activation": "gelu_pytorch_tanh", "tie_word_embeddings": True, "max_position_embeddings": 8192}
_SMOLLM2 = {"tie_word_embeddings": True, "max_position_embeddings": 8192, "rope_theta": 100_000.0, "rms_norm_eps": 1e-5}

DECODERS = (
    Model(
        "GPT",
        2018,
        "Transformer",
        "decoder",
        "",
        ("next token",),
        "next token, no encoder",
        "openai_gpt",
        "LMHeadModel",
        "OpenAIGPTLMHeadModel",
        (
            Size(
                "GPT",
                {
                    "vocab_size": 40478,
                    "n_embd": 768,
                    "n_layer": 12,
                    "n_head": 12,
                    "n_positions": 512,
                    "layer_norm_epsilon": 1e-5,
                    "resid_pdrop": 0.1,
                    "attn_pdrop": 0.1,
                },
                117 * MILLION,
                MILLION,
            ),
        ),
    ),
    Model(
        "CTRL",
        2019,
        "Transformer",
        "decoder",
        "1909.05858",
        ("next token",),
        "control codes",
        "ctrl",
        "LMHeadModel",
        "CTRLLMHeadModel",
        (
            Size(
                "CTRL",
                {
                    "vocab_size": 246534,
                    "n_embd": 1280,
                    "n_layer": 48,
                    "n_head": 16,
                    "dff": 8192,
                    "n_positions": 256,
                    "resid_pdrop": 0.1,
                },
                1_630 * MILLION,
                10 * MILLION,
            ),
        ),
    ),
    Model("Transformer-XL", 2019, "Transformer", "decoder", "1901.02860", ("next token",), "recurrence over segments"),
    Model("XLNet", 2019, "Transformer-XL", "decoder", "1906.08237", ("permuted order",), "predicts in any order"),
    Model(
        "GPT-2",
        2019,
        "GPT",
        "decoder",
        "",
        ("next token",),
        "pre-norm, larger",
        "gpt2",
        "LMHeadModel",
        "GPT2LMHeadModel",
        (
            Size("small", _gpt2(768, 12, 12), 124_439_808),
            Size("medium", _gpt2(1024, 24, 16), 354_823_168),
            Size("large", _gpt2(1280, 36, 20), 774_030_080),
            Size("XL", _gpt2(1600, 48, 25), 1_557_611_200),
        ),
    ),
    Model(
        "GPT-3",
        2020,
        "GPT-2",
        "decoder",
        "2005.14165",
        ("next token",),
        "a hundred times larger",
        "gpt2",
        "LMHeadModel",
        "GPT2LMHeadModel",
        (
            Size("small", _gpt2(768, 12, 12, 2048), 125 * MILLION, MILLION),
            Size("large", _gpt2(1536, 24, 16, 2048), 760 * MILLION, 10 * MILLION),
            Size("6.7B", _gpt2(4096, 32, 32, 2048), 6_700 * MILLION, 100 * MILLION),
            Size("175B", _gpt2(12288, 96, 96, 2048), 175 * BILLION, BILLION),
        ),
        note="Its weights were never published: these are its numbers in GPT-2's modules. Every other layer of the "
        "original attends to a sparse band, as in the Sparse Transformer (arXiv:1904.10509).",
    ),
    Model(
        "Llama",
        2023,
        "GPT-3",
        "decoder",
        "2302.13971",
        ("next token",),
        "RMSNorm, rotary, SwiGLU",
        "llama",
        "CausalLM",
        "LlamaForCausalLM",
        (
            Size("7B", _llama(32000, 4096, 32, 32, 32, 11008), 6_738_415_616),
            Size("13B", _llama(32000, 5120, 40, 40, 40, 13824), 13 * BILLION, 100 * MILLION),
            Size("2 70B", _llama(32000, 8192, 80, 64, 8, 28672), 69 * BILLION, BILLION),
        ),
    ),
    Model(
        "SmolLM2",
        2025,
        "Llama",
        "decoder",
        "2502.02737",
        ("next token",),
        "small: shared keys, one table",
        "llama",
        "CausalLM",
        "LlamaForCausalLM",
        (
            Size("135M", _llama(49152, 576, 30, 9, 3, 1536, **_SMOLLM2), 134_515_008),
            Size("360M", _llama(49152, 960, 32, 15, 5, 2560, **_SMOLLM2), 361_821_120),
            Size("1.7B", _llama(49152, 2048, 24, 32, 32, 8192, **_SMOLLM2), 1_711_376_384),
        ),
    ),
    Model(
        "Mistral",
        2023,
        "Llama",
        "decoder",
        "2310.06825",
        ("next token",),
        "a sliding window",
        "mistral",
        "CausalLM",
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
    Model(
        "Qwen 2",
        2024,
        "Llama",
        "decoder",
        "2407.10671",
        ("next token",),
        "biases on queries, keys, values",
        "qwen2",
        "CausalLM",
        "Qwen2ForCausalLM",
        (
            Size("0.5B", _llama(151936, 896, 24, 14, 2, 4864, tie_word_embeddings=True, **_QWEN), 494_032_768),
            Size("1.5B", _llama(151936, 1536, 28, 12, 2, 8960, tie_word_embeddings=True, **_QWEN), 1_543_714_304),
            Size("7B", _llama(152064, 3584, 28, 28, 4, 18944, **_QWEN), 7_615_616_512),
        ),
    ),
    Model(
        "Qwen 3",
        2025,
        "Qwen 2",
        "decoder",
        "2505.09388",
        ("next token",),
        "norms on queries and keys",
        "qwen3",
        "CausalLM",
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
    Model(
        "Gemma",
        2024,
        "Llama",
        "decoder",
        "2403.08295",
        ("next token",),
        "GELU gate, wide heads, scaled table",
        "gemma",
        "CausalLM",
        "GemmaForCausalLM",
        (
            Size("2B", _llama(256000, 2048, 18, 8, 1, 16384, head_dim=256, **_GEMMA), 2_506_172_416),
            Size("7B", _llama(256000, 3072, 28, 16, 16, 24576, head_dim=256, **_GEMMA), 8_537_680_896),
        ),
        note="The one called 7B has 8.5 billion parameters, of which 0.8 billion are its token table.",
    ),
    Model(
        "GPT-Neo",
        2021,
        "GPT-3",
        "decoder",
        "",
        ("next token",),
        "every other layer local",
        "gpt_neo",
        "CausalLM",
        "GPTNeoForCausalLM",
        (
            Size("125M", _gpt_neo(768, 12, 12), 125_198_592),
            Size("1.3B", _gpt_neo(2048, 24, 16), 1_300 * MILLION, 100 * MILLION),
            Size("2.7B", _gpt_neo(2560, 32, 20), 2_700 * MILLION, 100 * MILLION),
        ),
        small={"attention_types": [[["global", "local"], 1]]},
    ),
    Model(
        "GPT-J",
        2021,
        "GPT-3",
        "decoder",
        "",
        ("next token",),
        "rotary, parallel layers",
        "gptj",
        "CausalLM",
        "GPTJForCausalLM",
        (
            Size(
                "6B",
                {
                    "vocab_size": 50400,
                    "n_embd": 4096,
                    "n_layer": 28,
                    "n_head": 16,
                    "n_positions": 2048,
                    "rotary_dim": 64,
                    "tie_word_embeddings": False,
                },
                6_050_882_784,
            ),
        ),
    ),
)
