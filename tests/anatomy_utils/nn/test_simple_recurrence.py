"""The simple recurrent unit: its formula, a state of one size in the cache, padding that leaves the state alone."""

import torch
from random_tensors import normal

from anatomy_utils.functional import masks
from anatomy_utils.nn.cache import KeyValueCache
from anatomy_utils.nn.simple_recurrence import SimpleRecurrence


def made():
    torch.manual_seed(0)
    return SimpleRecurrence(7)


@torch.no_grad()
def test_each_feature_is_a_mean_of_its_past_that_its_gates_weigh():
    """Written as one sum: what came in at j was kept with the product of all gates after it."""
    model, hidden_states = made(), normal(2, 5, 7)
    keep = torch.sigmoid(hidden_states @ model.to_keep.weight.T + model.to_keep.bias)
    new = hidden_states @ model.to_state.weight.T
    for i in range(5):
        parts = [keep[:, j + 1 : i + 1].prod(dim=1) * (1 - keep[:, j]) * new[:, j] for j in range(i + 1)]
        torch.testing.assert_close(model(hidden_states)[:, i], sum(parts).clamp(min=0))


@torch.no_grad()
def test_a_cache_keeps_one_state():
    model, hidden_states = made(), normal(3, 9, 7)
    wanted = model(hidden_states)
    cache = empty = KeyValueCache((model.room(3, 10),), (model.projection(),))
    found, sizes = [], set()
    for part in (hidden_states[:, :1], hidden_states[:, 1:6], hidden_states[:, 6:]):
        found.append(model(part, cache=cache.layer(0)))
        cache = cache.advanced(part.shape[1])
        sizes.add(cache.bytes)
    torch.testing.assert_close(torch.cat(found, dim=1), wanted)
    assert sizes == {3 * 7 * 4}
    order = torch.tensor([2, 0, 1])
    model(hidden_states[:, :4], cache=empty.layer(0))
    swapped = empty.advanced(4).rows(order)
    torch.testing.assert_close(model(hidden_states[order, 4:], cache=swapped.layer(0)), wanted[order, 4:])


@torch.no_grad()
def test_padding_leaves_the_state_as_it_is():
    model, hidden_states = made(), normal(2, 9, 7)
    for real in ([0] * 3 + [1] * 6, [1, 1, 0, 0, 1, 0, 1, 1, 1]):
        mask = masks.padding(torch.tensor([real] * 2))
        there = torch.tensor(real, dtype=torch.bool)
        wanted = model(hidden_states[:, there])
        for each in (mask, masks.additive(torch.zeros(1, 1, 9, 9), mask)):
            torch.testing.assert_close(model(hidden_states, mask=each)[:, there], wanted)
