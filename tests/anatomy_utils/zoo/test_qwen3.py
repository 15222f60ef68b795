"""Qwen 3 against the Hugging Face implementation."""

from __future__ import annotations

from zoo_cases import LLAMA, ZooCase, cases_of
from zoo_checks import LanguageModelChecks

CASES = [
    *cases_of("Qwen3", "ForCausalLM ForQuestionAnswering ForSequenceClassification ForTokenClassification", LLAMA),
    ZooCase("Qwen3ForCausalLM", LLAMA, {"tie_word_embeddings": True}),
]


class TestQwen3(LanguageModelChecks):
    cases = CASES
    lacks = (({"use_sliding_window": True}, "use_sliding_window is set, but each layer of Qwen 3"),)
