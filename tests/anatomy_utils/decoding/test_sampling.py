"""The choice of a token: greedy, at random by its probabilities, and never at random without a generator."""

import math

import pytest
import torch
from decoding_models import some_logits
from hypothesis import given, settings
from seeds import SEEDS

from anatomy_utils.decoding import Filters
from anatomy_utils.decoding.filters import top_k
from anatomy_utils.decoding.sampling import check_randomness, greedy, next_id, sampled


@settings(max_examples=10)
@given(SEEDS)
def test_greedy_is_top_k_of_one(seed):
    logits = some_logits(seed)
    drawn = sampled(top_k(logits, 1), torch.Generator().manual_seed(seed))
    assert torch.equal(drawn, greedy(logits))


def test_sampling_follows_the_probabilities():
    logits = torch.tensor([[0.5, 0.25, 0.25, 0.0]]).log()
    generator = torch.Generator().manual_seed(0)
    drawn = torch.cat([sampled(logits, generator) for _ in range(4000)]).bincount(minlength=4) / 4000
    torch.testing.assert_close(drawn, logits[0].exp(), atol=0.03, rtol=0)


def test_sampling_repeats_with_its_generator_and_leaves_the_global_one_alone():
    logits, state = some_logits(3), torch.random.get_rng_state()
    first, second = (sampled(logits, torch.Generator().manual_seed(5)) for _ in range(2))
    assert torch.equal(first, second)
    assert torch.equal(torch.random.get_rng_state(), state)


def test_random_filters_need_a_generator():
    with pytest.raises(ValueError, match=r"top_k=3.*no generator was given; add generator=torch.Generator"):
        check_randomness(Filters(top_k=3), None)
    check_randomness(Filters(repetition_penalty=2.0), None)


def test_the_next_id_of_one_text():
    logits, generator = torch.tensor([0.0, 2.0, -1.0, 1.0]), torch.Generator().manual_seed(0)
    drawn = [next_id(logits, 0.5, 2, generator) for _ in range(400)]
    assert set(drawn) == {1, 3} and all(type(id) is int for id in drawn)
    assert drawn.count(3) / 400 == pytest.approx(1 / (1 + math.e**2), abs=0.05)
    assert {next_id(logits, 1.0, 99, generator) for _ in range(400)} == {0, 1, 2, 3}
    assert {next_id(logits, 0.0, 3, generator) for _ in range(9)} == {1}
    with pytest.raises(ValueError, match="temperature is -1"):
        next_id(logits, -1.0, 2, generator)
    with pytest.raises(ValueError, match="top_k is 0"):
        next_id(logits, 1.0, 0, generator)
