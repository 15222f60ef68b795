"""Spans: from two scores per word, how well it begins the answer and how well it ends it, to the answer itself.

The last step of question answering; `heads.SpanHead` gives the scores. Notebook 04 teaches it.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor


class Spans(NamedTuple):
    """Where each answer begins and ends, its last word included."""

    start: Int[Tensor, " batch"]
    end: Int[Tensor, " batch"]


def best_span(
    start_scores: Float[Tensor, "batch position"], end_scores: Float[Tensor, "batch position"], max_length: int
) -> Spans:
    """The pair of words with the largest sum of scores among those that are a span: end ≥ start, and not too long.

    Devlin et al. 2019, section 4.2 (arXiv:1810.04805). The best start and the best end alone may be no span at all.

    Args:
        start_scores: how well each word begins the answer; −∞ where it cannot.
        end_scores: how well each word ends it.
        max_length: the most words that an answer may have.

    Raises:
        ValueError: `max_length` is below 1: no span is that short.

    >>> start, end = torch.tensor([[0.0, 1.0, 9.0]]), torch.tensor([[8.0, 3.0, 2.0]])
    >>> [int(place) for place in best_span(start, end, max_length=2)]  # 9 + 2, although 9 + 8 is more
    [2, 2]
    """
    if max_length < 1:
        raise ValueError(f"max_length is {max_length}, but a span has at least 1 word.")
    sums = start_scores[:, :, None] + end_scores[:, None, :]  # batch start end
    length = sums.shape[-1]
    legal = torch.ones(length, length, dtype=torch.bool, device=sums.device).triu().tril(max_length - 1)
    best = sums.masked_fill(~legal, float("-inf")).flatten(1).argmax(dim=1)
    return Spans(best // length, best % length)
