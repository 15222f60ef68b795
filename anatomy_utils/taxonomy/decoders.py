"""The decoder branch up to GPT-3 and its first children: every token sees itself and its past."""

from __future__ import annotations

from functools import partial
from typing import Any

from anatomy_utils.taxonomy.row import BILLION, MILLION, ModelFacts, Size


def _gpt2(d_model: int, num_layers: int, num_heads: int, max_positions: int = 1024, **more: Any) -> dict[str, Any]:
    """The entries of a GPT-2's `config.json`, and of those that write theirs like it."""
    return {
        "vocab_size": 50257,
        "n_embd": d_model,
        "n_layer": num_layers,
        "n_head": num_heads,
        "n_positions": max_positions,
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

_decoder = partial(ModelFacts, branch="decoder", objectives=("next token",))

DECODERS = (
    _decoder(
        "GPT",
        2018,
        "Transformer",
        "",
        "next token, no encoder",
        "openai_gpt",
        "OpenAIGPTLMHeadModel",
        (Size("GPT", _gpt2(768, 12, 12, 512, vocab_size=40478), 117 * MILLION, MILLION),),
        month=6,
    ),
    _decoder(
        "CTRL",
        2019,
        "Transformer",
        "1909.05858",
        "control codes",
        "ctrl",
        "CTRLLMHeadModel",
        (
            Size(
                "CTRL",
                _gpt2(1280, 48, 16, 256, vocab_size=246534, dff=8192, resid_pdrop=0.1),
                1_630 * MILLION,
                10 * MILLION,
            ),
        ),
    ),
    _decoder(
        "Transformer-XL",
        2019,
        "Transformer",
        "1901.02860",
        "recurrence over segments",
        "transfo_xl",
        "",
        (Size("WikiText-103", _WIKITEXT, 285 * MILLION, MILLION),),
        task="LMHeadModel",
        small={"cutoffs": [10, 20, 40], "d_embed": 32, "div_val": 2, "d_inner": 64, "mem_len": 8},
        note="Its paper counts 257 million parameters. Its published weights, and these modules, hold 285 million.",
    ),
    _decoder(
        "XLNet",
        2019,
        "Transformer-XL",
        "1906.08237",
        "predicts in any order",
        objectives=("permuted order",),
        note="Not built as a whole. Its layers are Transformer-XL's, which run; what it brought, predicting in any "
        "order, is a mask and a loss, which are built.",
    ),
    _decoder(
        "GPT-2",
        2019,
        "GPT",
        "",
        "pre-norm, larger",
        "gpt2",
        "GPT2LMHeadModel",
        (
            Size("small", _gpt2(768, 12, 12), 124_439_808),
            Size("medium", _gpt2(1024, 24, 16), 354_823_168),
            Size("large", _gpt2(1280, 36, 20), 774_030_080),
            Size("XL", _gpt2(1600, 48, 25), 1_557_611_200),
        ),
        month=2,
    ),
    _decoder(
        "GPT-3",
        2020,
        "GPT-2",
        "2005.14165",
        "a hundred times larger",
        "gpt2",
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
    _decoder(
        "GPT-Neo",
        2021,
        "GPT-3",
        "",
        "every other layer local",
        "gpt_neo",
        "GPTNeoForCausalLM",
        (
            Size("125M", _gpt_neo(768, 12, 12), 125_198_592),
            Size("1.3B", _gpt_neo(2048, 24, 16), 1_300 * MILLION, 100 * MILLION),
            Size("2.7B", _gpt_neo(2560, 32, 20), 2_700 * MILLION, 100 * MILLION),
        ),
        small={"attention_types": [[["global", "local"], 1]]},
        month=3,
    ),
    _decoder(
        "GPT-J",
        2021,
        "GPT-3",
        "",
        "rotary, parallel layers",
        "gptj",
        "GPTJForCausalLM",
        (
            Size(
                "6B",
                _gpt2(4096, 28, 16, 2048, vocab_size=50400, rotary_dim=64, tie_word_embeddings=False),
                6_050_882_784,
            ),
        ),
        month=6,
    ),
)
