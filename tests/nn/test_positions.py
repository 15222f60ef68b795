"""Position schemes: by hand, against the reference implementation, and which of them depend on the offset only."""

import math

import pytest
import torch

from anatomy_utils.functional.positions import alibi_slopes, sinusoids, t5_bucket
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.positions import AlibiBias, LearnedPositions, RotaryPositions, SinusoidalPositions, T5Bias
from anatomy_utils.nn.relative_positions import DisentangledPositions, ShawPositions, TransformerXLPositions


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def test_sinusoids_by_hand():
    first = [math.sin(3), math.cos(3), math.sin(3 / 100), math.cos(3 / 100)]
    torch.testing.assert_close(sinusoids(torch.tensor([3]), 4)[0], torch.tensor(first))
    torch.testing.assert_close(sinusoids(torch.tensor([3]), 4, interleaved=False)[0], torch.tensor(first)[[0, 2, 1, 3]])
    with pytest.raises(ValueError, match="d_model is 5"):
        sinusoids(torch.tensor([0]), 5)


def test_sinusoids_match_by_offset_only():
    waves = SinusoidalPositions(32)(torch.arange(100)).double()
    torch.testing.assert_close(waves[10] @ waves[17], waves[60] @ waves[67], atol=1e-5, rtol=0)


def test_learned_positions_start_behind_the_offset():
    learned = LearnedPositions(5, 3, offset=2)
    assert torch.equal(learned(torch.tensor([0, 4])), learned.table.weight[[2, 6]])
    with pytest.raises(ValueError, match="6 positions.*ends at 5"):
        learned(torch.tensor([5]))


@pytest.mark.parametrize("layout", ["halves", "neighbours"])
def test_rotary_keeps_lengths_and_depends_on_the_offset_only(layout):
    rotary = RotaryPositions(6, layout=layout, max_positions=8)
    query, key = normal(1, 1, 1, 6), normal(1, 1, 1, 6, seed=1)

    def match(query_position, key_position):
        return (rotary(torch.tensor([query_position]))(query) * rotary(torch.tensor([key_position]))(key)).sum()

    torch.testing.assert_close(match(3, 1), match(43, 41))  # beyond max_positions: more angles are made
    assert not torch.allclose(match(3, 1), match(4, 1))
    torch.testing.assert_close(rotary(torch.tensor([5]))(query).norm(), query.norm())
    torch.testing.assert_close(rotary(torch.tensor([0]))(query), query)


def test_rotary_by_hand_and_in_part():
    rotary = RotaryPositions(2)
    vectors = torch.tensor([1.0, 0.0, 7.0]).view(1, 1, 1, 3)
    turned = rotary(torch.tensor([1]))(vectors)
    torch.testing.assert_close(turned.flatten(), torch.tensor([math.cos(1), math.sin(1), 7.0]))


def test_rotary_layouts_are_the_same_up_to_the_order_of_features():
    vectors, positions = normal(1, 2, 5, 8), torch.arange(5)
    order = torch.tensor([0, 4, 1, 5, 2, 6, 3, 7])  # halves → neighbours
    halves = RotaryPositions(8)(positions)(vectors)
    neighbours = RotaryPositions(8, layout="neighbours")(positions)(vectors[..., order])
    torch.testing.assert_close(neighbours, halves[..., order])
    with pytest.raises(ValueError, match="d_head is 3"):
        RotaryPositions(3)


@pytest.mark.parametrize("bidirectional", [False, True])
def test_t5_buckets_equal_reference(bidirectional):
    transformers = pytest.importorskip("transformers", reason="the reference implementation is not installed")
    reference = transformers.models.t5.modeling_t5.T5Attention._relative_position_bucket
    offsets = torch.arange(-300, 301)
    wanted = reference(offsets, bidirectional=bidirectional, num_buckets=18, max_distance=77)
    assert torch.equal(t5_bucket(offsets, bidirectional=bidirectional, num_buckets=18, max_distance=77), wanted)


def test_t5_bias_reads_its_table():
    bias = T5Bias(3, bidirectional=True, num_buckets=8, max_distance=10)
    added = bias(torch.arange(2, 4), torch.arange(5))
    assert added.shape == (3, 2, 5)
    assert torch.equal(added[:, 0, 2], bias.table.weight[0])
    assert torch.equal(added[:, 1, 2], bias.table.weight[1])


def test_alibi_slopes():
    torch.testing.assert_close(alibi_slopes(8), torch.tensor([2.0**-i for i in range(1, 9)]))
    twelve = alibi_slopes(12)
    torch.testing.assert_close(twelve[:8], alibi_slopes(8))
    torch.testing.assert_close(twelve[8:], alibi_slopes(16)[::2][:4])
    added = AlibiBias(2)(torch.tensor([3]), torch.arange(4))
    torch.testing.assert_close(added[1, 0], torch.tensor([-3, -2, -1, 0]) * 2.0**-8)


def test_shaw_by_a_double_loop():
    torch.manual_seed(0)
    shaw = ShawPositions(5, max_distance=2)
    query, key = normal(2, 3, 4, 5), normal(2, 3, 6, 5, seed=1)
    added = shaw(query, key)
    for i in range(4):
        for j in range(6):
            offset = max(-2, min(2, j - (i + 2)))  # the last query stands at the last key
            wanted = query[:, :, i] @ shaw.table.weight[offset + 2] / math.sqrt(5)
            torch.testing.assert_close(added[:, :, i, j], wanted)


def test_transformer_xl_by_a_double_loop():
    torch.manual_seed(0)
    relative = TransformerXLPositions(10, 3, 5)
    torch.nn.init.normal_(relative.content_preference)
    torch.nn.init.normal_(relative.offset_preference)
    query, key = normal(2, 3, 4, 5), normal(2, 3, 6, 5, seed=1)
    added = relative(query, key)
    for i in range(4):
        for j in range(6):
            wave = sinusoids(torch.tensor([i + 2 - j]), 10, interleaved=False)
            wave_key = relative.to_wave_key(wave).view(3, 5)
            content = (relative.content_preference * key[:, :, j]).sum(-1)
            offset = ((query[:, :, i] + relative.offset_preference) * wave_key).sum(-1)
            torch.testing.assert_close(added[:, :, i, j], (content + offset) / math.sqrt(5))


def test_disentangled_by_a_double_loop():
    torch.manual_seed(0)
    table = normal(9, 15)
    to_query, to_key = torch.nn.Linear(15, 15), torch.nn.Linear(15, 15)
    positions = DisentangledPositions(lambda offsets: offsets + 4, lambda: table, to_query, to_key, 3)
    query, key = normal(2, 3, 5, 5), normal(2, 3, 5, 5, seed=1)
    added = positions(query, key)
    offset_keys, offset_queries = to_key(table).view(9, 3, 5), to_query(table).view(9, 3, 5)
    for i in range(5):
        for j in range(5):
            asked = (query[:, :, i] * offset_keys[i - j + 4]).sum(-1)
            answered = (key[:, :, j] * offset_queries[i - j + 4]).sum(-1)
            torch.testing.assert_close(added[:, :, i, j], (asked + answered) / math.sqrt(15))


@pytest.mark.parametrize("length", [7, 260])  # written out, and fused
def test_attention_adds_what_positions_say(length):
    torch.manual_seed(0)
    attention = MultiHeadAttention(12, 3, score_positions=ShawPositions(4, max_distance=3))
    plain = MultiHeadAttention(12, 3)
    plain.load_state_dict(attention.state_dict(), strict=False)
    hidden_states = normal(2, length, 12)
    query, key = (plain._split(part(hidden_states)) for part in (plain.to_query, plain.to_key))
    wanted = plain(hidden_states, mask=attention.score_positions(query, key))
    torch.testing.assert_close(attention(hidden_states), wanted)
