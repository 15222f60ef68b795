"""What a window costs: counted as its mask says, and measured on tensors that are really made."""

import pytest
import torch

from anatomy_course.lab.experiments.window_cost import BLOCK, count_pairs, growth, measure_window_costs
from anatomy_utils.functional.masks import local
from anatomy_utils.functional.window_attention import bigbird_blocks


def test_pairs_are_counted_for_every_pattern():
    counted = count_pairs([640, 1280], reach=10)
    assert counted["all pairs"] == [640**2, 1280**2]
    assert counted["window"] == [int(local(length, 10).sum()) for length in (640, 1280)]
    blocks = bigbird_blocks(10, torch.Generator().manual_seed(0))
    assert counted["BigBird"][0] == int(blocks.sum()) * BLOCK**2 < 640**2
    with pytest.raises(ValueError, match="100 is no multiple"):
        count_pairs([64, 100])


def test_a_mask_saves_no_memory_and_a_window_does():
    costs = measure_window_costs([32, 96], reach=4, num_heads=3, d_head=8, repeats=1)
    assert [cost.largest for cost in costs["all pairs"]] == [3 * 32**2 * 4, 3 * 96**2 * 4]
    assert [cost.largest for cost in costs["window by a mask"]] == [3 * 32**2 * 4, 3 * 96**2 * 4]
    small, large = (cost.largest for cost in costs["window"])
    assert large == 3 * small < 3 * 96**2 * 4
    assert all(cost.seconds > 0 for each in costs.values() for cost in each)


def test_growth_wants_as_many_values_as_lengths_and_enough_of_both():
    assert growth([1, 2, 4, 8], {"square": [1.0, 4.0, 16.0, 64.0]}, over=3) == {"square": 64.0}
    with pytest.raises(ValueError, match="2 lengths and one 2 values"):
        growth([1, 2], {"one": [1.0, 2.0]})
    with pytest.raises(ValueError, match="one 3, other 2 values"):
        growth([1, 2, 4], {"one": [1.0, 2.0, 4.0], "other": [1.0, 2.0]})
