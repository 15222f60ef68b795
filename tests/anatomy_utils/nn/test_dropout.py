"""Dropout of a module: torch's while it trains, nothing afterwards, and nothing at all where there is none."""

import torch
from torch.nn import functional as F

from anatomy_utils.nn.dropout import dropout_or_nothing, identity


def test_features_are_dropped_only_while_training():
    dropout, ones = dropout_or_nothing(0.3), torch.ones(7, 11)
    torch.manual_seed(0)
    dropped = dropout(ones)
    torch.manual_seed(0)
    assert torch.equal(dropped, F.dropout(ones, 0.3))
    assert sorted(dropped.unique().tolist()) == sorted([0.0, (ones[0, 0] / 0.7).item()])
    assert torch.equal(dropout.eval()(ones), ones)


def test_without_a_probability_there_is_no_module():
    ones = torch.ones(3)
    assert dropout_or_nothing(0.0) is identity and identity(ones) is ones
