"""ELECTRA against the Hugging Face implementation, and what its classifier drops."""

from __future__ import annotations

from zoo_cases import BERT, ZooCase, cases_of
from zoo_checks import ReferenceChecks, check_labels_are_read_from_dropped_features

ELECTRA = BERT | {"embedding_size": 14, "summary_last_dropout": 0.0}
CASES = [
    *cases_of("Electra", "Model ForMaskedLM ForQuestionAnswering ForMultipleChoice ForPreTraining", ELECTRA),
    *cases_of("Electra", "ForSequenceClassification ForTokenClassification", ELECTRA),
    ZooCase("ElectraModel", ELECTRA, {"embedding_size": 30}),
]


class TestElectra(ReferenceChecks):
    cases = CASES
    lacks = (({"summary_type": "mean"}, "summary_type is 'mean'"), ({"hidden_act": "relu"}, "hidden_act is 'relu'"))


def test_labels_are_read_from_dropped_features_while_training(tmp_path):
    case = ZooCase("ElectraForSequenceClassification", ELECTRA, {"classifier_dropout": 0.3})
    check_labels_are_read_from_dropped_features(case, "classifier_dropout", tmp_path)
