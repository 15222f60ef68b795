"""DistilBERT against the Hugging Face implementation."""

from __future__ import annotations

from zoo_cases import cases_of
from zoo_checks import ReferenceChecks

DISTILBERT = {
    "vocab_size": 53, "dim": 30, "n_layers": 3, "n_heads": 5, "hidden_dim": 41, "max_position_embeddings": 29,
}  # fmt: skip
CASES = cases_of(
    "DistilBert",
    "Model ForMaskedLM ForQuestionAnswering ForMultipleChoice ForSequenceClassification ForTokenClassification",
    DISTILBERT,
)


class TestDistilBert(ReferenceChecks):
    cases = CASES
    lacks = (
        ({"activation": "relu"}, "activation is 'relu', but DistilBERT here"),
        ({"sinusoidal_pos_embds": True}, "sinusoidal_pos_embds is set"),
    )
