"""Steps: what a step without a cache remembers, and what it hands to its model."""

import torch

from anatomy_utils.decoding import SeenIds


def test_seen_ids_pick_rows_and_extend_the_mask():
    cache = SeenIds(attention_mask=torch.tensor([[0, 1], [1, 1]])).extended(torch.tensor([[0, 7], [8, 9]]))
    cache = cache.rows(torch.tensor([1, 0, 1])).extended(torch.tensor([[4], [5], [6]]))
    assert cache.ids.tolist() == [[8, 9, 4], [0, 7, 5], [8, 9, 6]]
    assert cache.attention_mask.tolist() == [[1, 1, 1], [0, 1, 1], [1, 1, 1]]
