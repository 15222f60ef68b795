"""ModernBERT against the Hugging Face implementation, its weights to watch and its dropouts."""

from __future__ import annotations

from zoo_cases import ZooCase, cases_of
from zoo_checks import ReferenceChecks, check_every_layer_shows_its_weights

from anatomy_utils.zoo import modernbert

MODERNBERT = {
    "vocab_size": 53, "hidden_size": 30, "num_hidden_layers": 4, "num_attention_heads": 5, "intermediate_size": 41,
    "local_attention": 6, "pad_token_id": 0, "max_position_embeddings": 64,
}  # fmt: skip
CASES = [
    *cases_of(
        "ModernBert",
        "Model ForMaskedLM ForQuestionAnswering ForSequenceClassification ForTokenClassification",
        MODERNBERT,
    ),
    ZooCase("ModernBertForSequenceClassification", MODERNBERT, {"num_labels": 4, "classifier_pooling": "mean"}),
    ZooCase("ModernBertModel", MODERNBERT, {"global_attn_every_n_layers": 2, "local_attention": 9}),
]


class TestModernBert(ReferenceChecks):
    cases = CASES
    lacks = (({"norm_bias": True}, "norm_bias is True"), ({"layer_types": ["full_attention"] * 3}, "layer_types is"))


def test_every_layer_shows_its_weights(tmp_path):
    check_every_layer_shows_its_weights(ZooCase("ModernBertModel", MODERNBERT), tmp_path)


def test_configurations_as_the_hub_has_them():
    """Older entries than the installed version writes, those of ModernBERT-base."""
    sizes = {"vocab_size": 50368, "hidden_size": 768, "num_hidden_layers": 22, "num_attention_heads": 12}
    sizes |= {"intermediate_size": 1152}
    published = sizes | {"global_attn_every_n_layers": 3, "local_attention": 128, "global_rope_theta": 160000.0}
    assert modernbert.ModernBertConfig.from_published(published) == modernbert.ModernBertConfig()
    assert modernbert.ModernBertConfig.from_published(published | {"local_rope_theta": 7.0}).local_base == 7.0


def test_a_modernbert_drops_where_it_is_published_to():
    sizes = {"vocab_size": 11, "d_model": 6, "num_layers": 2, "num_heads": 1, "d_ff": 5, "reach": 2}
    drops = {"dropout": 0.1, "attention_dropout": 0.2, "feed_forward_dropout": 0.3, "classifier_dropout": 0.4}
    model = modernbert.with_head(modernbert.ModernBertConfig(**sizes, **drops), "TokenClassification")
    layer = model.body.layers[1]
    assert model.body.embeddings.dropout.p == 0.1
    assert (layer.self_attention.dropout, layer.self_attention_norms.output.p) == (0.2, 0.2)
    assert (layer.feed_forward.dropout.p, model.head.dropout.p) == (0.3, 0.4)
