"""Shaw's positions by a double loop, and as attention adds them."""

import math

import torch
from random_tensors import normal

from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.relative_positions import ShawPositions


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


def test_attention_adds_what_positions_say():
    torch.manual_seed(0)
    attention = MultiHeadAttention(12, 3, score_positions=ShawPositions(4, max_distance=3))
    plain = MultiHeadAttention(12, 3)
    plain.load_state_dict(attention.state_dict(), strict=False)
    hidden_states = normal(2, 7, 12)
    query, key = (plain._split(part(hidden_states)) for part in (plain.to_query, plain.to_key))
    wanted = plain(hidden_states, mask=attention.score_positions(query, key))
    torch.testing.assert_close(attention(hidden_states), wanted)
