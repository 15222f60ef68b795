"""Masks: which query may attend to which key.

A mask is boolean and **True means "may attend"**, as in torch's `scaled_dot_product_attention`; many published codes
use the opposite. Its axes are `batch heads query key`, and an axis of size 1 stands for "the same for all".

Notebook 01 teaches padding and causal masks.
"""

from __future__ import annotations

import torch
from jaxtyping import Bool, Int, Shaped
from torch import Tensor

Mask = Shaped[Tensor, "..."]
"""Broadcast to batch, heads, query, key: boolean (True = may attend), or numbers added to the scores (−∞ forbids)."""


def causal(length: int, *, device: torch.device | str | None = None) -> Bool[Tensor, "query key"]:
    """Each position may attend to itself and to what came before it.

    Vaswani et al. 2017, section 3.2.3 (arXiv:1706.03762).

    Args:
        length: the number of positions, at least 0.
        device: where the mask should live.

    Returns:
        A lower triangle of True.

    >>> causal(3).int().tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    """
    if length < 0:
        raise ValueError(f"A causal mask needs a length of 0 or more, not {length}.")
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()


def padding(
    attention_mask: Int[Tensor, "batch key"] | Bool[Tensor, "batch key"],
) -> Bool[Tensor, "batch 1 1 key"]:
    """Nobody may attend to a position that only fills the batch up.

    Args:
        attention_mask: 1 (or True) for a real token, 0 (or False) for padding.

    Returns:
        The same knowledge as a mask for every head and every query.

    Raises:
        ValueError: `attention_mask` holds anything but 0 and 1.

    >>> padding(torch.tensor([[1, 1, 0]])).int().tolist()
    [[[[1, 1, 0]]]]
    """
    if attention_mask.dtype != torch.bool and ((attention_mask != 0) & (attention_mask != 1)).any():
        raise ValueError(
            "attention_mask may hold only 1 (a real token) and 0 (padding); "
            f"it holds {attention_mask.min().item()} to {attention_mask.max().item()}."
        )
    return attention_mask.bool()[:, None, None, :]


def combine(*masks: Mask | None) -> Bool[Tensor, "..."] | None:
    """May attend only where every given mask agrees; `None` stands for "no restriction".

    Returns:
        The masks joined by "and", broadcast against each other, or None when all are None.

    Raises:
        ValueError: a mask is not boolean.

    >>> combine(causal(2), None, torch.tensor([[True, True], [False, True]])).int().tolist()
    [[1, 0], [0, 1]]
    """
    joined: Tensor | None = None
    for mask in masks:
        if mask is None:
            continue
        if mask.dtype != torch.bool:
            raise ValueError(f"Only boolean masks can be combined, not {mask.dtype}: True means 'may attend'.")
        joined = mask if joined is None else joined & mask
    return joined
