"""Mistral against the Hugging Face implementation."""

from __future__ import annotations

from zoo_cases import LLAMA, ZooCase, cases_of
from zoo_checks import LanguageModelChecks

MISTRAL = LLAMA | {"sliding_window": 5}
CASES = [
    *cases_of("Mistral", "ForCausalLM ForQuestionAnswering ForSequenceClassification ForTokenClassification", MISTRAL),
    ZooCase("MistralForCausalLM", LLAMA, {"sliding_window": None}),
]


class TestMistral(LanguageModelChecks):
    cases = CASES
    lacks = (({"hidden_act": "relu"}, "hidden_act is 'relu'"),)
