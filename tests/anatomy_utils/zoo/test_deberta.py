"""DeBERTa against the Hugging Face implementation, and its weights to watch."""

from __future__ import annotations

from zoo_cases import DEBERTA, ZooCase, cases_of
from zoo_checks import ReferenceChecks, check_every_layer_shows_its_weights

CASES = cases_of("Deberta", "Model ForMaskedLM ForQuestionAnswering ForSequenceClassification", DEBERTA)


class TestDeberta(ReferenceChecks):
    cases = CASES
    lacks = (({"position_biased_input": True}, "position_biased_input is True"),)


def test_every_layer_shows_its_weights(tmp_path):
    check_every_layer_shows_its_weights(ZooCase("DebertaModel", DEBERTA), tmp_path)
