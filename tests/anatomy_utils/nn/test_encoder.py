"""Encoder layers against torch, what a window lets them see, and stacks that are given vectors and a mask."""

import pytest
import torch
from random_tensors import normal
from torch import nn

from anatomy_utils.functional import masks
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.encoder import EncoderLayer, LocalLayer
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.norm import LayerNorm, NormPlaces
from anatomy_utils.nn.positions import RotaryPositions
from anatomy_utils.zoo.bert import BertConfig, bert
from anatomy_utils.zoo.t5 import T5Config, t5


@pytest.mark.parametrize("pre_norm", [False, True])
def test_encoder_layer_equals_torch(pre_norm):
    torch.manual_seed(0)
    reference = nn.TransformerEncoderLayer(12, 3, 29, dropout=0.0, batch_first=True, norm_first=pre_norm)
    place = "before" if pre_norm else "after"
    ours = EncoderLayer(
        MultiHeadAttention(12, 3),
        FeedForward(12, 29),
        self_attention_norms=NormPlaces(**{place: LayerNorm(12)}),
        feed_forward_norms=NormPlaces(**{place: LayerNorm(12)}),
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


def test_a_local_layer_sees_its_window_and_turns_its_own_way():
    torch.manual_seed(0)
    parts = {"self_attention_norms": NormPlaces(before=LayerNorm(12)), "feed_forward_norms": NormPlaces()}
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


@torch.no_grad()
@pytest.mark.parametrize(
    "build", [lambda: bert(BertConfig(31, 12, 2, 3, 17, 40)), lambda: t5(T5Config(31, 12, 4, 17, 2, 2, 3)).encoder]
)
def test_an_encoder_takes_vectors_and_a_mask(build):
    torch.manual_seed(0)
    ids, real = torch.tensor([[3, 1, 4, 1, 5, 9], [2, 6, 5, 3, 5, 8]]), torch.tensor([[1] * 6, [1] * 4 + [0] * 2])
    encoder = build().eval()
    got = encoder.run_layers(encoder.embeddings(ids), masks.padding(real))
    torch.testing.assert_close(got, encoder(ids, real))
