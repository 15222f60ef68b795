"""Attention as formulas: by hand, against torch, and in its properties."""

import math

import pytest
import torch
from hypothesis import given, settings, strategies as st
from random_tensors import normal
from solutions import both
from torch import nn
from torch.nn import functional as F

from anatomy_utils.functional import attention, masks
from anatomy_utils.functional.attention import (
    attend_with_cache,
    masked_softmax,
    scaled_dot_product_attention,
    softmax_with_sinks,
)
from anatomy_utils.nn.relative_positions import DisentangledPositions


def test_attention_by_hand():
    # One query of width 4 matches the first key with 2·ln 3 / √4 = ln 3 and the second with 0: weights 3/4 and 1/4.
    query = torch.tensor([[2 * math.log(3), 0.0, 0.0, 0.0]])
    key = torch.tensor([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
    value = torch.tensor([[4.0, 0.0], [0.0, 8.0]])
    context, weights = scaled_dot_product_attention(query, key, value)
    torch.testing.assert_close(weights, torch.tensor([[0.75, 0.25]]))
    torch.testing.assert_close(context, torch.tensor([[3.0, 2.0]]))


def random_mask(kind, seed=3):
    allowed = torch.rand(2, 1, 5, 7, generator=torch.Generator().manual_seed(seed)) > 0.4
    allowed[0, :, 2] = False  # a row with nothing to attend to
    if kind == "boolean":
        return allowed
    return normal(2, 1, 5, 7, seed=seed).masked_fill(~allowed, -math.inf)


@pytest.mark.parametrize("kind", ["none", "boolean", "additive"])
def test_attention_equals_torch(kind):
    query, key, value = (
        normal(*shape, seed=seed).requires_grad_()
        for seed, shape in enumerate([(2, 3, 5, 11), (2, 3, 7, 11), (2, 3, 7, 13)])
    )
    mask = None if kind == "none" else random_mask(kind)
    ours = scaled_dot_product_attention(query, key, value, mask).context
    theirs = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    torch.testing.assert_close(ours, theirs)
    upstream = normal(*ours.shape, seed=9)
    for got, wanted in zip(
        torch.autograd.grad(ours, [query, key, value], upstream),
        torch.autograd.grad(theirs, [query, key, value], upstream),
        strict=True,
    ):
        torch.testing.assert_close(got, wanted)


@given(seed=st.integers(0, 10_000), shift=st.floats(-1e4, 1e4))
@settings(max_examples=10, deadline=None)
def test_masked_softmax_ignores_a_shift(seed, shift):
    scores = normal(3, 5, seed=seed, dtype=torch.float64)
    torch.testing.assert_close(masked_softmax(scores + shift), masked_softmax(scores))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_attention_keeps_low_precision(dtype):
    vectors = normal(2, 5, 8).to(dtype)
    context, weights = scaled_dot_product_attention(vectors, vectors, vectors, masks.causal(5))
    assert context.dtype == weights.dtype == dtype
    assert context.isfinite().all()


@pytest.mark.parametrize(
    ("mask", "complaint"),
    [
        (torch.ones(7, 5).bool(), r"shape \(7, 5\).*does not fit scores of shape \(5, 7\)"),
        (torch.ones(5, 7).int(), r"torch.int32.*boolean"),
        (torch.ones(2, 5, 7).bool(), "does not fit"),
    ],
)
def test_attention_names_a_wrong_mask(mask, complaint):
    with pytest.raises(ValueError, match=complaint):
        masked_softmax(normal(5, 7), mask)


def test_projection():
    vectors, linear = normal(7, 3), nn.Linear(3, 2)
    torch.testing.assert_close(attention.project(vectors, linear.weight.T, linear.bias), linear(vectors))


def test_with_an_empty_cache_it_is_causal_attention():
    query, key, value = torch.randn(3, 2, 3, 5, 7, generator=torch.Generator().manual_seed(2))
    found = attend_with_cache(query, key, value, key[:, :, :0], value[:, :, :0])
    wanted = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
    torch.testing.assert_close(found.context, wanted)


def test_scores_are_those_of_deberta():
    generator = torch.Generator().manual_seed(0)
    query, key = torch.randn(2, 2, 3, 7, 5, generator=generator)
    table = torch.randn(8, 15, generator=generator)
    to_query, to_key = nn.Linear(15, 15), nn.Linear(15, 15)
    positions = DisentangledPositions(lambda offset: offset.clamp(-4, 3) + 4, lambda: table, to_query, to_key, 3)
    places = torch.arange(7)
    rows = (places[:, None] - places).clamp(-4, 3) + 4
    tables = [part(table).unflatten(-1, (3, 5)).transpose(0, 1).expand(2, -1, -1, -1) for part in (to_query, to_key)]
    wanted = positions(query, key) + query @ key.mT / 15**0.5
    for scores in both("taxonomy.disentangled_scores"):
        torch.testing.assert_close(scores(query, key, *tables, rows), wanted)


@pytest.mark.parametrize("kind", ["none", "one row for all", "per query", "additive"])
def test_a_sink_takes_weight_and_nothing_else(kind):
    scores, sinks = normal(2, 3, 5, 7), normal(3, seed=1)
    some = normal(2, 1, 5, 7, seed=2) > 0
    mask = {"none": None, "one row for all": torch.tensor([[True] * 5 + [False] * 2]), "per query": some,
            "additive": normal(1, 3, 5, 7, seed=3)}[kind]  # fmt: skip
    weights, plain = softmax_with_sinks(scores, sinks, mask), masked_softmax(scores, mask)
    allowed = masks.additive(scores, mask) if kind != "additive" else scores + mask
    left = (allowed.logsumexp(-1, keepdim=True) - sinks[:, None, None]).sigmoid()  # what the sink leaves
    torch.testing.assert_close(weights, plain * left)


def test_with_nothing_but_a_sink_nothing_is_found():
    scores, nobody = normal(1, 2, 3, 4), torch.zeros(1, 4, dtype=torch.bool)
    assert not softmax_with_sinks(scores, normal(2, seed=1), nobody).any()
