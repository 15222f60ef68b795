"""The decoder branch up to GPT-3 and its first children: every token sees itself and its past."""

from __future__ import annotations

from typing import Any

from anatomy_utils.taxonomy.row import BILLION, MILLION, ModelFacts, Size


def _gpt2(d_model: int, num_layers: int, num_heads: int, max_positions: int = 1024) -> dict[str, Any]:
    """The entries of a GPT-2's `config.json`."""
    return {
        "vocab_size": 50257,
        "n_embd": d_model,
        "n_layer": num_layers,
        "n_head": num_heads,
        "n_positions": max_positions,
    }


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


_WIKITEXT = {
    "vocab_size": 267735,
    "cutoffs": [20000, 40000, 200000],
    "d_embed": 1024,
    "div_val": 4,
    "tie_projs": [False, True, True, True],
    "d_model": 1024,
    "n_layer": 18,
    "n_head": 16,
    "d_head": 64,
    "d_inner": 4096,
    "mem_len": 1600,
    "same_length": True,
    "clamp_len": 1000,
    "layer_norm_epsilon": 1e-5,
    "dropout": 0.1,
    "dropatt": 0.0,
}

DECODERS = (
    ModelFacts(
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
    ModelFacts(
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
    ModelFacts(
        "Transformer-XL",
        2019,
        "Transformer",
        "decoder",
        "1901.02860",
        ("next token",),
        "recurrence over segments",
        "transfo_xl",
        "LMHeadModel",
        "",
        (Size("WikiText-103", _WIKITEXT, 285 * MILLION, MILLION),),
        small={"cutoffs": [10, 20, 40], "d_embed": 32, "div_val": 2, "d_inner": 64, "mem_len": 8},
        note="Its paper counts 257 million parameters. Its published weights, and these modules, hold 285 million.",
    ),
    ModelFacts("XLNet", 2019, "Transformer-XL", "decoder", "1906.08237", ("permuted order",), "predicts in any order"),
    ModelFacts(
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
    ModelFacts(
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
        note="Neither its weights nor its code were published: these are its sizes in GPT-2's modules. Every other "
        "layer of the original attends to a sparse band, as in the Sparse Transformer (arXiv:1904.10509); here all "
        "layers see the whole past.",
    ),
    ModelFacts(
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
    ModelFacts(
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
