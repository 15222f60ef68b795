"""The norms of a residual connection: the modules against the formulas, and where each of them is applied."""

import pytest
import torch
from random_tensors import normal
from torch.nn import functional as F

from anatomy_utils.functional.norm import layer_norm, rms_norm
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.encoder import EncoderLayer
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.norm import LayerNorm, NormPlaces, RMSNorm


def test_layer_norm_is_the_formula_with_or_without_a_shift():
    hidden_states, weight, bias = normal(2, 3, 7), normal(7, seed=1), normal(7, seed=2)
    wanted = layer_norm(hidden_states, weight, bias, 1e-3)
    module = LayerNorm(7, 1e-3)
    module.load_state_dict({"weight": weight, "bias": bias})
    torch.testing.assert_close(module(hidden_states), wanted)
    module = LayerNorm(7, 1e-3, bias=False)
    module.load_state_dict({"weight": weight})
    torch.testing.assert_close(module(hidden_states), wanted - bias)


def test_rms_norm_is_the_formula():
    hidden_states, weight = normal(2, 3, 7), normal(7, seed=1)
    module = RMSNorm(7, 1e-3)
    module.load_state_dict({"weight": weight})
    torch.testing.assert_close(module(hidden_states), rms_norm(hidden_states, weight, 1e-3))


@pytest.mark.parametrize(
    ("norms", "placement"),
    [
        (NormPlaces(before=LayerNorm(5)), "pre_norm"),
        (NormPlaces(after=LayerNorm(5)), "post_norm"),
        (NormPlaces(before=LayerNorm(5), output=LayerNorm(5)), ""),
        (NormPlaces(), ""),
    ],
)
def test_a_residual_connection_adds_and_normalizes(norms, placement):
    states = torch.randn(2, 3, 5, generator=torch.Generator().manual_seed(0))
    assert norms.placement == placement
    added = norms.output(3 * norms.before(states)) / 2  # the dropout halves
    torch.testing.assert_close(norms.around(states, lambda x: 3 * x, lambda x: x / 2), norms.after(states + added))


def test_norms_stand_where_they_are_put():
    layer = EncoderLayer(
        MultiHeadAttention(12, 3),
        FeedForward(12, 29),
        self_attention_norms=NormPlaces(before=LayerNorm(12), output=LayerNorm(12)),
        feed_forward_norms=NormPlaces(output=LayerNorm(12), after=LayerNorm(12)),
    )
    hidden_states = normal(2, 5, 12)
    attended = layer.self_attention(F.layer_norm(hidden_states, (12,)))
    middle = hidden_states + F.layer_norm(attended, (12,))
    wanted = F.layer_norm(middle + F.layer_norm(layer.feed_forward(middle), (12,)), (12,))
    torch.testing.assert_close(layer(hidden_states), wanted)
