"""Multi-head attention against torch, written out and fused, and in its properties."""

import pytest
import torch
from random_tensors import normal
from torch import nn

from anatomy_utils.functional import masks
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.tap import watch


def torch_twin(ours: MultiHeadAttention, d_model: int, num_heads: int) -> nn.MultiheadAttention:
    twin = nn.MultiheadAttention(d_model, num_heads, batch_first=True)
    parts = [ours.to_query, ours.to_key, ours.to_value]
    with torch.no_grad():
        twin.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
        twin.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
        twin.out_proj.load_state_dict(ours.to_output.state_dict())
    return twin


@pytest.mark.parametrize("cross", [False, True])
@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize("length", [11, 260])  # a short and a long text
def test_multi_head_attention_equals_torch(cross, watched, length):
    torch.manual_seed(0)
    ours = MultiHeadAttention(15, 3)
    twin = torch_twin(ours, 15, 3)
    hidden_states, memory = normal(2, length, 15), normal(2, length + 2, 15, seed=1) if cross else None
    source = hidden_states if memory is None else memory
    real = torch.ones(source.shape[:2], dtype=torch.long)
    real[1, -4:] = 0
    wanted, wanted_weights = twin(hidden_states, source, source, key_padding_mask=real == 0, average_attn_weights=False)
    if watched:
        with watch(ours) as seen:
            got = ours(hidden_states, memory, mask=masks.padding(real))
        torch.testing.assert_close(seen["weights"], wanted_weights)
    else:
        got = ours(hidden_states, memory, mask=masks.padding(real))
    torch.testing.assert_close(got, wanted)


@pytest.mark.parametrize("num_kv_heads", [1, 2, 6])
@pytest.mark.parametrize("mask", ["none", "padding", "additive"])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("length", [13, 257])
def test_explicit_equals_fused(num_kv_heads, mask, causal, length):
    torch.manual_seed(0)
    model = MultiHeadAttention(30, 6, num_kv_heads=num_kv_heads, d_head=7)
    hidden_states = normal(2, length, 30).requires_grad_()
    real = torch.ones(2, length, dtype=torch.long)
    real[0, -5:] = 0
    given_mask = {
        "none": None,
        "padding": masks.padding(real),
        "additive": normal(1, 6, length, length, seed=2),
    }[mask]
    query, key, value = (model._split(part(hidden_states)) for part in (model.to_query, model.to_key, model.to_value))
    explicit = model._explicit(query, key, value, given_mask, causal)
    fused = model._fused(query, key, value, given_mask, causal)
    torch.testing.assert_close(explicit, fused)
    upstream = normal(*fused.shape, seed=5)
    (got,) = torch.autograd.grad(explicit, hidden_states, upstream, retain_graph=True)
    (wanted,) = torch.autograd.grad(fused, hidden_states, upstream)
    # The sums over up to 257 keys are taken in another order: float32 leaves about 1e-5 of values near 10.
    torch.testing.assert_close(got, wanted, atol=2e-5, rtol=1e-4)


def test_grouped_heads_equal_copied_heads():
    torch.manual_seed(0)
    grouped, full = MultiHeadAttention(12, 6, num_kv_heads=2), MultiHeadAttention(12, 6)
    state = grouped.state_dict()
    for part in ("to_key", "to_value"):
        for name in ("weight", "bias"):
            heads = state[f"{part}.{name}"].unflatten(0, (2, 2))  # kv_head d_head …
            state[f"{part}.{name}"] = heads.repeat_interleave(3, dim=0).flatten(0, 1)
    full.load_state_dict(state)
    hidden_states = normal(2, 5, 12)
    torch.testing.assert_close(grouped(hidden_states), full(hidden_states))


def test_causal_outputs_do_not_see_the_future():
    torch.manual_seed(0)
    model = MultiHeadAttention(12, 3)
    before = normal(1, 9, 12)
    after = before.clone()
    after[:, 5:] = normal(1, 4, 12, seed=1)
    torch.testing.assert_close(model(before, causal=True)[:, :5], model(after, causal=True)[:, :5])


def test_dropout_only_while_training():
    model = MultiHeadAttention(12, 3, dropout=0.5)
    hidden_states = normal(1, 9, 12)
    assert not torch.equal(model.train()(hidden_states), model(hidden_states))
    torch.testing.assert_close(model.eval()(hidden_states), model(hidden_states))


@pytest.mark.parametrize(
    ("numbers", "complaint"),
    [({"num_heads": 5}, "12.*5 heads"), ({"num_heads": 6, "num_kv_heads": 4}, "6 heads.*4 key/value")],
)
def test_multi_head_attention_names_impossible_heads(numbers, complaint):
    with pytest.raises(ValueError, match=complaint):
        MultiHeadAttention(12, **numbers)


def test_cross_attention_cannot_be_causal():
    with pytest.raises(ValueError, match="self-attention"):
        MultiHeadAttention(12, 3)(normal(1, 2, 12), normal(1, 3, 12), causal=True)
