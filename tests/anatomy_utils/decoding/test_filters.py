"""Filters: by hand, by their properties, and against Hugging Face's."""

import math

import pytest
import torch
from decoding_models import some_logits
from hypothesis import given, settings, strategies as st
from seeds import SEEDS

from anatomy_utils.decoding import Filters
from anatomy_utils.decoding.filters import min_p, repetition_penalty, temperature, top_k, top_p
from anatomy_utils.decoding.sampling import sampled

FEW = settings(max_examples=25)
NO_IDS = torch.zeros(1, 0, dtype=torch.long)


def hf(name, *args):
    from transformers.generation import logits_process

    return getattr(logits_process, name)(*args)


@pytest.mark.parametrize(
    ("ours", "theirs", "numbers"),
    [
        (temperature, "TemperatureLogitsWarper", st.sampled_from([0.1, 0.7, 1.0, 1.9])),
        (top_k, "TopKLogitsWarper", st.integers(1, 20)),
        (top_p, "TopPLogitsWarper", st.floats(0.01, 1.0)),
        (min_p, "MinPLogitsWarper", st.floats(0.0, 0.99)),
    ],
)
@FEW
@given(SEEDS, st.data())
def test_each_filter_equals_hugging_face(ours, theirs, numbers, seed, data):
    logits, number = some_logits(seed), data.draw(numbers)
    if ours is top_k:
        logits = logits.round()  # whole numbers tie
    torch.testing.assert_close(ours(logits, number), hf(theirs, number)(NO_IDS, logits), atol=0, rtol=0)


@FEW
@given(SEEDS, st.sampled_from([0.5, 1.0, 1.3, 4.0]))
def test_repetition_penalty_equals_hugging_face(seed, penalty):
    logits = some_logits(seed)
    ids = torch.randint(0, 13, (3, 7), generator=torch.Generator().manual_seed(seed))
    wanted = hf("RepetitionPenaltyLogitsProcessor", penalty)(ids, logits)
    torch.testing.assert_close(repetition_penalty(logits, ids, penalty), wanted)


def test_top_p_always_keeps_the_likeliest():
    assert top_p(torch.tensor([1.0, 3.0, 2.0]), 1e-12).isfinite().tolist() == [False, True, False]


@FEW
@given(
    SEEDS,
    st.fixed_dictionaries(
        {
            "temperature": st.floats(0.2, 3.0),
            "top_k": st.none() | st.integers(1, 20),
            "top_p": st.none() | st.floats(0.05, 1.0),
            "min_p": st.none() | st.floats(0.0, 0.9),
            "repetition_penalty": st.sampled_from([1.0, 1.5]),
        }
    ),
)
def test_every_choice_of_filters_leaves_a_distribution(seed, options):
    filters, logits = Filters(**options), some_logits(seed)
    before = logits.clone()
    ids = torch.randint(0, 13, (3, 5), generator=torch.Generator().manual_seed(seed))
    probabilities = filters(logits, ids).softmax(dim=-1)
    torch.testing.assert_close(probabilities.sum(dim=-1), torch.ones(3))
    assert torch.equal(logits, before), "the model's logits were changed in place"
    drawn = sampled(filters(logits, ids), torch.Generator().manual_seed(seed))
    for token, row in zip(drawn, probabilities, strict=True):
        assert row[token] > 0, "a token that was ruled out was drawn"


def test_filters_in_the_order_of_hugging_face():
    filters = Filters(temperature=0.7, top_k=9, top_p=0.8, min_p=0.1, repetition_penalty=1.4)
    for seed in range(20):
        logits, ids = some_logits(seed), torch.tensor([[1, 2, 2], [3, 4, 5], [12, 0, 0]])
        wanted = logits
        for name, number in (
            ("RepetitionPenaltyLogitsProcessor", 1.4),
            ("TemperatureLogitsWarper", 0.7),
            ("TopKLogitsWarper", 9),
            ("TopPLogitsWarper", 0.8),
            ("MinPLogitsWarper", 0.1),
        ):
            wanted = hf(name, number)(ids, wanted)
        torch.testing.assert_close(filters(logits, ids), wanted)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"temperature": 0.0}, "temperature is 0.0, but it must be above 0; for greedy choice give no generator"),
        ({"temperature": -1.0}, "temperature is -1.0"),
        ({"temperature": math.nan}, "temperature is nan"),
        ({"top_k": 0}, "top_k is 0, but at least 1 token"),
        ({"top_p": 0.0}, "top_p is 0.0, but it must lie above 0"),
        ({"top_p": 1.1}, "top_p is 1.1"),
        ({"min_p": -0.1}, "min_p is -0.1, but it must be at least 0 and below 1"),
        ({"min_p": 1.0}, "min_p is 1.0"),
        ({"repetition_penalty": 0.0}, "repetition_penalty is 0.0, but it must be above 0"),
    ],
)
def test_filters_name_bad_numbers(wrong, sentence):
    with pytest.raises(ValueError, match=sentence):
        Filters(**wrong)
