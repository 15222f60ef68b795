"""Heads as functions: by hand, against the module, and in their laws."""

import math

import pytest
import torch
from hypothesis import given, settings, strategies as st

from anatomy_utils.functional import masks, multi_head
from anatomy_utils.functional.attention import scaled_dot_product_attention
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.tap import edit, watch


def normal(*shape, seed=0, dtype=torch.float64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def matrices(d_model, width, seed=5):
    return [normal(d_model, width, seed=seed + i) / math.sqrt(d_model) for i in range(3)] + [
        normal(width, d_model, seed=seed + 3) / math.sqrt(width)
    ]


def test_split_by_hand():
    # position 0 holds 0 … 5, position 1 holds 6 … 11; three heads of width 2
    heads = multi_head.split_heads(torch.arange(12.0).reshape(2, 6), 3)
    assert heads.tolist() == [[[0, 1], [6, 7]], [[2, 3], [8, 9]], [[4, 5], [10, 11]]]


@given(seed=st.integers(0, 10_000), heads=st.integers(1, 4), d_head=st.integers(1, 4), lead=st.sampled_from([0, 1, 2]))
@settings(max_examples=10, deadline=None)
def test_merging_undoes_splitting(seed, heads, d_head, lead):
    vectors = normal(*(2, 3)[:lead], 5, heads * d_head, seed=seed)
    split = multi_head.split_heads(vectors, heads)
    assert split.shape == (*vectors.shape[:-2], heads, 5, d_head)
    assert torch.equal(multi_head.merge_heads(split), vectors)


def test_one_large_projection_is_many_small_ones():
    small, vectors = normal(3, 7, 2), normal(2, 5, 7, seed=1)
    heads = multi_head.split_heads(vectors @ torch.cat(list(small), dim=1), 3)
    for i in range(3):
        torch.testing.assert_close(heads[:, i], vectors @ small[i])


def test_neighboring_heads_share():
    shared = multi_head.share_heads(normal(2, 3, 5, 7), 6)
    assert shared.shape == (2, 6, 5, 7)
    for head in range(6):
        assert torch.equal(shared[:, head], normal(2, 3, 5, 7)[:, head // 2])


def test_it_equals_the_module_also_from_elsewhere():
    module = MultiHeadAttention(6, 3, bias=False).double()
    projections = (module.to_query, module.to_key, module.to_value, module.to_output)
    weights = [projection.weight.T for projection in projections]
    states, memory = normal(2, 5, 6), normal(2, 7, 6, seed=1)
    torch.testing.assert_close(multi_head.multi_head_attention(states, *weights, 3), module(states))
    causal = multi_head.multi_head_attention(states, *weights, 3, masks.causal(5))
    torch.testing.assert_close(causal, module(states, causal=True))
    mask = masks.padding(torch.tensor([[1] * 7, [1] * 4 + [0] * 3]))
    got = multi_head.cross_attention(states, memory, *weights, 3, mask)
    torch.testing.assert_close(got, module(states, memory, mask=mask))


def test_the_output_is_the_sum_of_the_heads_outputs():
    states, weights = normal(2, 5, 6), matrices(6, 6)
    heads = [multi_head.split_heads(states @ weight, 3) for weight in weights[:3]]
    alone = multi_head.head_outputs(scaled_dot_product_attention(*heads).context, weights[3])
    assert alone.shape == (2, 3, 5, 6)
    torch.testing.assert_close(alone.sum(1), multi_head.multi_head_attention(states, *weights, 3))


def test_a_head_switched_off_takes_its_own_output_away():
    module = MultiHeadAttention(6, 3).double()
    states = normal(2, 5, 6)
    with watch(module) as seen:
        whole = module(states)
    context = multi_head.split_heads(seen["context"], 3)
    alone = multi_head.head_outputs(context, module.to_output.weight.T)
    with edit(module, {"context": lambda context: multi_head.switch_off(context, 1, 3)}):
        torch.testing.assert_close(module(states), whole - alone[:, 1])


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: multi_head.split_heads(normal(5, 6), 4), "d_model 6 cannot be split into 4 heads"),
        (lambda: multi_head.split_heads(normal(5, 6), 0), "d_model 6 cannot be split into 0 heads"),
        (lambda: multi_head.share_heads(normal(4, 5, 6), 6), "6 heads cannot share 4 key/value heads"),
        (lambda: multi_head.switch_off(normal(5, 6), 3, 3), "no head 3 among 3; they are numbered from 0 to 2"),
    ],
)
def test_wrong_input_is_named(call, says):
    with pytest.raises(ValueError, match=says):
        call()
