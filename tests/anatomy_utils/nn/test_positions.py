"""Position schemes as modules: by hand, and which of them depend on the offset only."""

import math

import pytest
import torch
from random_tensors import normal

from anatomy_utils.nn.positions import AlibiBias, LearnedPositions, RotaryPositions, SinusoidalPositions, T5Bias


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


def test_rotary_by_hand_and_in_part():
    rotary = RotaryPositions(2)
    vectors = torch.tensor([1.0, 0.0, 7.0]).view(1, 1, 1, 3)
    turned = rotary(torch.tensor([1]))(vectors)
    torch.testing.assert_close(turned.flatten(), torch.tensor([math.cos(1), math.sin(1), 7.0]))


def test_rotary_layouts_are_the_same_up_to_the_order_of_features():
    vectors, positions = normal(1, 2, 5, 8), torch.arange(5)
    order = torch.tensor([0, 4, 1, 5, 2, 6, 3, 7])  # halves → neighbors
    halves = RotaryPositions(8)(positions)(vectors)
    neighbors = RotaryPositions(8, layout="neighbors")(positions)(vectors[..., order])
    torch.testing.assert_close(neighbors, halves[..., order])
    with pytest.raises(ValueError, match="d_head is 3"):
        RotaryPositions(3)


def test_t5_bias_reads_its_table():
    bias = T5Bias(3, bidirectional=True, num_buckets=8, max_distance=10)
    added = bias(torch.arange(2, 4), torch.arange(5))
    assert added.shape == (3, 2, 5)
    assert torch.equal(added[:, 0, 2], bias.table.weight[0])
    assert torch.equal(added[:, 1, 2], bias.table.weight[1])


def test_alibi_grows_with_the_distance():
    added = AlibiBias(2)(torch.tensor([3]), torch.arange(4))
    torch.testing.assert_close(added[1, 0], torch.tensor([-3, -2, -1, 0]) * 2.0**-8)
