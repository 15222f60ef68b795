"""DeBERTa v3: its published configuration."""

from anatomy_utils.zoo.deberta_v2 import DebertaV2Config


def test_configurations_as_the_hub_has_them():
    """Older entries than the installed version writes, those of DeBERTa-v3-base."""
    sizes = {"vocab_size": 128100, "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12}
    flags = {"relative_attention": True, "position_biased_input": False, "pos_att_type": "p2c|c2p"}
    more = {"intermediate_size": 3072, "position_buckets": 256, "share_att_key": True, "norm_rel_ebd": "layer_norm"}
    published = sizes | flags | more | {"max_position_embeddings": 512, "max_relative_positions": -1}
    assert DebertaV2Config.from_published(published) == DebertaV2Config()
