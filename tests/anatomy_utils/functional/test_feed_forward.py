"""The feed-forward network as a function: of plain matrices what the modules are of their own, and its activations."""

import math

import torch
from random_tensors import normal
from torch.nn import functional as F

from anatomy_utils.functional.feed_forward import clipped_gate, feed_forward, gated_feed_forward, gelu_tanh, quick_gelu
from anatomy_utils.nn.feed_forward import FeedForward, GatedFeedForward


def test_by_hand():
    # ReLU lets 1 · 2 + 1 = 3 pass and stops 1 · (−2) + 1; then 3 · 5 + 7.
    one = torch.ones(1)
    got = feed_forward(one, torch.tensor([[2.0, -2.0]]), torch.ones(2), torch.tensor([[5.0], [9.0]]), 7 * one, F.relu)
    assert got.tolist() == [22.0]


def test_functions_are_the_modules():
    torch.manual_seed(0)
    states, plain, gated = normal(2, 3, 5), FeedForward(5, 11, activation=gelu_tanh), GatedFeedForward(5, 11)
    parts = (plain.expand.weight.T, plain.expand.bias, plain.contract.weight.T, plain.contract.bias)
    torch.testing.assert_close(feed_forward(states, *parts, gelu_tanh), plain(states))
    weights = (part.weight.T for part in (gated.gate, gated.expand, gated.contract))
    torch.testing.assert_close(gated_feed_forward(states, *weights, F.silu), gated(states))


def test_gelu_by_its_approximation():
    values = torch.linspace(-5, 5, 101)
    wanted = 0.5 * values * (1 + (math.sqrt(2 / math.pi) * (values + 0.044715 * values**3)).tanh())
    torch.testing.assert_close(gelu_tanh(values), wanted)
    assert 1e-4 < (gelu_tanh(values) - F.gelu(values)).abs().max() < 1e-3
    assert 0.02 < (quick_gelu(values) - F.gelu(values)).abs().max() < 0.021


def test_a_clipped_gate_by_hand():
    gate, expanded = torch.tensor([9.0, -9.0, 1.0]), torch.tensor([9.0, -9.0, 2.0])
    got = clipped_gate(gate, expanded, slope=1.0, limit=3.0)
    sigmoid = [1 / (1 + math.exp(-value)) for value in (3, -9, 1)]  # a gate has no lower limit
    torch.testing.assert_close(got, torch.tensor([3 * sigmoid[0] * 4, -9 * sigmoid[1] * -2, sigmoid[2] * 3]))
