"""Position schemes as modules: by hand, and which of them depend on the offset only."""

import pytest
import torch
from random_tensors import normal

from anatomy_utils.nn.positions import AlibiBias, LearnedPositions, RotaryPositions, SinusoidalPositions


def test_sinusoids_match_by_offset_only():
    waves = SinusoidalPositions(32)(torch.arange(100)).double()
    torch.testing.assert_close(waves[10] @ waves[17], waves[60] @ waves[67], atol=1e-5, rtol=0)


def test_learned_positions_start_behind_the_offset():
    learned = LearnedPositions(5, 3, offset=2)
    assert torch.equal(learned(torch.tensor([0, 4])), learned.table.weight[[2, 6]])
    with pytest.raises(ValueError, match="6 positions.*ends at 5"):
        learned(torch.tensor([5]))


@pytest.mark.parametrize("layout", ["halves", "neighbors"])
def test_rotary_keeps_lengths_and_depends_on_the_offset_only(layout):
    rotary = RotaryPositions(6, layout=layout, max_positions=8)
    query, key = normal(1, 1, 1, 6), normal(1, 1, 1, 6, seed=1)

    def match(query_position, key_position):
        return (rotary(torch.tensor([query_position]))(query) * rotary(torch.tensor([key_position]))(key)).sum()

    torch.testing.assert_close(match(3, 1), match(43, 41))  # beyond max_positions: more angles are made
    assert not torch.allclose(match(3, 1), match(4, 1))
    torch.testing.assert_close(rotary(torch.tensor([5]))(query).norm(), query.norm())
    torch.testing.assert_close(rotary(torch.tensor([0]))(query), query)
    there_and_back = rotary(torch.tensor([-50]))(rotary(torch.tensor([50]))(query))  # below 0 they turn back
    torch.testing.assert_close(there_and_back, query)


def test_alibi_grows_with_the_distance():
    added = AlibiBias(2)(torch.tensor([3]), torch.arange(4))
    torch.testing.assert_close(added[1, 0], torch.tensor([-3, -2, -1, 0]) * 2.0**-8)
