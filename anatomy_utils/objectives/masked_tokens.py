"""Masked words: the input and the labels with which an encoder is pretrained.

Some words are chosen; most of them are hidden, and the model must say what stood there. Notebooks 04 and 07 teach it.
Devlin et al. 2019, section 3.1 (arXiv:1810.04805). Published models disagree: BERT hid the same words each time it read
a text, RoBERTa draws anew; both choose 15 %, ModernBERT 30 %.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from anatomy_utils.training.losses import IGNORE


class MaskedWords(NamedTuple):
    """What the model reads, and what it should answer where a word was chosen."""

    masked_ids: Int[Tensor, "batch position"]
    labels: Int[Tensor, "batch position"]


class Chances(NamedTuple):
    """What `mask_words` leaves to chance."""

    choice: Float[Tensor, "batch position"]
    action: Float[Tensor, "batch position"]
    random_ids: Int[Tensor, "batch position"]


def draw_chances(
    shape: torch.Size | tuple[int, int], candidates: Int[Tensor, " candidate"], generator: torch.Generator
) -> Chances:
    """The numbers that decide which words are chosen and what becomes of them.

    Args:
        shape: (batch, position) of the texts.
        candidates: the ids that an exchanged word may become; BERT takes its whole vocabulary.
        generator: the source of chance.
    """
    choice, action = torch.rand(2, *shape, generator=generator)
    return Chances(choice, action, candidates[torch.randint(len(candidates), shape, generator=generator)])


def mask_words(
    input_ids: Int[Tensor, "batch position"],
    attention_mask: Int[Tensor, "batch position"],
    choice: Float[Tensor, "batch position"],
    action: Float[Tensor, "batch position"],
    random_ids: Int[Tensor, "batch position"],
    mask_id: int,
    *,
    rate: float | int = 0.15,
) -> MaskedWords:
    """Choose 15 % of the real words; of these hide 80 %, exchange 10 %, and leave 10 % as they are.

    Args:
        input_ids: the text.
        attention_mask: 1 = real word, 0 = padding, which is never chosen; write 0 for other tokens to be spared too.
        choice: random numbers from 0 to 1; a word is chosen where its number is below `rate`.
        action: random numbers from 0 to 1; a chosen word is hidden below 0.8, exchanged from there to below 0.9.
        random_ids: what to exchange it for.
        mask_id: the id of the token that stands for a hidden word.
        rate: the share of words to choose, from 0 to 1.

    >>> ids, row = torch.tensor([[5, 6, 7, 8]]), lambda *numbers: torch.tensor([numbers])
    >>> masked = mask_words(ids, row(1, 1, 1, 1), row(0.1, 0.1, 0.1, 0.9), row(0.1, 0.85, 0.95, 0.1), ids + 20, 99)
    >>> masked.masked_ids.tolist(), masked.labels.tolist()
    ([[99, 26, 7, 8]], [[5, 6, 7, -100]])
    """
    chosen = (choice < rate) & (attention_mask == 1)
    masked_ids = input_ids.masked_fill(chosen & (action < 0.8), mask_id)
    exchanged = chosen & (action >= 0.8) & (action < 0.9)
    return MaskedWords(torch.where(exchanged, random_ids, masked_ids), input_ids.masked_fill(~chosen, IGNORE))
