"""XLM-R against the Hugging Face implementation."""

from __future__ import annotations

from zoo_cases import BERT, cases_of
from zoo_checks import ReferenceChecks

CASES = cases_of(
    "XLMRoberta",
    "Model ForMaskedLM ForQuestionAnswering ForMultipleChoice ForSequenceClassification ForTokenClassification",
    BERT,
)


class TestXlmRoberta(ReferenceChecks):
    cases = CASES
    lacks = (({"position_embedding_type": "relative_key"}, "position_embedding_type is 'relative_key'"),)
