"""The gated delta rule by its properties, and against attention without softmax."""

import torch
from random_tensors import normal

from anatomy_utils.functional.delta_rule import causal_convolution, gated_delta_rule


def drawn(count=7):
    """Two texts, three heads, keys of width 4 and length 1, values of width 5."""
    query, key, value = normal(2, 3, count, 4), normal(2, 3, count, 4, seed=1), normal(2, 3, count, 5, seed=2)
    return query, key / key.norm(dim=-1, keepdim=True), value


def test_what_is_written_in_full_is_read_in_full():
    _, key, value = drawn()
    ones, state = torch.ones(2, 3, 7), normal(2, 3, 4, 5, seed=3)
    torch.testing.assert_close(gated_delta_rule(key, key, value, ones, ones, state).context, value)


def test_with_orthogonal_keys_it_is_attention_without_softmax():
    key = torch.eye(4).expand(2, 3, 4, 4)
    query, value, strength = normal(2, 3, 4, 4), normal(2, 3, 4, 5, seed=2), normal(2, 3, 4, seed=3).sigmoid()
    found = gated_delta_rule(query, key, value, torch.ones(2, 3, 4), strength, torch.zeros(2, 3, 4, 5))
    torch.testing.assert_close(found.context, (query @ key.mT).tril() @ (value * strength[..., None]))


def test_it_goes_on_from_a_state_and_writes_nothing_when_told_so():
    query, key, value = drawn()
    keep, strength = (normal(2, 3, 7, seed=seed).sigmoid() for seed in (4, 5))
    strength[:, :, 5:] = 0
    whole = gated_delta_rule(query, key, value, keep, strength, torch.zeros(2, 3, 4, 5))
    state, found = torch.zeros(2, 3, 4, 5), []
    for part in (slice(0, 3), slice(3, 4), slice(4, 7)):
        inputs = (each[:, :, part] for each in (query, key, value, keep, strength))
        context, state = gated_delta_rule(*inputs, state)
        found.append(context)
    torch.testing.assert_close(torch.cat(found, dim=2), whole.context)
    torch.testing.assert_close(state, whole.state)
    first = (each[:, :, :5] for each in (query, key, value, keep, strength))
    before = gated_delta_rule(*first, torch.zeros(2, 3, 4, 5))
    torch.testing.assert_close(state, before.state * keep[:, :, 5:].prod(-1)[..., None, None])  # only forgotten


def test_the_convolution_sees_the_last_positions_of_its_own_channel():
    vectors, weight = normal(2, 9, 3), normal(3, 4, seed=1)
    got = causal_convolution(vectors, weight)
    assert got.shape == (2, 6, 3)
    wanted = sum(vectors[:, back : back + 6] * weight[:, back] for back in range(4))
    torch.testing.assert_close(got, wanted)
