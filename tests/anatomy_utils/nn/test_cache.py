"""The key/value cache: by hand, what it says of positions and masks, and which rows it keeps."""

import torch
from random_tensors import normal

from anatomy_utils.functional import masks
from anatomy_utils.nn.cache import KeyValue, KeyValueCache, Projection

PROJECTION = Projection(torch.zeros(5, 3), None)


def empty(batch=2, capacity=7, **more):
    """Two layers, three heads of width 5."""
    layers = tuple(KeyValue(torch.zeros(batch, 3, capacity, 5), torch.zeros(batch, 3, capacity, 5)) for _ in range(2))
    return KeyValueCache(layers, (PROJECTION, PROJECTION), **more)


def new(count, seed=0):
    return KeyValue(normal(2, 3, count, 5, seed=seed), normal(2, 3, count, 5, seed=seed + 1))


def test_what_is_written_follows_what_was_there():
    cache, first, second = empty(), new(4), new(2, seed=7)
    cache.layer(1).extended(first)
    cache = cache.advanced(4)
    for got, *parts in zip(cache.layer(1).extended(second), first, second, strict=True):
        assert torch.equal(got, torch.cat(parts, dim=2))
        assert got.untyped_storage().nbytes() == 2 * 3 * 7 * 5 * 4  # the room itself: nothing was copied
    assert not cache.layer(0).room.key.any()
    assert cache.advanced(2).bytes == 2 * 2 * (2 * 3 * 6 * 5) * 4  # two layers, a key and a value, six positions


def test_positions_and_masks_leave_padding_out():
    cache = empty(padding=torch.tensor([2, 0])).advanced(3)
    assert cache.positions(2).tolist() == [[1, 2], [3, 4]]
    seen = torch.tensor([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1]])
    assert torch.equal(cache.mask(2), masks.padding(seen) & masks.causal_with_past(3, 2))
    plain = empty().advanced(3)
    assert plain.positions(2).tolist() == [3, 4]
    assert torch.equal(plain.mask(2), masks.causal_with_past(3, 2))
    assert plain.mask(1) is None and empty().mask(5) is None


def test_rows_are_copies_in_the_order_that_is_asked():
    memory, seen = (new(4, seed=3),), masks.padding(torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]]))
    cache = empty(padding=torch.tensor([2, 0]), memory=memory, memory_mask=seen)
    for index in range(2):
        cache.layer(index).extended(new(3, seed=index))
    rows = torch.tensor([1, 1, 0])
    chosen = cache.advanced(3).rows(rows)
    assert (chosen.batch, chosen.length, chosen.capacity) == (3, 3, 7)
    assert torch.equal(chosen.layers[1].value, cache.layers[1].value[rows])
    assert torch.equal(chosen.memory[0].key, memory[0].key[rows])
    assert chosen.padding.tolist() == [0, 0, 2] and torch.equal(chosen.memory_mask, seen[rows])
    chosen.layer(0).extended(KeyValue(torch.ones(3, 3, 1, 5), torch.ones(3, 3, 1, 5)))
    assert not cache.layers[0].key[:, :, 3].any()
