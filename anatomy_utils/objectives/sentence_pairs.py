"""Sentence pairs: does the second text follow the first one (BERT), or have the two been swapped (ALBERT)?

BERT's second text came from elsewhere half of the time, so its topic gave it away; RoBERTa found the question useless,
ALBERT asked for the order instead. Devlin et al. 2019, section 3.1 (arXiv:1810.04805); Liu et al. 2019, section 4.2
(arXiv:1907.11692); Lan et al. 2020, section 3.1 (arXiv:1909.11942). "Sentence" means a stretch of text, of any length.
Notebook 07. The answer is read off the first token.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor


class SentencePair(NamedTuple):
    """Two texts in one input, and which of the two each token belongs to: 0 or 1."""

    input_ids: Int[Tensor, " position"]
    segment_ids: Int[Tensor, " position"]


class LabeledPair(NamedTuple):
    """A pair and the right answer about it: 0 = as they stood in the text, 1 = not so."""

    input_ids: Int[Tensor, " position"]
    segment_ids: Int[Tensor, " position"]
    label: int


def join_pair(
    first: Int[Tensor, " first"], second: Int[Tensor, " second"], begin_id: int, separator_id: int
) -> SentencePair:
    """[CLS] first [SEP] second [SEP]: one text of two segments.

    Args:
        first: ids of one text.
        second: ids of another.
        begin_id: [CLS]; on the street <bos>. It belongs to the first segment.
        separator_id: [SEP], once after each text, and of its segment.

    >>> pair = join_pair(torch.tensor([5, 6]), torch.tensor([7]), begin_id=1, separator_id=4)
    >>> pair.input_ids.tolist(), pair.segment_ids.tolist()
    ([1, 5, 6, 4, 7, 4], [0, 0, 0, 0, 1, 1])
    """
    begin, separator = first.new_tensor([begin_id]), first.new_tensor([separator_id])
    input_ids = torch.cat([begin, first, separator, second, separator])
    segment_ids = (torch.arange(len(input_ids), device=first.device) >= len(first) + 2).long()
    return SentencePair(input_ids, segment_ids)


def next_sentence(
    first: Int[Tensor, " first"],
    following: Int[Tensor, " following"],
    other: Int[Tensor, " other"],
    takes_other: bool,
    begin_id: int,
    separator_id: int,
) -> LabeledPair:
    """BERT's question: does the second text follow the first one in the source?

    Args:
        first: ids of a text.
        following: what comes after it.
        other: a text from elsewhere.
        takes_other: whether `other` takes the place of `following`; BERT tosses a coin.
        begin_id: see `join_pair`.
        separator_id: see `join_pair`.

    Returns:
        The pair; label 0 = it follows, 1 = it comes from elsewhere (as in Google's and Hugging Face's code).
    """
    return LabeledPair(*join_pair(first, other if takes_other else following, begin_id, separator_id), int(takes_other))


def sentence_order(
    first: Int[Tensor, " first"], second: Int[Tensor, " second"], swapped: bool, begin_id: int, separator_id: int
) -> LabeledPair:
    """ALBERT's question: do the two texts stand in their order? Both come from one place, so the topic says nothing.

    Args:
        first: ids of a text.
        second: what comes after it.
        swapped: whether to put the second in front; ALBERT tosses a coin.
        begin_id: see `join_pair`.
        separator_id: see `join_pair`.

    Returns:
        The pair; label 0 = in order, 1 = swapped.

    >>> pair = sentence_order(torch.tensor([5, 6]), torch.tensor([7]), swapped=True, begin_id=1, separator_id=4)
    >>> pair.input_ids.tolist(), pair.label
    ([1, 7, 4, 5, 6, 4], 1)
    """
    one, other = (second, first) if swapped else (first, second)
    return LabeledPair(*join_pair(one, other, begin_id, separator_id), int(swapped))
