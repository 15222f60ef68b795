"""Whole words: a word that was cut into pieces is chosen with all of them, or not at all.

With "tur ##tle" cut in two, a hidden "##tle" after "tur" is too easy. The pieces share one random number of *choice*;
what becomes of each is still its own draw. Devlin et al. released such a BERT in May 2019 (the README of
google-research/bert, "Whole Word Masking"). Notebook 07. On the street each word is one token and nothing changes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor

NO_WORD = -1
"""The number of a token that belongs to no word, such as [CLS]."""


def word_numbers(pieces: Sequence[str], special: Collection[str] = ("[CLS]", "[SEP]", "[PAD]")) -> list[int]:
    """Which word each piece of a WordPiece text belongs to; "##" continues the word before it.

    Args:
        pieces: as a WordPiece tokenizer cuts them.
        special: tokens that belong to no word.

    Returns:
        Numbers that count up from 0, `NO_WORD` for special tokens.

    >>> word_numbers(["[CLS]", "the", "tur", "##tle", ".", "[SEP]"])
    [-1, 0, 1, 1, 2, -1]
    """
    numbers: list[int] = []
    last = NO_WORD
    for piece in pieces:
        if piece in special:
            numbers.append(NO_WORD)
            continue
        continues = piece.startswith("##") and numbers and numbers[-1] != NO_WORD
        last += 0 if continues else 1
        numbers.append(last)
    return numbers


def share_in_words(
    numbers: Float[Tensor, "batch position"], word_ids: Int[Tensor, "batch position"]
) -> Float[Tensor, "batch position"]:
    """Give every piece of a word the number of its first piece.

    Args:
        numbers: random ones, for `mask_words`'s `choice`.
        word_ids: which word each token belongs to; neighbors with equal numbers are one word, `NO_WORD` is none.

    Returns:
        The numbers, equal within each word.

    >>> share_in_words(torch.tensor([[0.5, 0.1, 0.9, 0.3]]), torch.tensor([[-1, 0, 0, 1]]))
    tensor([[0.5000, 0.1000, 0.1000, 0.3000]])
    """
    begins = torch.ones_like(word_ids, dtype=torch.bool)
    begins[:, 1:] = (word_ids[:, 1:] != word_ids[:, :-1]) | (word_ids[:, 1:] == NO_WORD)
    places = torch.arange(word_ids.shape[1], device=word_ids.device)
    first_piece = torch.where(begins, places, 0).cummax(dim=1).values
    return numbers.gather(1, first_piece)
