"""DeBERTa v2 and v3 against the Hugging Face implementation."""

from __future__ import annotations

from zoo_cases import DEBERTA, ZooCase, cases_of
from zoo_checks import ReferenceChecks, check_every_layer_shows_its_weights, check_labels_are_read_from_dropped_features

from anatomy_utils.zoo.deberta_v2 import DebertaV2Config

DEBERTA_V2 = DEBERTA | {"position_buckets": 6, "share_att_key": True, "norm_rel_ebd": "layer_norm"}
CONVOLVED = {"conv_kernel_size": 3, "conv_act": "gelu"}
CASES = [
    *cases_of(
        "DebertaV2",
        "Model ForMaskedLM ForQuestionAnswering ForMultipleChoice ForSequenceClassification ForTokenClassification",
        DEBERTA_V2,
    ),
    ZooCase("DebertaV2ForMaskedLM", DEBERTA_V2, {"legacy": False} | CONVOLVED),
    ZooCase("DebertaV2Model", DEBERTA, {"position_buckets": 6}),
]


class TestDebertaV2(ReferenceChecks):
    cases = CASES
    lacks = (({"pos_att_type": "c2p"}, "pos_att_type is 'c2p'"), ({"conv_kernel_size": 3}, "conv_act is 'tanh'"))


def test_every_layer_shows_its_weights(tmp_path):
    check_every_layer_shows_its_weights(ZooCase("DebertaV2Model", DEBERTA_V2, CONVOLVED), tmp_path)


def test_configurations_as_the_hub_has_them():
    """Older entries than the installed version writes, those of DeBERTa-v3-base."""
    sizes = {"vocab_size": 128100, "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12}
    flags = {"relative_attention": True, "position_biased_input": False, "pos_att_type": "p2c|c2p"}
    more = {"intermediate_size": 3072, "position_buckets": 256, "share_att_key": True, "norm_rel_ebd": "layer_norm"}
    published = sizes | flags | more | {"max_position_embeddings": 512, "max_relative_positions": -1}
    assert DebertaV2Config.from_published(published) == DebertaV2Config()


def test_labels_are_read_from_dropped_features_while_training(tmp_path):
    case = ZooCase("DebertaV2ForSequenceClassification", DEBERTA_V2, {"pooler_dropout": 0.3})
    check_labels_are_read_from_dropped_features(case, "pooler_dropout", tmp_path)
