"""GPT against the Hugging Face implementation."""

from __future__ import annotations

from zoo_cases import GPT, cases_of
from zoo_checks import LanguageModelChecks

CASES = cases_of("OpenAIGPT", "Model LMHeadModel ForSequenceClassification", GPT)


class TestOpenAiGpt(LanguageModelChecks):
    cases = CASES
    lacks = (({"afn": "silu"}, "afn is 'silu'"),)
