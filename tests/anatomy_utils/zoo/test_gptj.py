"""GPT-J against the Hugging Face implementation."""

from __future__ import annotations

from zoo_cases import cases_of
from zoo_checks import LanguageModelChecks

GPTJ = {
    "vocab_size": 53, "n_embd": 30, "n_layer": 3, "n_head": 3, "rotary_dim": 4, "n_inner": 41, "n_positions": 29,
    "pad_token_id": 0,
}  # fmt: skip
CASES = cases_of("GPTJ", "Model ForCausalLM ForQuestionAnswering ForSequenceClassification", GPTJ)


class TestGptJ(LanguageModelChecks):
    cases = CASES
    lacks = (
        ({"rotary_dim": None}, "rotary_dim is None"),
        ({"activation_function": "relu"}, "but GPT-J here has 'gelu_new'"),
    )
