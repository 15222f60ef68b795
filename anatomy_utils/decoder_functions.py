"""A decoder's parts as functions of plain tensors: what its modules do, written out.

Notebook 04 teaches these functions; what filters do to logits stands in `decoding.filters`, the loss in `training`, and
what is an organ of its own (norm, feed-forward network) with the organs. `cache_by_hand` runs a whole model with
`attend_with_cache`, or with the learner's.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from anatomy_utils.attention import scaled_dot_product_attention
from anatomy_utils.decoding.steps import CacheT, Step


def perplexity(
    probabilities: Float[Tensor, "batch position"], attention_mask: Int[Tensor, "batch position"]
) -> Float[Tensor, ""]:
    """exp(mean of −log p): among how many equally likely tokens a model hesitates, on average.

    Jelinek, Mercer, Bahl and Baker 1977 (Journal of the Acoustical Society of America 62). The mean is taken over all
    real tokens of all texts: a long text counts more than a short one.

    Args:
        probabilities: what the model gave to each token that really came.
        attention_mask: 1 = real token, 0 = padding, which does not count.

    Returns:
        One number, 1 or more; the size of the vocabulary where all tokens are always alike.

    >>> round(perplexity(torch.tensor([[0.5, 0.125, 0.9]]), torch.tensor([[1, 1, 0]])).item(), 4)  # 1/√(1/2 · 1/8)
    4.0
    """
    real = attention_mask.bool()
    return (-probabilities[real].log()).mean().exp()


def vocabulary_logits(
    hidden_states: Float[Tensor, "*batch position d_model"], token_table: Float[Tensor, "vocab_size d_model"]
) -> Float[Tensor, "*batch position vocab_size"]:
    """One logit for each token that may come next: the dot product of a state with that token's own vector.

    The last layer shares its weight with the embeddings: Press and Wolf 2017 (arXiv:1608.05859).

    >>> table = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> vocabulary_logits(torch.tensor([[2.0, 3.0]]), table).tolist()
    [[2.0, 3.0, 5.0]]
    """
    return hidden_states @ token_table.mT


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


def mask_behind(past: int, new: int) -> Bool[Tensor, "new total"]:
    """What each of `new` positions that stand behind `past` others may attend to: those, itself, and what is between.

    With no past it is the causal mask.

    >>> mask_behind(2, 2).int().tolist()
    [[1, 1, 1, 0], [1, 1, 1, 1]]
    """
    return torch.ones(new, past + new, dtype=torch.bool).tril(past)


class Attended(NamedTuple):
    """What was found, and all keys and values so far: the cache of the next step."""

    context: Float[Tensor, "batch heads new d_head"]
    keys: Float[Tensor, "batch heads total d_head"]
    values: Float[Tensor, "batch heads total d_head"]


def attend_with_cache(
    query: Float[Tensor, "batch heads new d_head"],
    key: Float[Tensor, "batch heads new d_head"],
    value: Float[Tensor, "batch heads new d_head"],
    past_keys: Float[Tensor, "batch heads past d_head"],
    past_values: Float[Tensor, "batch heads past d_head"],
) -> Attended:
    """Causal attention of new positions, whose past is remembered and not computed again.

    `cache.KeyValueCache` does the same in memory that is set aside once; here the tensors grow.

    Args:
        query, key, value: of the new positions: a whole prompt, or a single token.
        past_keys, past_values: of all positions before them; none in the first step.

    >>> one, none = torch.ones(1, 1, 1, 1), torch.zeros(1, 1, 0, 1)
    >>> first = attend_with_cache(one, one, 4 * one, none, none)
    >>> attend_with_cache(one, one, 6 * one, first.keys, first.values).context.item()  # equal keys: the average
    5.0
    """
    keys, values = torch.cat([past_keys, key], dim=2), torch.cat([past_values, value], dim=2)
    mask = mask_behind(past_keys.shape[2], query.shape[2]).to(query.device)
    return Attended(scaled_dot_product_attention(query, keys, values, mask).context, keys, values)
