"""The encoder's organs against torch, and the whole encoder against its reference."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from anatomy_utils.functional import masks, norm
from anatomy_utils.functional.embeddings import lookup
from anatomy_utils.functional.norm import rms_norm
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.encoder import EncoderLayer, LocalLayer
from anatomy_utils.nn.feed_forward import FeedForward, GatedFeedForward
from anatomy_utils.nn.norm import LayerNorm, Norms, RMSNorm
from anatomy_utils.nn.positions import LearnedPositions, RotaryPositions


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def test_layer_norm_equals_torch():
    hidden_states, weight, bias = normal(2, 3, 7), normal(7, seed=1), normal(7, seed=2)
    wanted = F.layer_norm(hidden_states, (7,), weight, bias, 1e-3)
    torch.testing.assert_close(norm.layer_norm(hidden_states, weight, bias, 1e-3), wanted)
    module = LayerNorm(7, 1e-3)
    module.load_state_dict({"weight": weight, "bias": bias})
    torch.testing.assert_close(module(hidden_states), wanted)
    module = LayerNorm(7, 1e-3, bias=False)
    module.load_state_dict({"weight": weight})
    torch.testing.assert_close(module(hidden_states), wanted - bias)


def test_feed_forward_treats_positions_alike():
    torch.manual_seed(0)
    feed_forward = FeedForward(5, 11)
    hidden_states = normal(2, 3, 5)
    by_hand = feed_forward.contract(feed_forward.expand(hidden_states[1, 2]).clamp(min=0))
    torch.testing.assert_close(feed_forward(hidden_states)[1, 2], by_hand)


@pytest.mark.parametrize("pre_norm", [False, True])
def test_encoder_layer_equals_torch(pre_norm):
    torch.manual_seed(0)
    reference = nn.TransformerEncoderLayer(12, 3, 29, dropout=0.0, batch_first=True, norm_first=pre_norm)
    place = "before" if pre_norm else "after"
    ours = EncoderLayer(
        MultiHeadAttention(12, 3),
        FeedForward(12, 29),
        self_attention_norms=Norms(**{place: LayerNorm(12)}),
        feed_forward_norms=Norms(**{place: LayerNorm(12)}),
    )
    theirs = dict(reference.named_parameters())
    in_weight, in_bias = theirs["self_attn.in_proj_weight"].chunk(3), theirs["self_attn.in_proj_bias"].chunk(3)
    renamed = {
        "self_attention.to_output": "self_attn.out_proj",
        "feed_forward.expand": "linear1",
        "feed_forward.contract": "linear2",
        f"self_attention_norms.{place}": "norm1",
        f"feed_forward_norms.{place}": "norm2",
    }
    state = {f"{a}.{end}": theirs[f"{b}.{end}"] for a, b in renamed.items() for end in ("weight", "bias")}
    for i, part in enumerate(("to_query", "to_key", "to_value")):
        state |= {f"self_attention.{part}.weight": in_weight[i], f"self_attention.{part}.bias": in_bias[i]}
    ours.load_state_dict(state)
    hidden_states = normal(2, 7, 12)
    real = torch.tensor([[1] * 7, [1] * 4 + [0] * 3])
    wanted = reference(hidden_states, src_key_padding_mask=real == 0)
    torch.testing.assert_close(ours(hidden_states, masks.padding(real)), wanted)


def test_embeddings_sum_token_position_and_segment():
    torch.manual_seed(0)
    embeddings = Embeddings(11, 5, LearnedPositions(7, 5), num_segments=2)
    input_ids, segment_ids = torch.tensor([[3, 3, 10]]), torch.tensor([[0, 1, 1]])
    wanted = embeddings.tokens.weight[3] + embeddings.positions.table.weight[1] + embeddings.segments.weight[1]
    torch.testing.assert_close(embeddings(input_ids, segment_ids)[0, 1], wanted)


def test_embeddings_name_bad_input():
    embeddings = Embeddings(11, 5, LearnedPositions(7, 5))
    with pytest.raises(ValueError, match="from 0 to 11.*from 0 to 10"):
        embeddings(torch.tensor([[0, 11]]))
    with pytest.raises(ValueError, match="8 positions.*ends at 7"):
        embeddings(torch.zeros(1, 8, dtype=torch.long))
    with pytest.raises(ValueError, match="no segments"):
        embeddings(torch.zeros(1, 2, dtype=torch.long), torch.zeros(1, 2, dtype=torch.long))
    with pytest.raises(ValueError, match="-1 to 2"):
        lookup(normal(3, 2), torch.tensor([-1, 2]))


def test_masks_by_hand_and_bad_input():
    assert masks.combine(None, None) is None
    joined = masks.combine(masks.causal(3), masks.padding(torch.tensor([[1, 1, 0]])))
    assert joined.shape == (1, 1, 3, 3)
    assert joined[0, 0].int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 0]]
    with pytest.raises(ValueError, match="only 1 .* and 0"):
        masks.padding(torch.tensor([[2, 1]]))
    with pytest.raises(ValueError, match="torch.float32"):
        masks.combine(torch.ones(2, 2))
    with pytest.raises(ValueError, match="-1"):
        masks.causal(-1)


def test_a_local_mask_reaches_as_far_to_either_side():
    at = torch.arange(7)
    for reach in (0, 2, 9):
        assert torch.equal(masks.local(7, reach), (at[:, None] - at).abs() <= reach)
    with pytest.raises(ValueError, match="not 3 and -1"):
        masks.local(3, -1)


def test_rms_norm_equals_torch_and_keeps_low_precision():
    hidden_states, weight = normal(2, 3, 7), normal(7, seed=1)
    wanted = F.rms_norm(hidden_states, (7,), weight, 1e-3)
    torch.testing.assert_close(rms_norm(hidden_states, weight, 1e-3), wanted)
    module = RMSNorm(7, 1e-3)
    module.load_state_dict({"weight": weight})
    torch.testing.assert_close(module(hidden_states), wanted)
    assert rms_norm(hidden_states.bfloat16(), weight.bfloat16()).dtype == torch.bfloat16


def test_gated_feed_forward_by_hand():
    torch.manual_seed(0)
    gated = GatedFeedForward(5, 11)
    vector = normal(1, 1, 5)
    hidden = F.silu(vector @ gated.gate.weight.T) * (vector @ gated.expand.weight.T)
    torch.testing.assert_close(gated(vector), hidden @ gated.contract.weight.T)


def test_norms_stand_where_they_are_put():
    layer = EncoderLayer(
        MultiHeadAttention(12, 3),
        FeedForward(12, 29),
        self_attention_norms=Norms(before=LayerNorm(12), output=LayerNorm(12)),
        feed_forward_norms=Norms(output=LayerNorm(12), after=LayerNorm(12)),
    )
    hidden_states = normal(2, 5, 12)
    attended = layer.self_attention(F.layer_norm(hidden_states, (12,)))
    middle = hidden_states + F.layer_norm(attended, (12,))
    wanted = F.layer_norm(middle + F.layer_norm(layer.feed_forward(middle), (12,)), (12,))
    torch.testing.assert_close(layer(hidden_states), wanted)


def test_narrow_tables_are_widened_behind_the_norm():
    torch.manual_seed(0)
    embeddings = Embeddings(11, 3, LearnedPositions(7, 3), norm=LayerNorm(3), projection=nn.Linear(3, 5))
    input_ids = torch.tensor([[4, 10]])
    summed = embeddings.tokens.weight[input_ids] + embeddings.positions.table.weight[:2]
    wanted = F.layer_norm(summed, (3,)) @ embeddings.projection.weight.T + embeddings.projection.bias
    torch.testing.assert_close(embeddings(input_ids), wanted)


def test_a_local_layer_sees_its_window_and_turns_its_own_way():
    torch.manual_seed(0)
    parts = {"self_attention_norms": Norms(before=LayerNorm(12)), "feed_forward_norms": Norms()}
    rotary, real = RotaryPositions(4, base=50.0), torch.tensor([[1] * 11, [1] * 6 + [0] * 5])
    local = LocalLayer(MultiHeadAttention(12, 3), FeedForward(12, 29), **parts, window=5, rotary=rotary)
    whole = EncoderLayer(local.self_attention, local.feed_forward, **parts)
    hidden_states, mask = normal(2, 11, 12), masks.padding(real)
    near = masks.combine(mask, masks.local(11, 2))
    wanted = whole(hidden_states, near, rotation=rotary(torch.arange(11)))
    got = local(hidden_states, mask, rotation=RotaryPositions(4)(torch.arange(11)))
    torch.testing.assert_close(got, wanted)
    assert got.isfinite().all()  # also where the window holds nothing but padding
    changed = hidden_states.clone()
    changed[:, 4] *= -1.0
    moved = (local(changed, mask) - got).abs().amax(-1)
    assert (moved[0] > 1e-4).nonzero().flatten().tolist() == [2, 3, 4, 5, 6]
