"""ModernBERT: its published configuration and its dropouts."""

from anatomy_utils.zoo import modernbert


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
