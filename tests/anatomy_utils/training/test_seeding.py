"""Seeding: a block repeats with its generator, and nobody else's randomness changes."""

import pytest
import torch
from seeds import generator

from anatomy_utils.training import seeded


def test_seeded_repeats_and_gives_back():
    torch.manual_seed(1)
    state = torch.random.get_rng_state()
    source = generator(3)
    with seeded(source):
        first = torch.rand(2)
    with seeded(source):
        second = torch.rand(2)
    with seeded(generator(3)):
        again = torch.rand(2)
    assert torch.equal(first, again)
    assert not torch.equal(first, second)
    assert torch.equal(torch.random.get_rng_state(), state)
    with pytest.raises(KeyError), seeded(generator(3)):
        raise KeyError
    assert torch.equal(torch.random.get_rng_state(), state)
    with seeded(None):
        torch.rand(1)
    assert not torch.equal(torch.random.get_rng_state(), state)
