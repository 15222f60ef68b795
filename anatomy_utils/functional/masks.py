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


def local(length: int, reach: int, *, device: torch.device | str | None = None) -> Bool[Tensor, "query key"]:
    """Each position may attend to itself and to its neighbors on both sides.

    Beltagy et al. 2020, section 3.1 (arXiv:2004.05150).

    Args:
        length: the number of positions, at least 0.
        reach: the farthest neighbor, at least 0; a window of 128 reaches 64 to either side.
        device: where the mask should live.

    Returns:
        A band of True along the diagonal, 2 · reach + 1 wide.

    >>> local(4, 1).int().tolist()
    [[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1]]
    """
    if length < 0 or reach < 0:
        raise ValueError(f"A local mask needs a length and a reach of 0 or more, not {length} and {reach}.")
    return torch.ones(length, length, dtype=torch.bool, device=device).triu(-reach).tril(reach)


def local_causal(
    length: int, window: int, *, queries: int | None = None, device: torch.device | str | None = None
) -> Bool[Tensor, "query key"]:
    """Each position may attend to itself and to the nearest ones before it.

    Beltagy et al. 2020, section 3.1 (arXiv:2004.05150); Jiang et al. 2023, section 2 (arXiv:2310.06825).

    Args:
        length: the number of positions, at least 0.
        window: how many positions each may attend to, itself included; at least 1.
        queries: how many of the last positions ask; all when left out.
        device: where the mask should live.

    Returns:
        A band of True along the diagonal and below it, `window` wide.

    >>> local_causal(4, 2).int().tolist()
    [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
    >>> local_causal(4, 2, queries=1).int().tolist()
    [[0, 0, 1, 1]]
    """
    if length < 0 or window < 1:
        raise ValueError(
            f"A local causal mask needs a length of 0 or more and a window of 1 or more, not {length} and {window}."
        )
    keys = torch.arange(length, device=device)
    asking = keys if queries is None else keys[length - queries :]
    back = asking[:, None] - keys  # how far behind its query each key is
    return (back >= 0) & (back < window)


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


def additive(numbers: Shaped[Tensor, "..."], mask: Mask | None) -> Shaped[Tensor, "..."]:
    """Numbers to be added to the scores, with −∞ wherever `mask` forbids.

    >>> additive(torch.tensor([[1.0, 2.0]]), torch.tensor([[True, False]])).tolist()
    [[1.0, -inf]]
    """
    if mask is None:
        return numbers
    return numbers.masked_fill(~mask, -torch.inf) if mask.dtype == torch.bool else numbers + mask


def padding_at_head(attention_mask: Int[Tensor, "batch position"]) -> Int[Tensor, " batch"] | None:
    """How many positions at the head of each row are padding; None when there is none.

    Texts that are to be continued are padded at the head, so that all of them end at the same place.

    Raises:
        ValueError: padding stands behind a real token, or a row holds nothing else.

    >>> padding_at_head(torch.tensor([[0, 0, 1], [1, 1, 1]])).tolist()
    [2, 0]
    """
    real = attention_mask.bool()
    if not real[:, -1].all() or (real[:, :-1] & ~real[:, 1:]).any():
        raise ValueError("Prompts of unequal length must be padded at the head (0 0 1 1), not at the end or between.")
    lacking = (~real).sum(dim=1)
    return lacking if lacking.any() else None


def check_input(input_ids: Int[Tensor, "batch position"], attention_mask: Tensor | None) -> None:
    """Raise one clear sentence when ids are no batch of texts, or there is not exactly one 0 or 1 per token."""
    if input_ids.dim() != 2:
        raise ValueError(
            f"input_ids has shape {tuple(input_ids.shape)}, but a batch of texts has two axes, (batch, position); "
            "for a single text give input_ids[None]."
        )
    if input_ids.is_floating_point():
        raise ValueError(f"input_ids are {input_ids.dtype}, but ids are whole numbers; give input_ids.long().")
    if attention_mask is not None and attention_mask.shape != input_ids.shape:
        raise ValueError(
            f"attention_mask has shape {tuple(attention_mask.shape)}, but input_ids has {tuple(input_ids.shape)}; "
            "give one 0 or 1 per token."
        )


def check_mask(mask: Mask, shape: tuple[int, ...] | torch.Size) -> None:
    """Raise one clear sentence when a mask is of the wrong type or cannot be broadcast to `shape`."""
    if mask.dtype != torch.bool and not mask.is_floating_point():
        raise ValueError(
            f"The mask holds {mask.dtype}, but it must be boolean (True = may attend) or floating point "
            "(added to the scores); write mask.bool() if 1 means 'may attend'."
        )
    aligned = (1,) * (len(shape) - mask.dim()) + tuple(mask.shape)
    if len(aligned) != len(shape) or any(
        given not in (1, wanted) for given, wanted in zip(aligned, shape, strict=True)
    ):
        raise ValueError(
            f"The mask has shape {tuple(mask.shape)}, which does not fit scores of shape {tuple(shape)} "
            "(… query key); an axis of size 1 stands for 'the same for all'."
        )


def and_causal(mask: Mask | None, length: int, device: torch.device) -> Mask:
    """What `mask` allows and lies not in the future.

    >>> and_causal(torch.tensor([True, True, False]), 3, torch.device("cpu")).int().tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 0]]
    """
    return restricted(mask, causal(length, device=device))


def restricted(mask: Mask | None, allowed: Bool[Tensor, "..."]) -> Mask:
    """What `mask` allows and `allowed` allows too; `mask` may be boolean or numbers added to the scores.

    >>> restricted(torch.tensor([0.5, 0.5]), torch.tensor([True, False])).tolist()
    [0.5, -inf]
    """
    if mask is None:
        return allowed
    return mask & allowed if mask.dtype == torch.bool else mask.masked_fill(~allowed, -torch.inf)


def real_positions(mask: Mask, count: int) -> Bool[Tensor, "*batch position"]:
    """Which of the last `count` positions may attend to themselves: all but padding.

    For layers that do not attend; the mask is the same for all heads.

    >>> real_positions(padding(torch.tensor([[0, 1, 1]])), 3).int().tolist()
    [[0, 1, 1]]
    """
    allowed = mask if mask.dtype == torch.bool else mask > -torch.inf
    square = allowed.expand(*mask.shape[:-2], count, mask.shape[-1])[..., -count:]
    own = square.diagonal(dim1=-2, dim2=-1)  # batch heads position, or position
    return own[:, 0] if own.dim() > 1 else own


def causal_with_past(past: int, new: int) -> Bool[Tensor, "new total"]:
    """What each of `new` positions that stand behind `past` others may attend to: those, itself, and what is between.

    With no past it is the causal mask.

    >>> causal_with_past(2, 2).int().tolist()
    [[1, 1, 1, 0], [1, 1, 1, 1]]
    """
    return torch.ones(new, past + new, dtype=torch.bool).tril(past)
