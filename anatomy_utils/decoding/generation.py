"""Generation: write one token after the other, each chosen from what the model makes of those before it.

The loop around a decoder. Notebook 05 teaches it, notebook 06 uses it for translation. It is bound by the overhead of
calls rather than by arithmetic, so everything that can be done once stands before or behind the loop.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from anatomy_utils.decoding.filters import Filters
from anatomy_utils.decoding.sampling import check_randomness, chooser
from anatomy_utils.decoding.steps import CacheT, Step, check_prompts, stop_table

NO_FILTERS = Filters()


@dataclass(frozen=True)
class Generated:
    """What was written.

    Attributes:
        ids: prompts and what follows them; behind a row's end stands the padding id.
        prompt_length: positions that the prompts take, padding included.
        lengths: how many tokens were written in each row, its stop token included.
        finished: whether a row came to a stop token, rather than to the end of its allowance.
    """

    ids: Int[Tensor, "batch position"]
    prompt_length: int
    lengths: Int[Tensor, " batch"]
    finished: Bool[Tensor, " batch"]

    @property
    def new_ids(self) -> Int[Tensor, "batch new"]:
        """What follows the prompts."""
        return self.ids[:, self.prompt_length :]

    def rows(self) -> list[list[int]]:
        """What was written in each row, without padding."""
        return [row[:length] for row, length in zip(self.new_ids.tolist(), self.lengths.tolist(), strict=True)]


def generate(
    step: Step[CacheT],
    cache: CacheT,
    prompt_ids: Int[Tensor, "batch position"],
    *,
    max_new_tokens: int,
    stop_ids: Iterable[int] = (),
    pad_id: int = 0,
    attention_mask: Int[Tensor, "batch position"] | Bool[Tensor, "batch position"] | None = None,
    filters: Filters = NO_FILTERS,
    generator: torch.Generator | None = None,
) -> Generated:
    """Continue each prompt until a stop token or until `max_new_tokens` are written.

    Args:
        step: (new ids, cache) → (logits of the last new position, cache); see `steps`.
        cache: what the step starts from, empty. For padded prompts, started with the same `attention_mask`.
        prompt_ids: at least one token in each row; for an encoder–decoder its start token.
        max_new_tokens: at least 1.
        stop_ids: tokens that end a row; they belong to what was written.
        pad_id: what stands behind the end of a row that ended before others.
        attention_mask: 1 = real token, 0 = padding, which stands at the head; all real when left out. Padding is not
            counted as repetition.
        filters: what is done to the logits before the choice.
        generator: the source of randomness; without one, the likeliest token is chosen.

    Returns:
        What was written. Without a generator each row is what it would be alone; with one, rows share its numbers.

    Raises:
        ValueError: an empty prompt, padding behind a real token, max_new_tokens below 1, a stop id outside the
            vocabulary, or filters for random choice without a generator.

    >>> from anatomy_utils.decoding import SeenIds, uncached
    >>> count_up = uncached(lambda ids: torch.nn.functional.one_hot(ids + 1, 9).float())
    >>> generate(count_up, SeenIds(), torch.tensor([[3], [1]]), max_new_tokens=4, stop_ids=[5]).ids.tolist()
    [[3, 4, 5, 0, 0], [1, 2, 3, 4, 5]]
    """
    check_prompts(prompt_ids, attention_mask, max_new_tokens)
    check_randomness(filters, generator)
    change, choose = filters.functions(), chooser(generator)
    batch, start = prompt_ids.shape
    end = start + max_new_tokens
    ids = torch.cat([prompt_ids, prompt_ids.new_full((batch, max_new_tokens), pad_id)], dim=1)
    stopped = torch.zeros(batch, dtype=torch.bool, device=ids.device)
    with torch.inference_mode():
        seen = ids if attention_mask is None else _without_padding(ids, attention_mask)
        logits, cache = step(prompt_ids, cache)
        stop_ids = tuple(stop_ids)
        is_stop = stop_table(stop_ids, logits.shape[-1], device=ids.device)
        # Asking "have all ended?" makes the CPU wait for an accelerator; there, a few tokens too many cost less.
        ask_every = 1 if ids.device.type == "cpu" else 16
        for position in range(start, end):
            logits = logits.float()  # sums of small probabilities need it; nothing happens to what is float32 already
            for function in change:
                logits = function(logits, seen[:, :position])
            token = choose(logits)
            ids[:, position] = token
            if seen is not ids:
                seen[:, position] = token
            if stop_ids:
                stopped |= is_stop[token]
                if position % ask_every == 0 and stopped.all():
                    break
            if position + 1 < end:
                logits, cache = step(token[:, None], cache)
    return _cut(ids, start, position + 1, is_stop, pad_id)


def _without_padding(ids: Int[Tensor, "batch position"], attention_mask: Tensor) -> Int[Tensor, "batch position"]:
    """The ids with a row's last prompt token in place of its padding, so that padding is not taken for a repetition."""
    seen = ids.clone()
    prompt = seen[:, : attention_mask.shape[1]]
    prompt[:] = torch.where(attention_mask.bool(), prompt, prompt[:, -1:])
    return seen


def _cut(ids: Tensor, start: int, end: int, is_stop: Tensor, pad_id: int) -> Generated:
    """Blank what was written behind each row's first stop token, and drop the columns that nobody needs."""
    new_ids = ids[:, start:end]
    stops = is_stop[new_ids].long()
    is_over = stops.cumsum(dim=1) > stops  # a stop token stands before this one
    new_ids.masked_fill_(is_over, pad_id)
    lengths = (~is_over).sum(dim=1)
    return Generated(ids[:, : start + int(lengths.max())], start, lengths, stops.any(dim=1))
