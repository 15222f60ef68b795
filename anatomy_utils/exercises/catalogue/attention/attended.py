"""Dot products, and attention with any factor in place of 1/√d_head: what several exercises' mistakes are made of."""

from __future__ import annotations

from torch import Tensor


def attend(query: Tensor, key: Tensor, value: Tensor, factor: float) -> tuple[Tensor, Tensor]:
    """(context, weights) with scores of `factor` times the dot products."""
    weights = (dots(query, key) * factor).softmax(-1)
    return weights @ value, weights


def dots(query: Tensor, key: Tensor) -> Tensor:
    """Every query's dot product with every key."""
    return query @ key.transpose(-2, -1)
