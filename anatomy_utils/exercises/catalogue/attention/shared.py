"""Dot products, and attention with any factor in place of 1/√d_head: what several exercises' mistakes are made of."""

from __future__ import annotations

from torch import Tensor


def attend(
    query: Tensor, key: Tensor, value: Tensor, factor: float, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """(context, weights) with scores of `factor` times the dot products; where `mask` is False, no weight."""
    scores = dots(query, key) * factor
    weights = scores.softmax(-1) if mask is None else scores.masked_fill(~mask, -1e9).softmax(-1) * mask
    return weights @ value, weights


def dots(query: Tensor, key: Tensor) -> Tensor:
    """Every query's dot product with every key."""
    return query @ key.transpose(-2, -1)
