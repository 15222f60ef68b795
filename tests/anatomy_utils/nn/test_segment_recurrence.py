"""Memory recurrence: by hand, against one pass over the whole text, and what the memories let through."""

import pytest
import torch
from hypothesis import given, settings, strategies as st
from torch import nn
from torch.nn import functional as F

from anatomy_utils.decoding import generate
from anatomy_utils.interpret.influence import token_influence
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import Decoder, DecoderLayer
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


def test_by_hand():
    """Every key counts the same, and a vector is itself plus the mean of what it sees."""
    attention = MultiHeadAttention(1, 1, bias=False)
    with torch.no_grad():
        for name, parameter in attention.named_parameters():
            parameter.fill_(0.0 if "query" in name else 1.0)
    feed_forward = FeedForward(1, 1)
    for parameter in feed_forward.parameters():
        nn.init.zeros_(parameter)
    embeddings = Embeddings(9, 1)
    embeddings.tokens.weight.data = torch.arange(9.0)[:, None]

    def model(memory_length, windowed=False):
        norms = {"self_attention_norms": NormPlaces(), "feed_forward_norms": NormPlaces()}
        layer = RecurrentLayer(attention, feed_forward, **norms)
        return RecurrentDecoder(embeddings, [layer], memory_length=memory_length, windowed=windowed)

    hidden_states, memories = model(2)(torch.tensor([[1, 3]]))
    assert hidden_states.flatten().tolist() == [1 + 1, 3 + 2]
    assert memories.layers[0].flatten().tolist() == [1, 3]
    hidden_states, memories = model(2)(torch.tensor([[5, 7]]), memories)
    assert hidden_states.flatten().tolist() == [5 + (1 + 3 + 5) / 3, 7 + (1 + 3 + 5 + 7) / 4]
    assert memories.layers[0].flatten().tolist() == [5, 7]
    hidden_states, _ = model(2, windowed=True)(torch.tensor([[3, 5]]), memories)
    assert hidden_states.flatten().tolist() == [3 + (7 + 3) / 2, 5 + (3 + 5) / 2]


@pytest.mark.parametrize("pre_norm", [False, True])
def test_without_memories_it_is_a_decoder(pre_norm):
    model = transformer_xl(4, pre_norm=pre_norm)
    parts = ("self_attention", "feed_forward", "self_attention_norms", "feed_forward_norms")
    layers = [DecoderLayer(**{part: getattr(layer, part) for part in parts}) for layer in model.layers]
    decoder = Decoder(model.embeddings, layers)
    with torch.no_grad():
        torch.testing.assert_close(model(ids(2, 7))[0], decoder(ids(2, 7)), **CLOSE)


@pytest.mark.parametrize("pre_norm", [False, True])
@given(lengths=st.lists(st.integers(1, 6), min_size=2, max_size=4))
@settings(max_examples=12, deadline=None)
def test_segments_with_memory_equal_one_pass(pre_norm, lengths):
    model = transformer_xl(30, pre_norm=pre_norm)
    input_ids = ids(2, sum(lengths))
    with torch.no_grad():
        torch.testing.assert_close(in_segments(model, input_ids, lengths), model(input_ids)[0], **CLOSE)


@given(lengths=st.lists(st.integers(1, 9), min_size=2, max_size=4), memory_length=st.integers(1, 7))
@settings(max_examples=12, deadline=None)
def test_with_a_window_it_makes_no_difference_where_a_text_is_cut(lengths, memory_length):
    model = transformer_xl(memory_length, windowed=True)
    input_ids = ids(2, sum(lengths))
    with torch.no_grad():
        torch.testing.assert_close(in_segments(model, input_ids, lengths), model(input_ids)[0], **CLOSE)


def test_memories_are_limited_and_each_layer_reaches_further_back():
    model = transformer_xl(4)
    input_ids = ids(2, 20)
    _, memories = model(input_ids[:, :7])
    assert memories.length == 4 and memories.batch == 2
    assert not any(layer.requires_grad for layer in memories.layers)

    def last_states(first):
        changed = torch.cat([first, input_ids[:, 1:]], 1)
        with torch.no_grad():
            return in_segments(model, changed, [1] * 20)[0]

    other = (input_ids[:, :1] + 1) % 31
    differs = (last_states(other) - last_states(input_ids[:, :1])).abs().amax(-1) > 0
    assert differs.nonzero().max() == 3 * 4  # three layers, four positions each


def test_influence_reaches_as_far_as_the_memories():
    model, text = transformer_xl(4, windowed=True), ids(1, 20)[0]  # three layers, each sees three positions back
    assert (token_influence(model, text, 5) > 0).tolist() == [place >= 10 for place in range(20)]
    assert (token_influence(model, text, 5, remembering=False) > 0).tolist() == [place >= 15 for place in range(20)]
    moved = token_influence(model, text, 20)
    edited = text.clone()
    edited[13] = (text[13] + 1) % 31
    states = [model(each[None])[0][0, -1] for each in (text, edited)]
    torch.testing.assert_close(moved[13], (states[1] - states[0]).norm().detach(), **CLOSE)


def test_nothing_of_the_future_and_no_gradient_through_memory():
    model = transformer_xl(8)
    input_ids = ids(2, 9)
    changed = torch.cat([input_ids[:, :6], ids(2, 3, seed=1)], 1)
    torch.testing.assert_close(
        in_segments(model, changed, [4, 5])[:, :6], in_segments(model, input_ids, [4, 5])[:, :6], **CLOSE
    )
    first, second = torch.tensor([[3, 4, 5]]), torch.tensor([[6, 7]])
    hidden_states, _ = model(second, model(first)[1])
    hidden_states[..., 0].sum().backward()
    touched = model.embeddings.tokens.weight.grad.abs().sum(1).nonzero().flatten()
    assert touched.tolist() == [6, 7]


@given(pad=st.integers(1, 5), lengths=st.lists(st.integers(1, 5), min_size=2, max_size=3))
@settings(max_examples=12, deadline=None)
def test_padding_at_the_head_is_not_seen(pad, lengths):
    model = transformer_xl(6)
    input_ids = ids(2, sum(lengths))
    padded = F.pad(input_ids, (pad, 0), value=7)
    mask = F.pad(torch.ones_like(input_ids), (pad, 0))
    with torch.no_grad():
        wanted = in_segments(model, input_ids, lengths)
        lengths = [lengths[0] + pad, *lengths[1:]]
        torch.testing.assert_close(in_segments(model, padded, lengths, mask)[:, pad:], wanted, **CLOSE)


def test_memories_serve_as_a_cache():
    model, vocabulary = transformer_xl(30), nn.Linear(12, 31)

    def step(input_ids, memories):
        hidden_states, memories = model(input_ids, memories)
        return vocabulary(hidden_states[:, -1]), memories

    prompts = ids(2, 4)
    written = generate(step, model.start(2), prompts, max_new_tokens=6).ids
    for i in range(4, 10):
        assert vocabulary(model(written[:, :i])[0][:, -1]).argmax(-1).tolist() == written[:, i].tolist()
    _, memories = model(prompts)
    swapped = model(prompts[:, :1].flip(0), memories.rows(torch.tensor([1, 0])))[0]
    torch.testing.assert_close(swapped.flip(0), model(prompts[:, :1], memories)[0], **CLOSE)


def test_what_does_not_fit_is_named():
    model = transformer_xl(5)
    with pytest.raises(ValueError, match="memories are of 2 texts, but input_ids has 3"):
        model(ids(3, 2), model.start(2))
    with pytest.raises(ValueError, match="memory_length is 0"):
        transformer_xl(0)
    with pytest.raises(ValueError, match="begin again in every segment"):
        RecurrentDecoder(Embeddings(31, 12, SinusoidalPositions(12)), [], memory_length=5)
