"""ALBERT against the Hugging Face implementation; one layer runs at several places."""

from __future__ import annotations

from zoo_cases import BERT, ZooCase, batch, cases_of, ours
from zoo_checks import ReferenceChecks

from anatomy_utils.tap import watch

ALBERT = BERT | {"embedding_size": 14, "num_hidden_groups": 2, "classifier_dropout_prob": 0.0}
CASES = [
    *cases_of("Albert", "Model ForMaskedLM ForQuestionAnswering ForMultipleChoice ForPreTraining", ALBERT),
    *cases_of("Albert", "ForSequenceClassification ForTokenClassification", ALBERT),
    ZooCase("AlbertForMaskedLM", ALBERT, {"hidden_act": "gelu", "inner_group_num": 2}),
]


class TestAlbert(ReferenceChecks):
    cases = CASES
    lacks = (({"hidden_act": "relu"}, "hidden_act is 'relu'"), ({"num_hidden_groups": 4}, "num_hidden_groups is 4"))


def test_albert_runs_the_same_layer_again(tmp_path):
    model = ours(ZooCase("AlbertModel", ALBERT).reference(), tmp_path)  # three layers in two groups
    assert model.layers[0] is model.layers[1] is not model.layers[2]
    with watch(model, "layers.?.output") as seen:
        model(batch(False)[0])
    assert [len(seen.all(name)) for name in seen] == [2, 1]
