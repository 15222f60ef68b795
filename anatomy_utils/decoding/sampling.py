"""Choosing one token from the logits: the likeliest, or one at random.

The last thing that happens in a step of generation. Notebook 05 teaches it; notebook 10 uses it one text
at a time.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from anatomy_utils.decoding.filters import Filters, temperature as at_temperature, top_k as best_k


def greedy(logits: Float[Tensor, "batch vocab_size"]) -> Int[Tensor, " batch"]:
    """The likeliest token of each row; the first of them where several tie.

    >>> greedy(torch.tensor([[1.0, 3.0, 2.0], [5.0, 5.0, 0.0]])).tolist()
    [1, 0]
    """
    return logits.argmax(dim=-1)


def sampled(logits: Float[Tensor, "batch vocab_size"], generator: torch.Generator) -> Int[Tensor, " batch"]:
    """A random token of each row, drawn with the probabilities softmax(logits).

    Args:
        logits: any real numbers; −∞ is never drawn.
        generator: where the randomness comes from.

    >>> sampled(torch.tensor([[0.0, -torch.inf]]), torch.Generator().manual_seed(0)).tolist()
    [0]
    """
    return torch.multinomial(logits.softmax(dim=-1), 1, generator=generator)[:, 0]


def next_id(logits: Float[Tensor, " vocab_size"], temperature: float, top_k: int, generator: torch.Generator) -> int:
    """The next token of one text: drawn from the likeliest few, or the likeliest at temperature 0.

    Args:
        logits: of the last position.
        temperature: 0 or more; 0 draws nothing.
        top_k: how many tokens may be drawn, at least 1; more than there are means all.
        generator: where the randomness comes from.

    Raises:
        ValueError: the temperature is below 0, or top_k below 1.

    >>> next_id(torch.tensor([1.0, 3.0, 2.0]), 0.0, 3, torch.Generator())
    1
    """
    if temperature == 0:
        return int(greedy(logits[None]))
    return int(sampled(at_temperature(best_k(logits, top_k), temperature)[None], generator))


def chooser(generator: torch.Generator | None) -> Callable[[Tensor], Tensor]:
    """How a token is chosen: at random where there is a generator, greedily where there is none."""
    return greedy if generator is None else lambda logits: sampled(logits, generator)


def check_randomness(filters: Filters, generator: torch.Generator | None) -> None:
    """Raise one clear sentence when filters for random choice were given without a source of randomness.

    Raises:
        ValueError: `filters` holds more than a repetition penalty, and there is no generator.
    """
    wanted = filters != Filters(repetition_penalty=filters.repetition_penalty)
    if wanted and generator is None:
        raise ValueError(
            f"{filters} is for choosing at random, but no generator was given; "
            "add generator=torch.Generator().manual_seed(0), or leave the filters out for greedy choice."
        )
