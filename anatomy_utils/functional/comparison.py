"""Comparing runs: where two models differ first, and how far an output moves when a word is hidden.

Notebook 09 teaches the first, notebook 07 the second.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor


def first_difference(
    yours: Float[Tensor, "layer batch position d_model"],
    original: Float[Tensor, "layer batch position d_model"],
    attention_mask: Int[Tensor, "batch position"],
    tolerance: float | int,
) -> Int[Tensor, ""]:
    """The first layer in which two runs of a model differ.

    A difference travels upwards, so layers above the first one say where it went, not where it came from. That is how
    implementations are compared with published ones: layer by layer, from below.

    Args:
        yours, original: hidden states behind each layer, the lowest first.
        attention_mask: 1 = real token, 0 = padding; what stands there has no meaning.
        tolerance: how far a single number may be off.

    Returns:
        The layer's number, counted from 0; −1 when no number of a real position is further off. NaN always is.

    >>> original = torch.zeros(3, 1, 2, 1)  # three layers, a text of one word and one padding token
    >>> yours = torch.tensor([[0.0, 9.0], [-0.5, 9.0], [2.0, 9.0]])[:, None, :, None]
    >>> first_difference(yours, original, torch.tensor([[1, 0]]), 0.1).item()
    1
    """
    agrees = (yours - original).abs() <= tolerance  # not `>`: NaN compares as False with everything
    rejected = ~agrees.all(dim=-1) & (attention_mask == 1)  # layer batch position
    layers = rejected.flatten(1).any(dim=1).nonzero()[:, 0]
    return layers[0] if len(layers) else torch.tensor(-1)


def leave_one_out(
    read: Callable[[Int[Tensor, "text position"]], Float[Tensor, "text d_output"]], length: int
) -> Float[Tensor, " position"]:
    """How far the output moves when one position is hidden, for each position.

    Ablation, as Zeiler and Fergus 2014 did it for parts of a picture (arXiv:1311.2901) and Li, Monroe and Jurafsky 2016
    for words (arXiv:1612.08220). It asks what attention weights do not say: whether a word mattered.

    Args:
        read: (attention_mask) → one output for each of its rows: the same text with those positions hidden that are 0.
        length: of the text.

    Returns:
        The distance (Euclidean) from the output that has seen the whole text.

    >>> sums = lambda mask: mask @ torch.tensor([[0.0, 5.0], [0.0, 0.0], [3.0, 4.0]])  # a bag of three vectors
    >>> leave_one_out(lambda mask: sums(mask.float()), 3).tolist()
    [5.0, 0.0, 5.0]
    """
    whole, without = torch.ones(1, length, dtype=torch.long), 1 - torch.eye(length, dtype=torch.long)
    return torch.linalg.vector_norm(read(without) - read(whole), dim=-1)
