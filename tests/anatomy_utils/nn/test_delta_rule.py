"""The gated delta rule as a module: a state of one size in the cache, and padding ahead that writes nothing."""

import pytest
import torch
from random_tensors import normal

from anatomy_utils.functional import masks
from anatomy_utils.nn.cache import KeyValueCache
from anatomy_utils.nn.delta_rule import GatedDeltaRule


def made():
    torch.manual_seed(0)
    return GatedDeltaRule(14, 6, num_key_heads=2, d_key=5, d_value=3, width=4)


def step(model, hidden_states, cache, mask=None):
    answer = model(hidden_states, mask=mask, cache=cache.layer(0))
    return answer, cache.advanced(hidden_states.shape[1])


@torch.no_grad()
def test_a_cache_keeps_one_state_and_the_past_of_the_convolution():
    model, hidden_states = made(), normal(2, 9, 14)
    wanted = model(hidden_states)
    cache = empty = KeyValueCache((model.room(2, 10),), (model.projection(),))
    found, sizes = [], set()
    for part in (hidden_states[:, :1], hidden_states[:, 1:6], hidden_states[:, 6:7], hidden_states[:, 7:]):
        answer, cache = step(model, part, cache)
        found.append(answer)
        sizes.add(cache.bytes)
    torch.testing.assert_close(torch.cat(found, dim=1), wanted)
    assert sizes == {2 * (6 * 5 * 3 + 3 * (2 * 2 * 5 + 6 * 3)) * 4}  # two texts, however long
    # An older cache is as it was: one may go on from it again.
    torch.testing.assert_close(step(model, hidden_states[:, :3], empty)[0], wanted[:, :3])
    swapped = step(model, hidden_states[:, :3], empty)[1].rows(torch.tensor([1, 0]))
    torch.testing.assert_close(step(model, hidden_states[:, 3:].flip(0), swapped)[0].flip(0), wanted[:, 3:])


@torch.no_grad()
def test_padding_ahead_writes_nothing():
    model, hidden_states = made(), normal(2, 9, 14)
    wanted = model(hidden_states[:, 3:])
    ahead = masks.padding(torch.tensor([[0] * 3 + [1] * 6] * 2))
    for mask in (ahead, ahead & masks.causal(9), masks.additive(torch.zeros(1, 1, 9, 9), ahead)):
        torch.testing.assert_close(model(hidden_states, mask=mask)[:, 3:], wanted)


def test_nothing_is_read_of_what_comes_after():
    model, hidden_states = made(), normal(1, 7, 14)
    changed = hidden_states.clone()
    changed[:, 4] += 1
    differs = (model(changed) - model(hidden_states)).abs().amax(-1)[0] > 1e-6
    assert differs.tolist() == [False] * 4 + [True] * 3


def test_keys_that_cannot_be_shared_are_refused():
    with pytest.raises(ValueError, match="6 heads cannot share 4 keys evenly"):
        GatedDeltaRule(14, 6, num_key_heads=4, d_key=5, d_value=3)
