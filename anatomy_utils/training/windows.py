"""Batches from one long text: windows that begin anywhere, with the next tokens as labels.

What a decoder is trained on when its corpus is a single row of ids, as in GPT-2. Notebook 10 teaches it.
"""

from __future__ import annotations

import torch
from jaxtyping import Int
from torch import Tensor


def random_windows(
    ids: Int[Tensor, " token"], batch_size: int, length: int, generator: torch.Generator
) -> tuple[Int[Tensor, "batch position"], Int[Tensor, "batch position"]]:
    """Windows of a text, each begun at a place of its own; every place is equally likely.

    Args:
        ids: the whole text.
        batch_size: how many windows, at least 1; the same one may come twice.
        length: of a window, at least 1 and shorter than the text.
        generator: where the randomness comes from; equal states give equal batches.

    Returns:
        The inputs, and the labels: at each position the token that follows it in the text.

    Raises:
        ValueError: the text is too short for a window and the token after it, or a size is below 1.

    >>> inputs, labels = random_windows(torch.tensor([5, 6, 7]), 1, 2, torch.Generator().manual_seed(0))
    >>> inputs.tolist(), labels.tolist()
    ([[5, 6]], [[6, 7]])
    """
    for name, size in (("batch_size", batch_size), ("length", length)):
        if size < 1:
            raise ValueError(f"{name} is {size}, but it must be at least 1.")
    places = len(ids) - length
    if places < 1:
        raise ValueError(
            f"The text has {len(ids)} tokens, but a window of {length} and the token after it need {length + 1}; "
            "give a longer text or shorter windows."
        )
    starts = torch.randint(places, (batch_size, 1), generator=generator, device=generator.device).to(ids.device)
    positions = starts + torch.arange(length, device=ids.device)
    return ids[positions], ids[positions + 1]
