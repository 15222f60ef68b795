"""RoBERTa against the Hugging Face implementation, and what its classifier drops."""

from __future__ import annotations

from zoo_cases import BERT, ZooCase, cases_of
from zoo_checks import ReferenceChecks, check_labels_are_read_from_dropped_features

CASES = cases_of(
    "Roberta",
    "Model ForMaskedLM ForQuestionAnswering ForMultipleChoice ForSequenceClassification ForTokenClassification",
    BERT,
)


class TestRoberta(ReferenceChecks):
    cases = CASES
    lacks = (({"hidden_act": "relu"}, "hidden_act is 'relu', but BERT here"),)


def test_labels_are_read_from_dropped_features_while_training(tmp_path):
    case = ZooCase("RobertaForSequenceClassification", BERT, {"hidden_dropout_prob": 0.2})
    check_labels_are_read_from_dropped_features(case, "hidden_dropout_prob", tmp_path)
