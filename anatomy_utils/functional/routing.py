"""Which experts a token passes through, and how much each of their answers counts.

A mixture of experts scores all of them for each token and keeps the best few; `nn.experts` has the modules. Published
checkpoints disagree on the scores (softmax over all, or a sigmoid each), on whether the shares of the kept ones sum to
1, and on what keeps experts equally busy.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor


class Routes(NamedTuple):
    """The experts of each token, and the share of each in what comes out."""

    experts: Int[Tensor, "*batch chosen"]
    shares: Float[Tensor, "*batch chosen"]


def route(logits: Float[Tensor, "*batch experts"], per_token: int, *, normalized: bool = True) -> Routes:
    """The experts with the highest scores; their shares are the softmax over all experts.

    Shazeer et al. 2017, section 2.1 (arXiv:1701.06538); Jiang et al. 2024, section 2.1 (arXiv:2401.04088). Normalized,
    this is the softmax over the chosen ones alone, as gpt-oss computes it.

    Args:
        logits: how well each expert fits each token.
        per_token: how many are chosen, at most as many as there are.
        normalized: divide the shares by their sum.

    Returns:
        The chosen, best first; their shares are above 0, and sum to 1 if normalized.

    >>> route(torch.tensor([0.0, 2.0, 1.0]).log(), per_token=2).shares.mul(6).round().tolist()  # 2 and 1 of 3
    [4.0, 2.0]
    """
    shares, experts = logits.softmax(dim=-1).topk(per_token, dim=-1)
    return Routes(experts, shares / shares.sum(dim=-1, keepdim=True) if normalized else shares)


def route_within_groups(
    logits: Float[Tensor, "*batch experts"],
    correction: Float[Tensor, " experts"],
    per_token: int,
    *,
    num_groups: int,
    groups_per_token: int,
    normalized: bool = True,
) -> Routes:
    """The best groups of experts first, then the best experts of these; each expert has a sigmoid of its own.

    DeepSeek-AI 2024, section 2.1.2 (arXiv:2412.19437). A group is as good as its two best experts. The correction only
    helps to choose: it is raised for experts that are idle, which balances them without a term in the loss.

    Args:
        logits: how well each expert fits each token.
        correction: added to the scores where they are compared, not where shares are read.
        per_token: how many experts are chosen.
        num_groups: neighbors form a group; this many groups of equal size, of at least two experts.
        groups_per_token: from how many groups they come.
        normalized: divide the shares by their sum.

    >>> routes = route_within_groups(torch.tensor([9.0, -9.0, 1.0, 1.0]), torch.zeros(4), 1, num_groups=2, groups_per_token=1)
    >>> routes.experts.tolist()  # the best expert is alone in its group
    [2]
    """  # noqa: E501 - the call is one line
    scores = logits.sigmoid()
    compared = (scores + correction).unflatten(-1, (num_groups, -1))  # … group expert
    best = compared.topk(2, dim=-1).values.sum(dim=-1).topk(groups_per_token, dim=-1).indices
    kept = torch.zeros_like(compared[..., 0], dtype=torch.bool).scatter(-1, best, value=True)
    experts = compared.masked_fill(~kept[..., None], -torch.inf).flatten(-2).topk(per_token, dim=-1).indices
    shares = scores.gather(-1, experts)
    return Routes(experts, shares / (shares.sum(dim=-1, keepdim=True) + 1e-20) if normalized else shares)
