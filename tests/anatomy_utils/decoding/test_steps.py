"""Steps: what a step without a cache remembers, and what it hands to its model."""

import torch

from anatomy_utils.decoding import SeenIds, uncached


def test_seen_ids_pick_rows_and_extend_the_mask():
    cache = SeenIds(attention_mask=torch.tensor([[0, 1], [1, 1]])).extended(torch.tensor([[0, 7], [8, 9]]))
    cache = cache.rows(torch.tensor([1, 0, 1])).extended(torch.tensor([[4], [5], [6]]))
    assert cache.ids.tolist() == [[8, 9, 4], [0, 7, 5], [8, 9, 6]]
    assert cache.attention_mask.tolist() == [[1, 1, 1], [0, 1, 1], [1, 1, 1]]


def test_an_uncached_step_reads_everything_again_and_answers_for_the_last_position():
    read = []

    def model(ids, mask):
        read.append((ids.tolist(), mask.tolist()))
        return torch.nn.functional.one_hot(ids, 7).float()

    step, mask = uncached(model), torch.tensor([[0, 1, 1], [1, 1, 1]])
    first, cache = step(torch.tensor([[0, 2, 3], [4, 5, 6]]), SeenIds(attention_mask=mask))
    second, cache = step(torch.tensor([[5], [1]]), cache)
    assert [logits.argmax(dim=-1).tolist() for logits in (first, second)] == [[3, 6], [5, 1]]
    assert first.shape == second.shape == (2, 7)
    assert read == [
        ([[0, 2, 3], [4, 5, 6]], [[0, 1, 1], [1, 1, 1]]),
        ([[0, 2, 3, 5], [4, 5, 6, 1]], [[0, 1, 1, 1], [1, 1, 1, 1]]),
    ]
    assert cache.ids.tolist() == read[1][0]
