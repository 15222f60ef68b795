"""CTRL against the Hugging Face implementation."""

from __future__ import annotations

from zoo_cases import GPT, cases_of
from zoo_checks import LanguageModelChecks

CTRL = GPT | {"dff": 41}
CASES = cases_of("CTRL", "Model LMHeadModel ForSequenceClassification", CTRL)


class TestCtrl(LanguageModelChecks):
    cases = CASES
    lacks = (({"layer_norm_epsilon": 1e-5}, "layer_norm_epsilon is 1e-05"),)
