"""Tables of several widths: by hand at the entrance, against torch at the exit."""

import pytest
import torch
from torch import nn

from anatomy_utils.nn.adaptive_softmax import AdaptiveSoftmax, AdaptiveTokens

CLOSE = {"atol": 1e-5, "rtol": 1e-5}


def test_tables_by_hand():
    """Two words with rows of two numbers, three with rows of one; each projection is written out."""
    tokens = AdaptiveTokens(5, 3, cutoffs=[2], d_table=2, divisor=2)
    with torch.no_grad():
        tokens.tables[0].weight.copy_(torch.tensor([[1.0, 0.0], [0.0, 1.0]]))
        tokens.tables[1].weight.copy_(torch.tensor([[1.0], [2.0], [3.0]]))
        tokens.projections[0].weight.copy_(torch.tensor([[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]))
        tokens.projections[1].weight.copy_(torch.tensor([[7.0], [8.0], [9.0]]))
    assert tokens(torch.tensor([[1, 4]])).tolist() == [[[4, 5, 6], [21, 24, 27]]]
    with pytest.raises(ValueError, match="from 0 to 5, but this vocabulary's ids run from 0 to 4"):
        tokens(torch.tensor([[0, 5]]))


def test_adaptive_softmax_equals_torchs():
    torch.manual_seed(0)
    head = AdaptiveSoftmax(AdaptiveTokens(29, 12, cutoffs=[7, 16], d_table=12, divisor=2), [True, False, True])
    theirs = nn.AdaptiveLogSoftmaxWithLoss(12, 29, [7, 16], div_value=2.0)  # it has no biases
    with torch.no_grad():
        for words in head.words:
            words.bias.zero_()
        head.clusters.bias.zero_()
        head.projections[0].weight.copy_(torch.eye(12))
        theirs.head.weight.copy_(torch.cat([head.words[0].weight, head.clusters.weight]))
        for i, (narrow, words) in enumerate(theirs.tail, 1):
            narrow.weight.copy_(head.projections[i].weight.T)
            words.weight.copy_(head.words[i].weight)
        states = torch.randn(2, 5, 12)
        got = head(states)
        torch.testing.assert_close(got.flatten(0, 1), theirs.log_prob(states.flatten(0, 1)), **CLOSE)
        torch.testing.assert_close(got.exp().sum(-1), torch.ones(2, 5))
