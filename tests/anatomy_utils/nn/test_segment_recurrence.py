"""Memory recurrence against one pass over the whole text; `zoo/test_transfo_xl.py` compares it with the reference."""

import pytest
import torch
from hypothesis import given, settings, strategies as st
from torch import nn
from torch.nn import functional as F

from anatomy_utils.interpret.influence import token_influence
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.norm import LayerNorm, NormPlaces
from anatomy_utils.nn.positions import SinusoidalPositions
from anatomy_utils.nn.relative_positions import TransformerXLPositions
from anatomy_utils.nn.segment_recurrence import RecurrentDecoder, RecurrentLayer

CLOSE = {"atol": 1e-5, "rtol": 1e-4}


def transformer_xl(memory_length, *, windowed=False, pre_norm=False):
    """Three layers of Transformer-XL, 12 wide."""
    torch.manual_seed(0)

    def norms():
        return NormPlaces(before=LayerNorm(12)) if pre_norm else NormPlaces(after=LayerNorm(12))

    def layer():
        positions = TransformerXLPositions(12, 3, 4)
        nn.init.normal_(positions.content_preference)
        nn.init.normal_(positions.offset_preference)
        attention = MultiHeadAttention(12, 3, score_positions=positions)
        return RecurrentLayer(attention, FeedForward(12, 17), self_attention_norms=norms(), feed_forward_norms=norms())

    return RecurrentDecoder(
        Embeddings(31, 12), [layer() for _ in range(3)], memory_length=memory_length, windowed=windowed
    ).eval()


def ids(batch, length, seed=0):
    return torch.randint(3, 31, (batch, length), generator=torch.Generator().manual_seed(seed))


def in_segments(model, input_ids, lengths, attention_mask=None):
    """The hidden states of all segments, side by side."""
    masks = [None] * len(lengths) if attention_mask is None else attention_mask.split(lengths, 1)
    memories, states = None, []
    for segment, mask in zip(input_ids.split(lengths, 1), masks, strict=True):
        hidden_states, memories = model(segment, memories, mask)
        states.append(hidden_states)
    return torch.cat(states, 1)


@pytest.mark.parametrize("pre_norm", [False, True])
@given(lengths=st.lists(st.integers(1, 6), min_size=2, max_size=4))
@settings(max_examples=6, deadline=None)
def test_segments_with_memory_equal_one_pass(pre_norm, lengths):
    model = transformer_xl(30, pre_norm=pre_norm)
    input_ids = ids(2, sum(lengths))
    with torch.no_grad():
        torch.testing.assert_close(in_segments(model, input_ids, lengths), model(input_ids)[0], **CLOSE)


def test_influence_reaches_as_far_as_the_memories():
    model, text = transformer_xl(4, windowed=True), ids(1, 20)[0]  # three layers, each sees three positions back
    assert (token_influence(model, text, 5) > 0).tolist() == [place >= 10 for place in range(20)]
    assert (token_influence(model, text, 5, remembering=False) > 0).tolist() == [place >= 15 for place in range(20)]
    moved = token_influence(model, text, 20)
    edited = text.clone()
    edited[13] = (text[13] + 1) % 31
    states = [model(each[None])[0][0, -1] for each in (text, edited)]
    torch.testing.assert_close(moved[13], (states[1] - states[0]).norm().detach(), **CLOSE)


@given(pad=st.integers(1, 5), lengths=st.lists(st.integers(1, 5), min_size=2, max_size=3))
@settings(max_examples=6, deadline=None)
def test_padding_at_the_head_is_not_seen(pad, lengths):
    model = transformer_xl(6)
    input_ids = ids(2, sum(lengths))
    padded = F.pad(input_ids, (pad, 0), value=7)
    mask = F.pad(torch.ones_like(input_ids), (pad, 0))
    with torch.no_grad():
        wanted = in_segments(model, input_ids, lengths)
        lengths = [lengths[0] + pad, *lengths[1:]]
        torch.testing.assert_close(in_segments(model, padded, lengths, mask)[:, pad:], wanted, **CLOSE)


def test_memories_may_be_rearranged():
    model, text = transformer_xl(30), ids(2, 4)
    _, memories = model(text)
    swapped = model(text[:, :1].flip(0), memories.rows(torch.tensor([1, 0])))[0]
    torch.testing.assert_close(swapped.flip(0), model(text[:, :1], memories)[0], **CLOSE)


def test_what_does_not_fit_is_named():
    model = transformer_xl(5)
    with pytest.raises(ValueError, match="memories are of 2 texts, but input_ids has 3"):
        model(ids(3, 2), model.start(2))
    with pytest.raises(ValueError, match="memory_length is 0"):
        transformer_xl(0)
    with pytest.raises(ValueError, match="begin again in every segment"):
        RecurrentDecoder(Embeddings(31, 12, SinusoidalPositions(12)), [], memory_length=5)
