"""Gemma against the Hugging Face implementation."""

from __future__ import annotations

from zoo_cases import LLAMA, cases_of
from zoo_checks import LanguageModelChecks

GEMMA = LLAMA | {"num_key_value_heads": 1}
CASES = cases_of("Gemma", "ForCausalLM ForSequenceClassification ForTokenClassification", GEMMA)


class TestGemma(LanguageModelChecks):
    cases = CASES
    lacks = (
        ({"hidden_act": "relu"}, "hidden_act is 'relu', but Gemma"),
        ({"use_bidirectional_attention": True}, "sees only the past"),
    )
