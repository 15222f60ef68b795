"""Replaced tokens: a small generator puts other words in, and the model says of *every* token whether it is real.

Each position teaches, not only the 15 % that were chosen. Clark et al. 2020, section 2 (arXiv:2003.10555). Where the
generator happens to put the right word back, that word counts as real. Notebook 07.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from anatomy_utils.training.losses import IGNORE


class ReplacedTokens(NamedTuple):
    """What the model reads, and of each token whether it was replaced: 1 = yes, 0 = no, `IGNORE` on padding."""

    replaced_ids: Int[Tensor, "batch position"]
    labels: Int[Tensor, "batch position"]


def replace_tokens(
    input_ids: Int[Tensor, "batch position"],
    attention_mask: Int[Tensor, "batch position"],
    chosen: Bool[Tensor, "batch position"],
    samples: Int[Tensor, "batch position"],
) -> ReplacedTokens:
    """Put the generator's words in where tokens were chosen, and label what really changed.

    Args:
        input_ids: the text.
        attention_mask: 1 = real token, 0 = padding, which is neither replaced nor asked about.
        chosen: the positions that the generator fills in.
        samples: its words; only those at chosen positions count.

    >>> ids, chosen = torch.tensor([[5, 6, 7, 0]]), torch.tensor([[True, False, True, True]])
    >>> result = replace_tokens(ids, torch.tensor([[1, 1, 1, 0]]), chosen, torch.tensor([[9, 9, 7, 9]]))
    >>> result.replaced_ids.tolist(), result.labels.tolist()  # the generator guessed the 7: it is real
    ([[9, 6, 7, 0]], [[1, 0, 0, -100]])
    """
    real = attention_mask == 1
    replaced_ids = torch.where(chosen & real, samples, input_ids)
    return ReplacedTokens(replaced_ids, (replaced_ids != input_ids).long().masked_fill(~real, IGNORE))


def draw_samples(logits: Float[Tensor, "*batch vocab_size"], generator: torch.Generator) -> Int[Tensor, "*batch"]:
    """One word for each position, drawn with the probability that a generator gives it: not always its favourite.

    Args:
        logits: the generator's, any real numbers; −∞ for a word that must not come.
        generator: the source of chance.
    """
    weights = logits.softmax(dim=-1)
    return torch.multinomial(weights.flatten(0, -2), 1, generator=generator).reshape(logits.shape[:-1])
