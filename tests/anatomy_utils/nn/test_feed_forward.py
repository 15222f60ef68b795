"""The feed-forward networks, written out with their own weights."""

import torch
from random_tensors import normal
from torch.nn import functional as F

from anatomy_utils.nn.feed_forward import FeedForward, GatedFeedForward


def test_feed_forward_treats_positions_alike():
    torch.manual_seed(0)
    feed_forward = FeedForward(5, 11)
    hidden_states = normal(2, 3, 5)
    by_hand = feed_forward.contract(feed_forward.expand(hidden_states[1, 2]).clamp(min=0))
    torch.testing.assert_close(feed_forward(hidden_states)[1, 2], by_hand)


def test_gated_feed_forward_by_hand():
    torch.manual_seed(0)
    gated = GatedFeedForward(5, 11)
    vector = normal(1, 1, 5)
    hidden = F.silu(vector @ gated.gate.weight.T) * (vector @ gated.expand.weight.T)
    torch.testing.assert_close(gated(vector), hidden @ gated.contract.weight.T)
