"""The norms of a residual connection: where each of them is applied."""

import pytest
import torch

from anatomy_utils.nn.norm import LayerNorm, NormPlaces


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
