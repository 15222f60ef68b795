"""Relative positions that read the content, by double loops, and as attention adds them."""

import math

import pytest
import torch
from random_tensors import normal

from anatomy_utils.functional.positions import sinusoids
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.relative_positions import DisentangledPositions, ShawPositions, TransformerXLPositions


def test_shaw_by_a_double_loop():
    torch.manual_seed(0)
    shaw = ShawPositions(5, max_distance=2)
    assert shaw.table.weight.shape == (5, 5)  # two offsets on each side, and none
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
