"""GPT-Neo against the Hugging Face implementation."""

from __future__ import annotations

from zoo_cases import cases_of
from zoo_checks import LanguageModelChecks

GPT_NEO = {
    "vocab_size": 53, "hidden_size": 30, "num_layers": 3, "num_heads": 5, "intermediate_size": 41, "window_size": 4,
    "max_position_embeddings": 29, "attention_types": [[["global", "local"], 1], [["global"], 1]], "pad_token_id": 0,
}  # fmt: skip
CASES = cases_of(
    "GPTNeo", "Model ForCausalLM ForQuestionAnswering ForSequenceClassification ForTokenClassification", GPT_NEO
)


class TestGptNeo(LanguageModelChecks):
    cases = CASES
    lacks = (
        ({"attention_types": [[["local"], 3]]}, "every other one of GPT-Neo's 3 is local"),
        ({"activation_function": "relu"}, "but GPT-Neo here has 'gelu_new'"),
    )
