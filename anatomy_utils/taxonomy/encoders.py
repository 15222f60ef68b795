"""The encoder branch: every token sees the whole text."""

from __future__ import annotations

from typing import Any

from anatomy_utils.taxonomy.record import MILLION, Model, Size


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

ENCODERS = (
    Model(
        "BERT",
        2018,
        "Transformer",
        "encoder",
        "1810.04805",
        ("masked tokens", "next sentence"),
        "masked tokens, both directions",
        "bert",
        "PreTraining",
        "BertForPreTraining",
        (
            Size("base", _bert(30522, 768, 12, 12), 110_106_428),
            Size("large", _bert(30522, 1024, 24, 16), 340 * MILLION, 10 * MILLION),
        ),
    ),
    Model(
        "RoBERTa",
        2019,
        "BERT",
        "encoder",
        "1907.11692",
        ("masked tokens",),
        "more data, no next sentence",
        "roberta",
        "MaskedLM",
        "RobertaForMaskedLM",
        (
            Size("base", _bert(50265, 768, 12, 12, **_ROBERTA), 125 * MILLION, MILLION),
            Size("large", _bert(50265, 1024, 24, 16, **_ROBERTA), 355 * MILLION, MILLION),
        ),
    ),
    Model(
        "DistilBERT",
        2019,
        "BERT",
        "encoder",
        "1910.01108",
        ("distillation", "masked tokens"),
        "half the layers, distilled",
        "distilbert",
        "MaskedLM",
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
    ),
    Model(
        "ALBERT", 2019, "BERT", "encoder", "1909.11942", ("masked tokens", "sentence order"), "all layers share weights"
    ),
    Model("XLM-R", 2019, "RoBERTa", "encoder", "1911.02116", ("masked tokens",), "one hundred languages"),
    Model("ELECTRA", 2020, "BERT", "encoder", "2003.10555", ("replaced tokens",), "finds replaced tokens"),
    Model("BigBird", 2020, "RoBERTa", "encoder", "2007.14062", ("masked tokens",), "sparse attention pattern"),
    Model("DeBERTa", 2020, "RoBERTa", "encoder", "2006.03654", ("replaced tokens",), "content and place kept apart"),
    Model("ModernBERT", 2024, "BERT", "encoder", "2412.13663", ("masked tokens",), "rotary, pre-norm, gated"),
)
