"""A layer's parts with several tensors going in or coming out: what cases give to an answer."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from anatomy_utils import masks
from anatomy_utils.attention import scaled_dot_product_attention


@dataclass(frozen=True)
class Projections:
    """States → query, key and value of all heads.

    Args:
        weights: (3, heads, d_model, d_head).
    """

    weights: Tensor

    def __call__(self, states: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        query, key, value = (states[:, None] @ weight for weight in self.weights)
        return query, key, value

    def __repr__(self) -> str:
        return "three projections"


@dataclass(frozen=True)
class CausalAttention:
    """(query, key, value) → context, each position from itself and those before it."""

    def __call__(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return scaled_dot_product_attention(query, key, value, masks.causal(query.shape[-2])).context

    def __repr__(self) -> str:
        return "causal attention"


def merged(context: Tensor) -> Tensor:
    """(batch, heads, position, d_head) → (batch, position, heads · d_head)."""
    return torch.cat(context.unbind(1), dim=-1)
