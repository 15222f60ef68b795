"""What sharing key/value heads saves: parameters, and the bytes that a decoder keeps of each position.

Multi-head attention has a key/value head for every query head; in grouped-query attention several query heads share
one (Ainslie et al. 2023, arXiv:2305.13245), in multi-query attention all of them do (Shazeer 2019, arXiv:1911.02150).
Notebook 02 counts, notebook 04 uses the cache.
"""

from __future__ import annotations

from typing import NamedTuple

import torch

from anatomy_utils.attention import MultiHeadAttention


class Sharing(NamedTuple):
    """One attention module's heads and what they cost."""

    num_heads: int
    num_kv_heads: int
    parameters: int
    """Of the four projections."""
    cache_bytes: int
    """Keys and values of all positions, in one layer."""


def sharing(attention: MultiHeadAttention, positions: int = 1) -> Sharing:
    """Count a real module's parameters, and the keys and values that it makes of so many positions.

    Raises:
        ValueError: positions is not at least 1.

    >>> sharing(MultiHeadAttention(8, 4, num_kv_heads=1, bias=False), positions=10)  # keys and values 2 wide, 4 bytes
    Sharing(num_heads=4, num_kv_heads=1, parameters=160, cache_bytes=160)
    """
    if positions < 1:
        raise ValueError(f"positions={positions} was given; a cache holds at least 1 position.")
    weight = attention.to_key.weight
    with torch.no_grad():
        made = attention.remember(weight.new_zeros(1, positions, weight.shape[1]))
    return Sharing(
        num_heads=attention.num_heads,
        num_kv_heads=attention.num_kv_heads,
        parameters=sum(parameter.numel() for parameter in attention.parameters()),
        cache_bytes=sum(part.numel() * part.element_size() for part in made),
    )
