"""What decoding knows of a model: one function that reads new tokens and tells what may come next.

A step takes the tokens that the model has not seen yet and a cache of those it has; it returns the logits behind the
last of them and the cache that holds them too. Decoder-only models, encoder–decoders and anything else that writes from
left to right fit; `uncached` makes a step of any function from ids to logits. Notebook 05 teaches both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

CacheT = TypeVar("CacheT")

Step = Callable[[Tensor, CacheT], tuple[Tensor, CacheT]]
"""(input_ids of batch × new, cache) → (logits of batch × vocab_size behind the last new position, cache)."""


@runtime_checkable
class Reorderable(Protocol):
    """A cache whose rows can be picked, as beam search needs it; `KeyValueCache` is one."""

    def rows(self, rows: Int[Tensor, " batch"]) -> Any:
        """A cache of the same kind that holds copies of the given rows, in their order; a row may be given twice."""
        ...


@dataclass(frozen=True)
class SeenIds:
    """The cache of a model without one: the ids so far, to be read again from the start at every step.

    Attributes:
        ids: None before the first step.
        attention_mask: of the prompts, padded at the head; all real when left out.
    """

    ids: Int[Tensor, "batch position"] | None = None
    attention_mask: Int[Tensor, "batch position"] | None = None

    def extended(self, input_ids: Int[Tensor, "batch new"]) -> SeenIds:
        """The ids with the new ones behind them; what comes after a prompt is real."""
        if self.ids is None:
            return SeenIds(input_ids, self.attention_mask)
        mask = self.attention_mask
        if mask is not None:
            mask = torch.cat([mask, mask.new_ones(input_ids.shape)], dim=1)
        return SeenIds(torch.cat([self.ids, input_ids], dim=1), mask)

    def rows(self, rows: Int[Tensor, " batch"]) -> SeenIds:
        """A copy that holds the given rows in their order."""
        ids, mask = (None if part is None else part[rows] for part in (self.ids, self.attention_mask))
        return SeenIds(ids, mask)


def uncached(model: Callable[..., Float[Tensor, "batch position vocab_size"]]) -> Step[SeenIds]:
    """A step that reads the whole text again for every token. Start it with `SeenIds()`.

    Args:
        model: input_ids → logits at every position. Where prompts are padded at the head, start with
            `SeenIds(attention_mask=...)`; the model then gets the mask as its second argument.

    >>> def successor(ids: Tensor) -> Tensor:  # of five tokens, the one after the last is the likeliest
    ...     return torch.nn.functional.one_hot((ids + 1) % 5, 5).float()
    >>> logits, cache = uncached(successor)(torch.tensor([[2, 3]]), SeenIds())
    >>> logits.tolist(), cache.ids.tolist()
    ([[0.0, 0.0, 0.0, 0.0, 1.0]], [[2, 3]])
    """

    def step(input_ids: Tensor, cache: SeenIds) -> tuple[Tensor, SeenIds]:
        cache = cache.extended(input_ids)
        inputs = (cache.ids,) if cache.attention_mask is None else (cache.ids, cache.attention_mask)
        return model(*inputs)[:, -1], cache

    return step


def check_prompts(
    prompt_ids: Int[Tensor, "batch position"],
    attention_mask: Int[Tensor, "batch position"] | Bool[Tensor, "batch position"] | None,
    max_new_tokens: int,
) -> None:
    """Raise one clear sentence when there is nothing to continue, or nothing to write.

    Raises:
        ValueError: no prompt token, max_new_tokens below 1, or prompts padded anywhere but at the head.
    """
    if prompt_ids.numel() == 0:
        raise ValueError(
            f"The prompt is empty (shape {tuple(prompt_ids.shape)}); give at least one token, such as a start token."
        )
    if max_new_tokens < 1:
        raise ValueError(f"max_new_tokens is {max_new_tokens}, but at least 1 token must be written.")
    if attention_mask is None:
        return
    if attention_mask.shape != prompt_ids.shape:
        raise ValueError(
            f"attention_mask has shape {tuple(attention_mask.shape)}, but prompt_ids has {tuple(prompt_ids.shape)}; "
            "give one 0 or 1 per prompt token."
        )
    real = attention_mask.bool()
    if not real[:, -1].all() or (real[:, :-1] & ~real[:, 1:]).any():
        raise ValueError(
            "attention_mask is 0 after a real token, but prompts of unequal length must be padded at the head "
            "(0 0 1 1), so that all of them end where writing begins."
        )


def stop_table(
    stop_ids: Iterable[int], vocab_size: int, *, device: torch.device | None = None
) -> Bool[Tensor, " vocab_size"]:
    """Which tokens end a text, as a table to look up.

    Raises:
        ValueError: a stop id is outside the vocabulary, or every token is one.

    >>> stop_table([2], 4).tolist()
    [False, False, True, False]
    """
    stops = sorted(set(stop_ids))
    if stops and (stops[0] < 0 or stops[-1] >= vocab_size):
        raise ValueError(
            f"stop_ids run from {stops[0]} to {stops[-1]}, but this vocabulary's ids run from 0 to {vocab_size - 1}; "
            "use the tokenizer that belongs to the model."
        )
    if len(stops) == vocab_size:
        raise ValueError(f"All {vocab_size} tokens of the vocabulary are stop tokens; leave one to write with.")
    table = torch.zeros(vocab_size, dtype=torch.bool, device=device)
    table[stops] = True
    return table
