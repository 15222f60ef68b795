"""Layers as functions of their sub-layers against the modules, and dropout against torch's."""

import pytest
import torch
from random_tensors import normal
from solutions import both
from torch.nn import functional as F

from anatomy_utils.functional import layers
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import DecoderLayer, ParallelLayer
from anatomy_utils.nn.encoder import EncoderLayer
from anatomy_utils.nn.feed_forward import FeedForward, GatedFeedForward
from anatomy_utils.nn.norm import LayerNorm, NormPlaces, RMSNorm
from anatomy_utils.nn.positions import RotaryPositions


@pytest.mark.parametrize(
    ("place", "function"),
    [("after", layers.encoder_layer), ("before", layers.pre_norm_layer)],
)
def test_the_layers_are_the_modules(place, function):
    self_attention_norms, feed_forward_norms = (NormPlaces(**{place: LayerNorm(6)}) for _ in range(2))
    layer = EncoderLayer(
        MultiHeadAttention(6, 3),
        FeedForward(6, 11),
        self_attention_norms=self_attention_norms,
        feed_forward_norms=feed_forward_norms,
    )
    states = normal(2, 5, 6)
    norms = getattr(self_attention_norms, place), getattr(feed_forward_norms, place)
    torch.testing.assert_close(function(states, layer.self_attention, layer.feed_forward, *norms), layer(states))


def test_the_decoder_layer_is_the_module():
    parts = ("self_attention", "cross_attention", "feed_forward")
    norms = {f"{part}_norms": NormPlaces(before=LayerNorm(6)) for part in parts}
    self_attention, cross_attention = MultiHeadAttention(6, 3), MultiHeadAttention(6, 2)
    layer = DecoderLayer(self_attention, FeedForward(6, 11), cross_attention=cross_attention, **norms)
    states, memory = normal(2, 5, 6), normal(2, 7, 6, seed=1)
    for i, each in enumerate(norms.values()):
        torch.nn.init.normal_(each.before.weight, mean=i)  # no two norms are alike
    made = layers.decoder_layer(
        states,
        memory,
        lambda x: self_attention(x, causal=True),
        cross_attention,
        layer.feed_forward,
        *(each.before for each in norms.values()),
    )
    torch.testing.assert_close(made, layer(states, memory=memory))


def test_the_llama_layer_is_the_module():
    attention, rotation = MultiHeadAttention(12, 3, bias=False), RotaryPositions(4)(torch.arange(5))
    attention_norms, feed_forward_norms = (NormPlaces(before=RMSNorm(12)) for _ in range(2))
    torch.nn.init.normal_(attention_norms.before.weight)  # the two norms are not alike
    layer = DecoderLayer(
        attention,
        GatedFeedForward(12, 11),
        self_attention_norms=attention_norms,
        feed_forward_norms=feed_forward_norms,
    )
    states = normal(2, 5, 12)

    def project(x):
        return tuple(attention._split(part(x)) for part in (attention.to_query, attention.to_key, attention.to_value))

    made = layers.llama_layer(
        states,
        attention_norms.before,
        project,
        rotation,
        lambda *vectors: F.scaled_dot_product_attention(*vectors, is_causal=True),
        lambda context: context.transpose(1, 2).flatten(2),
        attention.to_output,
        feed_forward_norms.before,
        layer.feed_forward,
    )
    torch.testing.assert_close(made, layer(states, rotation=rotation))


def test_the_layer_is_that_of_gpt_j():
    layer = ParallelLayer(MultiHeadAttention(15, 3), FeedForward(15, 11), norm=LayerNorm(15))
    states = normal(2, 7, 15)
    for function in both("taxonomy.parallel_layer"):
        made = function(
            states,
            lambda x: layer.self_attention(x, causal=True),
            layer.feed_forward,
            layer.self_attention_norms.before,
        )
        torch.testing.assert_close(made, layer(states))


def test_dropout_keeps_the_mean_and_is_torchs():
    states, uniform = torch.ones(400, 50), torch.rand(400, 50, generator=torch.Generator().manual_seed(0))
    dropped = layers.dropout(states, uniform, 0.3, True)
    assert dropped.mean().item() == pytest.approx(1.0, abs=0.02)
    assert dropped.unique().tolist() == F.dropout(states, 0.3).unique().tolist()
    assert layers.dropout(states, uniform, 0.3, False) is states
