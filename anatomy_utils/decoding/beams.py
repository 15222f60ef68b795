"""Beam search: keep the few best texts instead of one, and decide at the end.

Greedy choice cannot take a first token back that later proves bad. Notebook 05 teaches the search, notebook 06 compares
it with greedy translation. Codes disagree on when to stop and on what a text's length is; this is Hugging Face's
convention: a text scores log p(text) / length ** length_penalty, where length counts the written tokens with the stop
token and without the prompt. A penalty above 0 thus *favours long texts* (a sum of log-probabilities is negative); 0
compares the sums. Wu et al. 2016 (arXiv:1609.08144, equation 14) divide by ((5 + length) / 6) ** α instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from anatomy_utils.decoding.beam_step import Considered, EarlyStopping, Search, SearchRules, advance
from anatomy_utils.decoding.generation import Generated
from anatomy_utils.decoding.steps import Reorderable, Step, check_prompts, stop_table

ReorderableT = TypeVar("ReorderableT", bound=Reorderable)


@dataclass(frozen=True)
class Beams:
    """The best texts that a beam search found for each prompt, best first.

    Attributes:
        prompt_ids: what they continue.
        new_ids: what was written; behind a text's end stands the padding id.
        scores: log-probability / length ** length_penalty.
        lengths: how many tokens were written, the stop token included.
        finished: whether a text came to a stop token, rather than to the end of its allowance.
    """

    prompt_ids: Int[Tensor, "batch position"]
    new_ids: Int[Tensor, "batch beams new"]
    scores: Float[Tensor, "batch beams"]
    lengths: Int[Tensor, "batch beams"]
    finished: Bool[Tensor, "batch beams"]

    def ranked(self, rank: int = 0) -> Generated:
        """The texts of one rank, as `generate` returns them; the best unless told."""
        lengths = self.lengths[:, rank]
        ids = torch.cat([self.prompt_ids, self.new_ids[:, rank, : int(lengths.max())]], dim=1)
        return Generated(ids, self.prompt_ids.shape[1], lengths, self.finished[:, rank])


def beam_search(
    step: Step[ReorderableT],
    cache: ReorderableT,
    prompt_ids: Int[Tensor, "batch position"],
    *,
    num_beams: int,
    max_new_tokens: int,
    stop_ids: Iterable[int] = (),
    pad_id: int = 0,
    attention_mask: Int[Tensor, "batch position"] | Bool[Tensor, "batch position"] | None = None,
    length_penalty: float = 1.0,
    early_stopping: EarlyStopping = False,
) -> Beams:
    """Search for the continuations with the highest scores.

    Args:
        step: (new ids, cache) → (logits of the last new position, cache); see `steps`.
        cache: what the step starts from, empty, one row per prompt.
        prompt_ids: at least one token in each row; for an encoder–decoder its start token.
        num_beams: how many texts are kept for each prompt, at least 1.
        max_new_tokens: at least 1. What has not ended by then competes as it stands.
        stop_ids: tokens that end a text.
        pad_id: what stands behind a text's end.
        attention_mask: 1 = real token, 0 = padding, which stands at the head; all real when left out.
        length_penalty: the exponent of the length, see above.
        early_stopping: when a prompt's search ends. True: as soon as `num_beams` texts have ended. False: when,
            besides, the best open text would not beat the worst of them if it ended now. "never": when it could not
            beat it at any length (for a length_penalty of 0 and more).

    Returns:
        The `num_beams` best texts of each prompt. With one beam and early_stopping=True, the greedy text.

    Raises:
        ValueError: num_beams below 1, or as `generate`.

    >>> from anatomy_utils.decoding import SeenIds, uncached
    >>> odds = torch.tensor([[0.0, 0.6, 0.4], [0.3, 0.3, 0.4], [1.0, 0.0, 0.0]])  # row: token, column: what follows
    >>> model = uncached(lambda ids: odds[ids].log())
    >>> found = beam_search(model, SeenIds(), torch.tensor([[0]]), num_beams=2, max_new_tokens=2, length_penalty=0.0)
    >>> found.new_ids.tolist(), (100 * found.scores.exp()).round().tolist()  # greedily: 1, 2, with 0.6 · 0.4 = 0.24
    ([[[2, 0], [1, 2]]], [[40.0, 24.0]])
    """
    rules = SearchRules(num_beams, max_new_tokens, length_penalty, early_stopping)
    *_, (search, _) = _search(step, cache, prompt_ids, attention_mask, stop_ids, rules)
    longest = int(search.ended_lengths.max())
    new_ids, lengths = search.ended_ids[:, :, :longest], search.ended_lengths
    behind = torch.arange(longest, device=new_ids.device) >= lengths[..., None]
    return Beams(prompt_ids, new_ids.masked_fill(behind, pad_id), search.ended_scores, lengths, search.ended_by_stop)


@dataclass(frozen=True)
class Hypothesis:
    """One text that a step of beam search considered.

    Attributes:
        token_ids: what was written so far; all but the last is an alive hypothesis of the step before.
        log_probability: the sum over its tokens.
        score: log_probability / length ** length_penalty.
        fate: `"alive"`: goes on; `"ended"`: came to its end and is among the best that did; `"dropped"`: neither.
    """

    token_ids: tuple[int, ...]
    log_probability: float
    score: float
    fate: Literal["alive", "ended", "dropped"]

    @property
    def parent(self) -> tuple[int, ...]:
        """The text it continues: the `token_ids` of a hypothesis one step earlier."""
        return self.token_ids[:-1]


def beam_steps(
    step: Step[ReorderableT],
    cache: ReorderableT,
    prompt_ids: Int[Tensor, "1 position"],
    *,
    num_beams: int,
    max_new_tokens: int,
    stop_ids: Iterable[int] = (),
    length_penalty: float = 1.0,
    early_stopping: EarlyStopping = False,
) -> Iterator[tuple[Hypothesis, ...]]:
    """The same search for one prompt, one step at a time: the layers of the tree, from the root.

    Yields:
        What a step considered, likeliest first. What is alive was continued in the next one.

    Raises:
        ValueError: more than one prompt, or as `beam_search`.
    """
    if len(prompt_ids) != 1:
        raise ValueError(f"A tree is drawn for one prompt, but prompt_ids has {len(prompt_ids)} rows; give one.")
    rules = SearchRules(num_beams, max_new_tokens, length_penalty, early_stopping)
    for _, considered in _search(step, cache, prompt_ids, None, stop_ids, rules):
        alive, ended = set(considered.alive[0].tolist()), set(considered.ended[0].tolist())
        rows = zip(considered.ids[0].tolist(), considered.log_probabilities[0].tolist(), strict=True)
        yield tuple(
            Hypothesis(
                tuple(ids),
                log_probability,
                log_probability / len(ids) ** length_penalty,
                "ended" if index in ended else "alive" if index in alive else "dropped",
            )
            for index, (ids, log_probability) in enumerate(rows)
            if considered.is_real[0, index]
        )


def _search(
    step: Step[ReorderableT],
    cache: ReorderableT,
    prompt_ids: Tensor,
    attention_mask: Tensor | None,
    stop_ids: Iterable[int],
    rules: SearchRules,
) -> Iterator[tuple[Search, Considered]]:
    """The search from the prompts to the end, one step at a time."""
    check_prompts(prompt_ids, attention_mask, rules.max_new_tokens)
    (batch, _), num_beams, device = prompt_ids.shape, rules.num_beams, prompt_ids.device
    with torch.no_grad():
        logits, cache = step(prompt_ids, cache)  # once per prompt; its beams begin alike
    is_stop = stop_table(stop_ids, logits.shape[-1], device=device)
    search = Search.started(batch, rules, device)
    unmoved = torch.arange(batch * num_beams, device=device)
    first_beams = num_beams * torch.arange(batch, device=device)[:, None]
    begin = unmoved // num_beams
    logits, cache = logits[begin], cache.rows(begin)
    while True:
        search, considered = advance(search, logits.unflatten(0, (batch, num_beams)), is_stop, rules)
        yield search, considered
        if search.is_over(rules):
            return
        parents = (search.parents + first_beams).flatten()
        if not torch.equal(parents, unmoved):  # copying a cache costs more than asking
            cache = cache.rows(parents)
        with torch.no_grad():
            logits, cache = step(search.ids[:, :, search.length - 1].reshape(-1, 1), cache)
