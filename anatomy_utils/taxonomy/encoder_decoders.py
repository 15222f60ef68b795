"""The roots, and the encoder–decoder branch: one stack reads, the other writes."""

from __future__ import annotations

from functools import partial
from typing import Any

from anatomy_utils.taxonomy.row import BILLION, MILLION, ModelFacts, Size


def _transformer(d_model: int, num_heads: int) -> dict[str, Any]:
    """The paper's table 3; there is no published `config.json`, so these are `TransformerConfig`'s entries."""
    return {
        "vocab_size": 37000,
        "d_model": d_model,
        "num_layers": 6,
        "num_decoder_layers": 6,
        "num_heads": num_heads,
        "d_ff": 4 * d_model,
    }


def _bart(d_model: int, num_layers: int, num_heads: int) -> dict[str, Any]:
    """The entries of a BART's `config.json`."""
    return {
        "vocab_size": 50265,
        "d_model": d_model,
        "encoder_layers": num_layers,
        "decoder_layers": num_layers,
        "encoder_attention_heads": num_heads,
        "decoder_attention_heads": num_heads,
        "encoder_ffn_dim": 4 * d_model,
        "decoder_ffn_dim": 4 * d_model,
        "max_position_embeddings": 1024,
    }


def _t5(d_model: int, d_head: int, d_ff: int, num_layers: int, num_heads: int) -> dict[str, Any]:
    """The entries of a T5's `config.json`."""
    return {
        "vocab_size": 32128,
        "d_model": d_model,
        "d_kv": d_head,
        "d_ff": d_ff,
        "num_layers": num_layers,
        "num_decoder_layers": num_layers,
        "num_heads": num_heads,
    }


def _m2m_100(num_layers: int, d_ff: int) -> dict[str, Any]:
    """The entries of an M2M-100's `config.json`."""
    return _bart(1024, num_layers, 16) | {
        "vocab_size": 128112,
        "encoder_ffn_dim": d_ff,
        "decoder_ffn_dim": d_ff,
        "scale_embedding": True,
        "dropout": 0.1,
        "attention_dropout": 0.1,
        "activation_dropout": 0.0,
    }


def _t5gemma(
    d_model: int, num_layers: int, num_heads: int, num_kv_heads: int, d_ff: int, d_head: int
) -> dict[str, Any]:
    """The entries of a T5Gemma's `config.json` whose two sides are of one size."""
    side = {
        "vocab_size": 256000,
        "hidden_size": d_model,
        "num_hidden_layers": num_layers,
        "num_attention_heads": num_heads,
        "num_key_value_heads": num_kv_heads,
        "intermediate_size": d_ff,
        "head_dim": d_head,
        "query_pre_attn_scalar": d_head,
        "sliding_window": 4096,
    }
    return {"encoder": side, "decoder": dict(side)}


def _bergamot(d_model: int, num_layers: int, num_decoder_layers: int, num_heads: int, d_ff: int) -> dict[str, Any]:
    """What `marian` finds in a Bergamot's file."""
    return {
        "vocab_size": 32001,
        "d_model": d_model,
        "encoder_layers": num_layers,
        "decoder_layers": num_decoder_layers,
        "encoder_attention_heads": num_heads,
        "encoder_ffn_dim": d_ff,
    }


_root = partial(ModelFacts, branch="root", objectives=("translation pairs",))

ROOTS = (
    _root(
        "RNN with attention",
        2014,
        "",
        "1409.0473",
        "recurrence, and a look back",
        "recurrent",
        "",
        (Size("RNNsearch", {"vocab_size": 30000, "d_embedding": 620, "d_model": 1000}, 0),),
        small={"d_embedding": 16, "d_alignment": 24, "d_readout": 16},
    ),
    _root(
        "ELMo",
        2018,
        "",
        "1802.05365",
        "context by recurrence",
        "elmo",
        "",
        (
            Size(
                "original", {"vocab_size": 793471, "d_model": 512, "d_hidden": 4096, "num_layers": 2}, 0, counts="body"
            ),
        ),
        objectives=("next token",),
        small={"d_hidden": 32},
        note="The published one (93.6 million) makes a word's first vector from its letters; here it is a table's row.",
    ),
    _root(
        "Transformer",
        2017,
        "RNN with attention",
        "1706.03762",
        "attention, no recurrence",
        "transformer",
        "",
        (
            Size("base", _transformer(512, 8), 65 * MILLION, 2 * MILLION),
            Size("big", _transformer(1024, 16), 213 * MILLION, 2 * MILLION),
        ),
        note="The paper gives its vocabulary as about 37000, which leaves two million parameters open.",
    ),
)

_translator = partial(ModelFacts, branch="encoder–decoder", objectives=("translation pairs",))

TRANSLATORS = (
    _translator(
        "BART",
        2019,
        "Transformer",
        "1910.13461",
        "mends damaged text",
        "bart",
        "BartForConditionalGeneration",
        (
            Size("base", _bart(768, 6, 12), 139 * MILLION, MILLION),
            Size("large", _bart(1024, 12, 16), 406 * MILLION, MILLION),
        ),
        objectives=("text infilling", "sentence permutation"),
    ),
    _translator(
        "T5",
        2019,
        "Transformer",
        "1910.10683",
        "text to text, relative bias",
        "t5",
        "T5ForConditionalGeneration",
        (
            Size("small", _t5(512, 64, 2048, 6, 8), 60 * MILLION, MILLION),
            Size("base", _t5(768, 64, 3072, 12, 12), 220 * MILLION, 10 * MILLION),
            Size("3B", _t5(1024, 128, 16384, 24, 32), 2_800 * MILLION, 100 * MILLION),
            Size("11B", _t5(1024, 128, 65536, 24, 128), 11 * BILLION, BILLION),
        ),
        objectives=("span corruption",),
    ),
    _translator(
        "M2M-100",
        2020,
        "Transformer",
        "2010.11125",
        "any of 100 languages to any",
        "m2m_100",
        "M2M100ForConditionalGeneration",
        (
            Size("418M", _m2m_100(12, 4096), 484 * MILLION, MILLION),
            Size("1.2B", _m2m_100(24, 8192), 1_200 * MILLION, 100 * MILLION),
        ),
        note="The smaller one is called 418M, but its published files, and these modules, hold 484 million numbers.",
    ),
    _translator(
        "Bergamot",
        2021,
        "Transformer",
        "2109.10194",
        "writes with a recurrent state",
        "bergamot",
        "",
        (Size("tiny", _bergamot(256, 6, 2, 8, 1536), 0),),
        objectives=("translation pairs", "distillation"),
        note="The recurrent unit is that of D19-5632. Nobody states a number of parameters; 32,000 pieces are in the "
        "published vocabularies, and the vector of zeros that the decoder begins with counts as one more here.",
    ),
    _translator(
        "T5Gemma",
        2025,
        "Gemma 2",
        "2504.06225",
        "one reads, another writes",
        "t5gemma",
        "T5GemmaForConditionalGeneration",
        (
            Size("small", _t5gemma(512, 8, 8, 8, 1024, 64), 0),
            Size("2B-2B", _t5gemma(2304, 26, 8, 4, 9216, 256), 5_596_853_760),
        ),
        objectives=("prefix LM", "span corruption", "distillation"),
        note="2B-2B starts from the weights of two Gemma 2. Each size is published twice: trained as a prefix LM, with "
        "distillation, and on span corruption (as in UL2).",
    ),
)
