"""Qwen 2 against the Hugging Face implementation."""

from __future__ import annotations

from zoo_cases import LLAMA, ZooCase, cases_of
from zoo_checks import LanguageModelChecks

QWEN2 = LLAMA | {"rope_parameters": {"rope_type": "default", "rope_theta": 1e4}}
CASES = [
    *cases_of("Qwen2", "ForCausalLM ForQuestionAnswering ForSequenceClassification ForTokenClassification", QWEN2),
    ZooCase("Qwen2ForCausalLM", LLAMA, {"tie_word_embeddings": True}),
]


class TestQwen2(LanguageModelChecks):
    cases = CASES
    lacks = (({"use_sliding_window": True}, "use_sliding_window is set, but each layer of Qwen 2"),)
