"""Teacher forcing: while training, a decoder reads the right tokens so far, not its own guesses.

All positions are then trained at once: what goes in is the text shifted by one against what should come out. Notebook
05 teaches it for a decoder by itself (inputs are the text without its last token), notebook 06 for an encoder–decoder
(a start token goes in front). Checkpoints disagree on the start token: T5 starts with its padding id, BART with its
stop token.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from anatomy_utils.training.losses import IGNORE


def labels_of(
    input_ids: Int[Tensor, "batch position"],
    attention_mask: Int[Tensor, "batch position"] | Bool[Tensor, "batch position"] | None = None,
) -> Int[Tensor, "batch position"]:
    """The ids as labels: padding does not count.

    Args:
        input_ids: the texts.
        attention_mask: 1 = real token, 0 = padding; all real when left out.

    Returns:
        The ids, with `IGNORE` in place of padding.

    >>> labels_of(torch.tensor([[5, 6, 0]]), torch.tensor([[1, 1, 0]])).tolist()
    [[5, 6, -100]]
    """
    return input_ids if attention_mask is None else input_ids.masked_fill(~attention_mask.bool(), IGNORE)


def next_token_pair(
    input_ids: Int[Tensor, "batch position"],
    attention_mask: Int[Tensor, "batch position"] | Bool[Tensor, "batch position"] | None = None,
) -> tuple[Int[Tensor, "batch shorter"], Int[Tensor, "batch shorter"]]:
    """What a decoder by itself reads, and what it should say at each position: the token that follows.

    Args:
        input_ids: the texts, at least two positions.
        attention_mask: 1 = real token, 0 = padding; all real when left out.

    Returns:
        The texts without their last position, and without their first one as labels.

    Raises:
        ValueError: there is no next token.

    >>> inputs, labels = next_token_pair(torch.tensor([[5, 6, 7]]))
    >>> inputs.tolist(), labels.tolist()
    ([[5, 6]], [[6, 7]])
    """
    if input_ids.shape[1] < 2:
        raise ValueError(f"Texts of {input_ids.shape[1]} positions have no next token to learn; give at least 2.")
    return input_ids[:, :-1], labels_of(input_ids, attention_mask)[:, 1:]


def shift_right(labels: Int[Tensor, "batch position"], start_id: int, pad_id: int = 0) -> Int[Tensor, "batch position"]:
    """What the decoder of an encoder–decoder reads, when `labels` are what it should say.

    Vaswani et al. 2017, section 3.1 (arXiv:1706.03762): "shifted right".

    Args:
        labels: the right tokens, their stop token at the end; `IGNORE` stands for padding.
        start_id: the token that the decoder starts with.
        pad_id: what to read in place of `IGNORE`; the loss does not count what comes of it.

    Returns:
        The start token and all but the last of the labels.

    >>> shift_right(torch.tensor([[5, 6, 1], [7, 1, IGNORE]]), start_id=2).tolist()
    [[2, 5, 6], [2, 7, 1]]
    """
    shifted = labels.roll(1, dims=1)
    shifted[:, 0] = start_id
    return shifted.masked_fill(shifted == IGNORE, pad_id)


class Twice(NamedTuple):
    """A batch in which each text stands twice, and only the second time something is asked."""

    input_ids: Int[Tensor, "batch twice"]
    attention_mask: Int[Tensor, "batch twice"]
    labels: Int[Tensor, "batch twice"]


def read_twice(
    input_ids: Int[Tensor, "batch position"],
    attention_mask: Int[Tensor, "batch position"],
    labels: Int[Tensor, "batch position"],
) -> Twice:
    """Give a causal model each text twice, and ask for the labels the second time, when it knows how the text ends.

    Springer et al. 2024 (arXiv:2402.15449) make sentence vectors so.

    Args:
        input_ids: texts, padded at the end.
        attention_mask: 1 = real token, 0 = padding.
        labels: one for each token, `IGNORE` where nothing is asked.

    >>> [part.tolist() for part in read_twice(*(torch.tensor([row]) for row in ([5, 6], [1, 1], [3, 4])))]
    [[[5, 6, 5, 6]], [[1, 1, 1, 1]], [[-100, -100, 3, 4]]]
    """
    return Twice(
        torch.cat([input_ids, input_ids], dim=1),
        torch.cat([attention_mask, attention_mask], dim=1),
        torch.cat([torch.full_like(labels, IGNORE), labels], dim=1),
    )
