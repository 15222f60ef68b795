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
        "small: fewer key/value heads, one table",
        "llama",
        "CausalLM",
        "LlamaForCausalLM",
        (
            Size("135M", _llama(49152, 576, 30, 9, 3, 1536, **_SMOLLM2), 134_515_008),
            Size("360M", _llama(49152, 960, 32, 15, 5, 2560, **_SMOLLM2), 361_821_120),
            Size("1.7B", _llama(49152, 2048, 24, 32, 32, 8192, **_SMOLLM2), 1_711_376_384),
        ),
    ),
    Model("GPT-Neo", 2021, "GPT-3", "decoder", "", ("next token",), "every other layer local"),
    Model("GPT-J", 2021, "GPT-3", "decoder", "", ("next token",), "rotary, parallel layers"),
    Model("Mistral", 2023, "Llama", "decoder", "2310.06825", ("next token",), "a sliding window"),
    Model("Qwen 2", 2024, "Llama", "decoder", "2407.10671", ("next token",), "biases on queries, keys, values"),
    Model("Qwen 3", 2025, "Qwen 2", "decoder", "2505.09388", ("next token",), "norms on queries and keys"),
    Model("Gemma", 2024, "Llama", "decoder", "2403.08295", ("next token",), "GELU gate, wide heads, scaled table"),
)
