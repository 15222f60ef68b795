"""The norms of a residual connection: where each of them is applied."""

import pytest
import torch

from anatomy_utils.nn.norm import LayerNorm, NormPlaces, RMSNormOfHeads


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


def test_heads_are_normalized_as_one_long_vector():
    norm = RMSNormOfHeads(4)
    with torch.no_grad():
        norm.weight.copy_(torch.tensor([1.0, 2.0, 3.0, 4.0]))
    two_heads = torch.tensor([[[[1.0, 1.0]], [[5.0, 3.0]]]])  # mean square (1 + 1 + 25 + 9) / 4 is 9
    torch.testing.assert_close(norm(two_heads), torch.tensor([[[[1 / 3, 2 / 3]], [[5.0, 4.0]]]]))
