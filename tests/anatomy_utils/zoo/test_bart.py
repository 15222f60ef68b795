"""BART: its one table of tokens."""

from zoo_cases import BART, ZooCase, ours


def test_tied_tables_stay_one_parameter(tmp_path):
    model = ours(ZooCase("BartForConditionalGeneration", BART).reference(), tmp_path)
    table = model.encoder.embeddings.tokens.weight
    assert model.decoder.embeddings.tokens.weight is table
    assert model.vocabulary.weight is table
