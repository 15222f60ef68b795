"""The gated delta rule: attention without softmax, whose past is one matrix that is corrected at every position.

Softmax attention compares a query with every key of its past. Here the past is summed up in a state, a matrix that
answers a key with a value: each position first asks what it would answer, then writes the difference to what it should.
Work and memory do not grow with the text, as in the recurrent networks at the root of the family tree;
`nn.delta_rule` has the module.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F


class Recalled(NamedTuple):
    """What each position reads from the state, and the state after the last."""

    context: Float[Tensor, "batch heads position d_value"]
    state: Float[Tensor, "batch heads d_key d_value"]


def gated_delta_rule(
    query: Float[Tensor, "batch heads position d_key"],
    key: Float[Tensor, "batch heads position d_key"],
    value: Float[Tensor, "batch heads position d_value"],
    keep: Float[Tensor, "batch heads position"],
    strength: Float[Tensor, "batch heads position"],
    state: Float[Tensor, "batch heads d_key d_value"],
) -> Recalled:
    """S ← α S; S ← S + β k (v − kᵀ S); what is read is qᵀ S. One position after the other.

    Yang, Kautz and Hatamizadeh 2024, section 3.1 (arXiv:2412.06464).

    Args:
        query: what each position asks the state for.
        key: under what each position writes, of length 1.
        value: what the state should answer to that key.
        keep: α, how much of the state is left before a position writes, from 0 to 1.
        strength: β, how much of the difference is written, from 0 to 1.
        state: S before the first position; zeros where there is no past.

    >>> one, key = torch.ones(1, 1, 2), torch.tensor([[[[1.0, 0.0], [1.0, 0.0]]]])
    >>> recalled = gated_delta_rule(key, key, torch.tensor([[[[3.0], [5.0]]]]), one, one, torch.zeros(1, 1, 2, 1))
    >>> recalled.context.flatten().tolist(), recalled.state.flatten().tolist()  # the second is written over the first
    ([3.0, 5.0], [5.0, 0.0])
    """
    read = []
    for position in range(query.shape[2]):
        now = slice(position, position + 1)
        state = state * keep[:, :, now, None]
        error = value[:, :, now] - key[:, :, now] @ state
        state = state + key[:, :, now].mT @ (error * strength[:, :, now, None])
        read.append(query[:, :, now] @ state)
    return Recalled(torch.cat(read, dim=2), state)


def causal_convolution(
    vectors: Float[Tensor, "batch past_and_new channels"], weight: Float[Tensor, "channels width"]
) -> Float[Tensor, "batch new channels"]:
    """Each channel mixed with itself at the last positions: Σ_j weight_j x_{t − width + 1 + j}.

    Args:
        vectors: width − 1 positions of the past, zeros where there is none, then the new ones.
        weight: of each channel, the oldest position first.

    >>> vectors = torch.tensor([[[0.0], [1.0], [2.0], [3.0]]])
    >>> causal_convolution(vectors, torch.tensor([[10.0, 1.0]])).flatten().tolist()  # 10 · the one before + itself
    [1.0, 12.0, 23.0]
    """
    return F.conv1d(vectors.mT, weight[:, None], groups=len(weight)).mT
