"""The writing loops of the course, without options: what a learner writes in notebooks 04 and 05.

`generate`, `beam_step` and the filters do the same for many prompts at once, with a cache.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from anatomy_utils.decoding.steps import CacheT, Step


def next_probabilities(
    logits: Float[Tensor, "*batch vocab_size"], temperature: float | int
) -> Float[Tensor, "*batch vocab_size"]:
    """softmax(logits / T): the distribution from which the next token is drawn.

    Ackley, Hinton and Sejnowski 1985 (A learning algorithm for Boltzmann machines).

    Args:
        logits: any real numbers.
        temperature: above 0; below 1 sharpens, above 1 flattens.

    >>> even = torch.tensor([1.0, 3.0]).log()
    >>> [round(p, 2) for p in next_probabilities(even, 0.5).tolist()]  # 1² : 3²
    [0.1, 0.9]
    """
    return (logits / temperature).softmax(dim=-1)


def write(
    step: Step[CacheT], cache: CacheT, prompt_ids: Int[Tensor, "1 position"], max_new_tokens: int, stop_id: int
) -> Int[Tensor, "1 longer"]:
    """Write one text, always with the likeliest token: the loop of `decoding.generate` without its options.

    Args:
        step: (new ids, cache) → (logits of what follows the last of them, cache); see `decoding.steps`.
        cache: empty.
        prompt_ids: one row, at least one token.
        max_new_tokens: how many may be written.
        stop_id: the token that ends a text, and belongs to it.

    Returns:
        The prompt and what follows it.

    >>> from anatomy_utils.decoding import SeenIds, uncached
    >>> count_up = uncached(lambda ids: torch.nn.functional.one_hot(ids + 1, 9).float())
    >>> write(count_up, SeenIds(), torch.tensor([[2, 3]]), 4, stop_id=5).tolist()
    [[2, 3, 4, 5]]
    """
    ids = new_ids = prompt_ids
    for _ in range(max_new_tokens):
        logits, cache = step(new_ids, cache)
        new_ids = logits.argmax(dim=-1, keepdim=True)
        ids = torch.cat([ids, new_ids], dim=1)
        if new_ids.item() == stop_id:
            break
    return ids


def translate(
    next_logits: Callable[[Tensor, Any], Tensor],
    memory: Any,
    start_id: int,
    stop_id: int,
    pad_id: int,
    max_new_tokens: int,
) -> Int[Tensor, "batch position"]:
    """Write a batch of texts, always with the likeliest token; each row ends with its own stop token.

    `decoding.generate` does the same with a cache, and for any prompt.

    Args:
        next_logits: (ids so far (batch, position), memory) → logits (batch, vocab_size) of what follows.
        memory: the encoder's output, one row for each text; computed once.
        start_id: what each text begins with.
        stop_id: ends a text, and belongs to it.
        pad_id: stands behind the end of a text while others go on.
        max_new_tokens: how many may be written.

    Returns:
        The start token and what follows it, as long as the longest text.

    >>> def count_up(ids: Tensor, memory: Tensor) -> Tensor:
    ...     return torch.nn.functional.one_hot(ids[:, -1] + memory, 9).float()
    >>> translate(count_up, torch.tensor([1, 2]), 1, 5, 0, 7).tolist()
    [[1, 2, 3, 4, 5], [1, 3, 5, 0, 0]]
    """
    ids = torch.full((len(memory), 1), start_id)
    ended = torch.zeros(len(memory), dtype=torch.bool)
    for _ in range(max_new_tokens):
        new_ids = next_logits(ids, memory).argmax(dim=-1).masked_fill(ended, pad_id)
        ids = torch.cat([ids, new_ids[:, None]], dim=1)
        ended = ended | (new_ids == stop_id)
        if ended.all():
            break
    return ids


class KeptBeams(NamedTuple):
    """The texts that a beam search keeps, best first."""

    log_probabilities: Float[Tensor, " beams"]
    parents: Int[Tensor, " beams"]
    tokens: Int[Tensor, " beams"]


def beam_step(
    log_probabilities: Float[Tensor, " beams"], next_log_probabilities: Float[Tensor, "beams vocab_size"]
) -> KeptBeams:
    """Continue each kept text with each token, and keep as many of the best as there were.

    `decoding.beam_step.advance` does it for many prompts at once, and puts aside what has ended.

    Args:
        log_probabilities: log p of each kept text.
        next_log_probabilities: log p of each token after each of them.

    Returns:
        log p of the new texts, which text each of them continues, and with which token.

    >>> beam_step(torch.tensor([-1.0, -2.0]), torch.tensor([[-3.0, -3.0, -0.5], [-0.25, -3.0, -3.0]])).parents.tolist()
    [0, 1]
    """
    vocab_size = next_log_probabilities.shape[1]
    sums = log_probabilities[:, None] + next_log_probabilities
    best = sums.flatten().topk(len(log_probabilities))
    return KeptBeams(best.values, best.indices // vocab_size, best.indices % vocab_size)
