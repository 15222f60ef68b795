"""What parity with the reference does not show of DeBERTa and ModernBERT: buckets, weights to watch, dropouts."""

from __future__ import annotations

import pytest
import torch

pytest.importorskip("transformers", reason="the reference implementation is not installed")

from zoo_cases import DEBERTA, DEBERTA_V2, MODERNBERT, ZooCase, ours

from anatomy_utils.functional.positions import log_bucket
from anatomy_utils.tap import watch
from anatomy_utils.zoo import deberta_v2, modernbert


@pytest.mark.parametrize(("num_buckets", "max_distance"), [(256, 512), (6, 13), (7, 64)])
def test_offsets_fall_into_debertas_buckets(num_buckets, max_distance):
    from transformers.models.deberta_v2.modeling_deberta_v2 import make_log_bucket_position

    offsets = torch.arange(-700, 701)
    wanted = make_log_bucket_position(offsets, num_buckets, max_distance).long()
    assert torch.equal(log_bucket(offsets, num_buckets, max_distance), wanted)


WATCHED = [
    ZooCase("DebertaModel", DEBERTA),
    ZooCase("DebertaV2Model", DEBERTA_V2, {"conv_kernel_size": 3, "conv_act": "gelu"}),
    ZooCase("ModernBertModel", MODERNBERT),
]


@pytest.mark.parametrize("case", WATCHED, ids=lambda case: case.id)
def test_every_layer_shows_its_weights(case, tmp_path):
    """Also what was seen makes no difference, and nobody reads padding."""
    model = ours(case.reference(), tmp_path)
    input_ids = torch.randint(3, 53, (2, 17), generator=torch.Generator().manual_seed(1))
    attention_mask = torch.ones_like(input_ids)
    attention_mask[1, 11:] = 0
    with torch.no_grad():
        unwatched = model(input_ids, attention_mask)
        with watch(model, "layers.*.self_attention.weights") as seen:
            watched = model(input_ids, attention_mask)
    torch.testing.assert_close(watched[attention_mask.bool()], unwatched[attention_mask.bool()], atol=1e-5, rtol=1e-5)
    assert len(seen) == len(model.layers)
    for weights in seen.values():
        assert weights.shape == (2, 5, 17, 17)
        torch.testing.assert_close(weights.sum(-1)[attention_mask.bool()[:, None].expand(-1, 5, -1)], torch.ones(140))
        assert (weights[1, :, :, 11:] == 0).all()


def test_configurations_as_the_hub_has_them():
    """Older entries than the installed version writes, those of DeBERTa-v3-base and ModernBERT-base."""
    sizes = {"vocab_size": 128100, "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12}
    flags = {"relative_attention": True, "position_biased_input": False, "pos_att_type": "p2c|c2p"}
    more = {"intermediate_size": 3072, "position_buckets": 256, "share_att_key": True, "norm_rel_ebd": "layer_norm"}
    published = sizes | flags | more | {"max_position_embeddings": 512, "max_relative_positions": -1}
    assert deberta_v2.DebertaV2Config.from_published(published) == deberta_v2.DebertaV2Config()
    sizes |= {"vocab_size": 50368, "num_hidden_layers": 22, "intermediate_size": 1152}
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
