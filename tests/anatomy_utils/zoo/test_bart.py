"""BART against the Hugging Face implementation; its one table, and what its classifier drops."""

from __future__ import annotations

from zoo_cases import BART, ZooCase, cases_of, ours
from zoo_checks import EncoderDecoderChecks, check_labels_are_read_from_dropped_features

CASES = cases_of("Bart", "Model ForConditionalGeneration ForQuestionAnswering ForSequenceClassification", BART)


class TestBart(EncoderDecoderChecks):
    cases = CASES
    lacks = (({"activation_function": "relu"}, "activation_function"),)


def test_tied_tables_stay_one_parameter(tmp_path):
    model = ours(ZooCase("BartForConditionalGeneration", BART).reference(), tmp_path)
    table = model.encoder.embeddings.tokens.weight
    assert model.decoder.embeddings.tokens.weight is table
    assert model.vocabulary.weight is table


def test_labels_are_read_from_dropped_features_while_training(tmp_path):
    case = ZooCase("BartForSequenceClassification", BART, {"classifier_dropout": 0.3})
    check_labels_are_read_from_dropped_features(case, "classifier_dropout", tmp_path)
