"""The encoder branch: every token sees the whole text."""

from __future__ import annotations

from functools import partial
from typing import Any

from anatomy_utils.taxonomy.row import MILLION, ModelFacts, Size


def _bert(vocab_size: int, d_model: int, num_layers: int, num_heads: int, **more: Any) -> dict[str, Any]:
    """The entries of a BERT-like `config.json`; the feed-forward network is four times as wide as the model."""
    return {
        "vocab_size": vocab_size,
        "hidden_size": d_model,
        "num_hidden_layers": num_layers,
        "num_attention_heads": num_heads,
        "intermediate_size": 4 * d_model,
        "max_position_embeddings": 512,
        "type_vocab_size": 2,
        "layer_norm_eps": 1e-12,
        "hidden_dropout_prob": 0.1,
        "attention_probs_dropout_prob": 0.1,
    } | more


_ROBERTA = {"max_position_embeddings": 514, "type_vocab_size": 1, "layer_norm_eps": 1e-5}
_BIG_BIRD = {
    "max_position_embeddings": 4096,
    "hidden_act": "gelu_new",
    "attention_type": "block_sparse",
    "block_size": 64,
    "num_random_blocks": 3,
}
_V3 = {"position_buckets": 256, "norm_rel_ebd": "layer_norm", "share_att_key": True}


def _albert(d_model: int, num_layers: int, num_heads: int) -> dict[str, Any]:
    """The entries of an ALBERT's `config.json`, second version."""
    own = {"embedding_size": 128, "num_hidden_groups": 1, "inner_group_num": 1, "hidden_act": "gelu_new"}
    return _bert(30000, d_model, num_layers, num_heads, **own)


def _deberta(vocab_size: int, d_model: int, num_layers: int, num_heads: int, **more: Any) -> dict[str, Any]:
    """The entries of a DeBERTa's `config.json`."""
    own = {
        "type_vocab_size": 0,
        "layer_norm_eps": 1e-7,
        "relative_attention": True,
        "position_biased_input": False,
        "pos_att_type": "c2p|p2c",
        "max_relative_positions": -1,
        "pooler_hidden_size": d_model,
        "pooler_hidden_act": "gelu",
        "pooler_dropout": 0.0,
    }
    return _bert(vocab_size, d_model, num_layers, num_heads, **own, **more)


def _modernbert(d_model: int, num_layers: int, num_heads: int, d_ff: int) -> dict[str, Any]:
    """The entries of a ModernBERT's `config.json`."""
    return {
        "vocab_size": 50368,
        "hidden_size": d_model,
        "num_hidden_layers": num_layers,
        "num_attention_heads": num_heads,
        "intermediate_size": d_ff,
        "max_position_embeddings": 8192,
        "global_attn_every_n_layers": 3,
        "local_attention": 128,
        "global_rope_theta": 160_000.0,
        "local_rope_theta": 10_000.0,
        "norm_eps": 1e-5,
    }


_encoder = partial(ModelFacts, branch="encoder", objectives=("masked tokens",))

ENCODERS = (
    _encoder(
        "BERT",
        2018,
        "Transformer",
        "1810.04805",
        "masked tokens, both directions",
        "bert",
        "BertForPreTraining",
        (
            Size("base", _bert(30522, 768, 12, 12), 110_106_428),
            Size("large", _bert(30522, 1024, 24, 16), 340 * MILLION, 10 * MILLION),
        ),
        objectives=("masked tokens", "next sentence"),
    ),
    _encoder(
        "RoBERTa",
        2019,
        "BERT",
        "1907.11692",
        "more data, no next sentence",
        "roberta",
        "RobertaForMaskedLM",
        (
            Size("base", _bert(50265, 768, 12, 12, **_ROBERTA), 125 * MILLION, MILLION),
            Size("large", _bert(50265, 1024, 24, 16, **_ROBERTA), 355 * MILLION, MILLION),
        ),
    ),
    _encoder(
        "DistilBERT",
        2019,
        "BERT",
        "1910.01108",
        "half the layers, distilled",
        "distilbert",
        "DistilBertForMaskedLM",
        (
            Size(
                "base",
                {
                    "vocab_size": 30522,
                    "dim": 768,
                    "n_layers": 6,
                    "n_heads": 12,
                    "hidden_dim": 3072,
                    "max_position_embeddings": 512,
                },
                66 * MILLION,
                MILLION,
                "body",
            ),
        ),
        objectives=("distillation", "masked tokens"),
    ),
    _encoder(
        "ALBERT",
        2019,
        "BERT",
        "1909.11942",
        "all layers share weights",
        "albert",
        "AlbertForPreTraining",
        (
            Size("base", _albert(768, 12, 12), 12 * MILLION, MILLION),
            Size("large", _albert(1024, 24, 16), 18 * MILLION, MILLION),
            Size("xlarge", _albert(2048, 24, 16), 60 * MILLION, 10 * MILLION),
        ),
        objectives=("masked tokens", "sentence order"),
    ),
    _encoder(
        "XLM-R",
        2019,
        "RoBERTa",
        "1911.02116",
        "one hundred languages",
        "xlm_roberta",
        "XLMRobertaForMaskedLM",
        (
            Size("base", _bert(250002, 768, 12, 12, **_ROBERTA), 270 * MILLION, 10 * MILLION, "body"),
            Size("large", _bert(250002, 1024, 24, 16, **_ROBERTA), 550 * MILLION, 10 * MILLION, "body"),
        ),
    ),
    _encoder(
        "ELECTRA",
        2020,
        "BERT",
        "2003.10555",
        "finds replaced tokens",
        "electra",
        "ElectraForPreTraining",
        (
            Size("small", _bert(30522, 256, 12, 4, embedding_size=128), 14 * MILLION, MILLION),
            Size("base", _bert(30522, 768, 12, 12, embedding_size=768), 110 * MILLION, 10 * MILLION),
            Size("large", _bert(30522, 1024, 24, 16, embedding_size=1024), 335 * MILLION, MILLION),
        ),
        objectives=("replaced tokens",),
        note="This is the discriminator, which is kept; a smaller generator is trained beside it and thrown away.",
    ),
    _encoder(
        "BigBird",
        2020,
        "RoBERTa",
        "2007.14062",
        "sparse attention pattern",
        "big_bird",
        "BigBirdForPreTraining",
        (
            Size("base", _bert(50358, 768, 12, 12, **_BIG_BIRD), 0),
            Size("large", _bert(50358, 1024, 24, 16, **_BIG_BIRD), 0),
        ),
        note="The first and the last block see all, so that two layers connect any two tokens. It was trained on "
        "masked tokens alone, but its published files, and so these counts, hold BERT's pooler and next-sentence head "
        "as well: 592,130 numbers in base, 1,051,650 in large.",
    ),
    _encoder(
        "DeBERTa",
        2020,
        "RoBERTa",
        "2006.03654",
        "content and place kept apart",
        "deberta",
        "DebertaForMaskedLM",
        (
            Size("base", _deberta(50265, 768, 12, 12), 100 * MILLION, MILLION, "all but the token table"),
            Size("large", _deberta(50265, 1024, 24, 16), 350 * MILLION, 10 * MILLION, "all but the token table"),
        ),
    ),
    _encoder(
        "DeBERTa v3",
        2021,
        "DeBERTa",
        "2111.09543",
        "buckets, replaced tokens",
        "deberta_v2",
        "DebertaV2ForMaskedLM",
        (
            Size("small", _deberta(128100, 768, 6, 12, **_V3), 44 * MILLION, MILLION, "all but the token table"),
            Size("base", _deberta(128100, 768, 12, 12, **_V3), 86 * MILLION, MILLION, "all but the token table"),
            Size("large", _deberta(128100, 1024, 24, 16, **_V3), 304 * MILLION, MILLION, "all but the token table"),
        ),
        objectives=("replaced tokens",),
        note="Its modules are those of version 2. It is trained as ELECTRA is; the head shown is the generator's.",
    ),
    _encoder(
        "ModernBERT",
        2024,
        "BERT",
        "2412.13663",
        "rotary, pre-norm, gated",
        "modernbert",
        "ModernBertForMaskedLM",
        (
            Size("base", _modernbert(768, 22, 12, 1152), 149 * MILLION, MILLION, "body"),
            Size("large", _modernbert(1024, 28, 16, 2624), 395 * MILLION, MILLION, "body"),
        ),
        small={"num_hidden_layers": 4},
    ),
)
