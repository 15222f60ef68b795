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
def test_multi_head_attention_equals_torch(cross):
    torch.manual_seed(0)
    ours = MultiHeadAttention(15, 3)
    twin = torch_twin(ours, 15, 3)
    hidden_states, memory = normal(2, 11, 15), normal(2, 13, 15, seed=1) if cross else None
    source = hidden_states if memory is None else memory
    real = torch.ones(source.shape[:2], dtype=torch.long)
    real[1, -4:] = 0
    wanted, wanted_weights = twin(hidden_states, source, source, key_padding_mask=real == 0, average_attn_weights=False)
    torch.testing.assert_close(ours(hidden_states, memory, mask=masks.padding(real)), wanted)
    with watch(ours) as seen:
        torch.testing.assert_close(ours(hidden_states, memory, mask=masks.padding(real)), wanted)
    torch.testing.assert_close(seen["weights"], wanted_weights)


@pytest.mark.parametrize("num_kv_heads", [1, 2, 6])
@pytest.mark.parametrize("mask", ["none", "padding", "additive"])
@pytest.mark.parametrize("causal", [False, True])
def test_explicit_equals_fused(num_kv_heads, mask, causal):
    torch.manual_seed(0)
    model = MultiHeadAttention(30, 6, num_kv_heads=num_kv_heads, d_head=7)
    hidden_states = normal(2, 13, 30).requires_grad_()
    real = torch.tensor([[1] * 8 + [0] * 5, [1] * 13])
    given_mask = {"none": None, "padding": masks.padding(real), "additive": normal(1, 6, 13, 13, seed=2)}[mask]
    query, key, value = (model._split(part(hidden_states)) for part in (model.to_query, model.to_key, model.to_value))
    explicit = model._explicit(query, key, value, given_mask, causal)
    fused = model._fused(query, key, value, given_mask, causal)
    torch.testing.assert_close(explicit, fused)
    upstream = normal(*fused.shape, seed=5)
    (got,) = torch.autograd.grad(explicit, hidden_states, upstream, retain_graph=True)
    (wanted,) = torch.autograd.grad(fused, hidden_states, upstream)
    torch.testing.assert_close(got, wanted, atol=2e-5, rtol=1e-4)  # the sums are taken in another order


def test_dropout_only_while_training():
    model = MultiHeadAttention(12, 3, dropout=0.5)
    hidden_states = normal(1, 9, 12)
    assert not torch.equal(model.train()(hidden_states), model(hidden_states))
    torch.testing.assert_close(model.eval()(hidden_states), model(hidden_states))


def test_a_head_with_a_sink_may_look_at_nothing():
    torch.manual_seed(0)
    model, hidden_states = MultiHeadAttention(12, 3, sinks=True), normal(2, 7, 12)
    with torch.no_grad():
        model.sinks.copy_(torch.tensor([-1e4, 0.0, 1e4]))  # no sink, one as likely as a score of 0, nothing else
    with watch(model) as seen:
        model(hidden_states, causal=True)
    sums = seen["weights"].sum(-1)
    torch.testing.assert_close(sums[:, 0], torch.ones(2, 7))
    assert ((sums[:, 1] > 0) & (sums[:, 1] < 1)).all() and not sums[:, 2].any()
    torch.testing.assert_close(model(hidden_states, causal=True), seen["output"])


def test_capped_scores_stay_within_the_cap_whether_watched_or_not():
    torch.manual_seed(0)
    model, hidden_states = MultiHeadAttention(12, 3, scale=50.0, score_cap=2.0), normal(1, 9, 12)
    unwatched = model(hidden_states, causal=True)
    with watch(model) as seen:
        torch.testing.assert_close(model(hidden_states, causal=True), unwatched)
    plain = seen["query"] @ seen["key"].mT * 50
    torch.testing.assert_close(seen["scores"], 2 * torch.tanh(plain / 2))
    assert plain.abs().max() > 10 and seen["scores"].abs().max() <= 2


def test_a_gate_multiplies_what_the_heads_find():
    torch.manual_seed(0)
    model, hidden_states = MultiHeadAttention(12, 3, gated=True), normal(2, 7, 12)
    plain = MultiHeadAttention(12, 3)
    plain.load_state_dict({name: part for name, part in model.state_dict().items() if "gate" not in name})
    with watch(model) as seen, watch(plain) as without:
        model(hidden_states, causal=True)
        plain(hidden_states, causal=True)
    torch.testing.assert_close(seen["gate"], model.to_gate(hidden_states).sigmoid())
    torch.testing.assert_close(seen["context"], without["context"] * seen["gate"])
