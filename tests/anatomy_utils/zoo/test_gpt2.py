"""GPT-2 against the Hugging Face implementation."""

from __future__ import annotations

from zoo_cases import cases_of
from zoo_checks import LanguageModelChecks

GPT2 = {
    "vocab_size": 53, "n_embd": 30, "n_layer": 3, "n_head": 5, "n_positions": 29, "n_inner": 37,
    "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0,
}  # fmt: skip
CASES = cases_of(
    "GPT2", "Model LMHeadModel ForQuestionAnswering ForSequenceClassification ForTokenClassification", GPT2
)


class TestGpt2(LanguageModelChecks):
    cases = CASES
    lacks = (
        ({"activation_function": "relu"}, "activation_function is 'relu'"),
        ({"architectures": ["GPT2ForEverything"]}, "'GPT2ForEverything' is not here"),
    )
