"""One token at a time, with all that might have been chosen instead: what the decoding stepper of notebook 05 shows.

A `Stepper` can also go back and take another turn. A cache is a value, but values made from each other share their
memory, so an old one is not safe to go on from once another branch was written. After going back, the stepper therefore
starts a fresh cache and lets the model read the kept tokens again, in one go; until then, going back costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic

import torch
from jaxtyping import Float, Int
from torch import Tensor

from anatomy_utils.decoding.filters import Filters
from anatomy_utils.decoding.generation import NO_FILTERS
from anatomy_utils.decoding.sampling import check_randomness, chooser
from anatomy_utils.decoding.steps import CacheT, Step, check_prompts, stop_table


@dataclass(frozen=True)
class Candidate:
    """A token that may come next.

    Attributes:
        token_id: which.
        before: its probability as the model sees it, softmax of the logits.
        after: its probability after the filters; 0 for one that they rule out.
    """

    token_id: int
    before: float
    after: float


@dataclass(frozen=True)
class Chosen:
    """One step of writing.

    Attributes:
        token_id: the token that was written.
        candidates: the likeliest tokens as the model sees it, and the written one even if it is none of them.
        ended: whether it is a stop token.
    """

    token_id: int
    candidates: tuple[Candidate, ...]
    ended: bool


class Stepper(Generic[CacheT]):
    """Writes one text token by token; each may be chosen by the rule or by hand, and taken back.

    Args:
        step: (new ids, cache) → (logits of the last new position, cache); see `steps`.
        start: makes a fresh, empty cache for one text, with room for all that is to be written.
        prompt_ids: one row, at least one token.
        stop_ids: tokens that end the text.
        filters: what is done to the logits before the choice.
        generator: the source of randomness; without one, the likeliest token is chosen. Going back does not turn it
            back: another try is another draw.
        show: how many candidates are listed.

    Raises:
        ValueError: more than one prompt, an empty one, a stop id outside the vocabulary, or filters for random choice
            without a generator.
    """

    def __init__(
        self,
        step: Step[CacheT],
        start: Callable[[], CacheT],
        prompt_ids: Int[Tensor, "1 position"],
        *,
        stop_ids: Iterable[int] = (),
        filters: Filters = NO_FILTERS,
        generator: torch.Generator | None = None,
        show: int = 10,
    ) -> None:
        if len(prompt_ids) != 1:
            raise ValueError(f"A stepper writes one text, but prompt_ids has {len(prompt_ids)} rows; give one.")
        check_prompts(prompt_ids, None, 1)
        check_randomness(filters, generator)
        self.prompt_ids = prompt_ids
        self._step, self._start = step, start
        self._filters, self._choose, self._show = filters, chooser(generator), show
        self._cache: CacheT | None = None
        self._read = 0  # how many tokens are in the cache; 0 when it is to be started afresh
        self._logits: list[Tensor] = []  # what followed the prompt, the first written token, …
        self._chosen: list[Chosen] = []
        self._is_stop = stop_table(stop_ids, self._next_logits().shape[-1])

    @property
    def steps(self) -> tuple[Chosen, ...]:
        """What was written so far, with the candidates of every step."""
        return tuple(self._chosen)

    @property
    def token_ids(self) -> tuple[int, ...]:
        """The tokens written so far."""
        return tuple(step.token_id for step in self._chosen)

    @property
    def ended(self) -> bool:
        """Whether the last token is a stop token."""
        return bool(self._chosen) and self._chosen[-1].ended

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The likeliest next tokens as the model sees it, likeliest first."""
        logits = self._next_logits()
        return self._list(logits, logits[0].topk(min(self._show, logits.shape[-1])).indices.tolist())

    def advance(self, token_id: int | None = None) -> Chosen:
        """Write one token.

        Args:
            token_id: chosen by hand, even one that the filters rule out; by the rule when left out.

        Raises:
            ValueError: the text has ended, or the token is outside the vocabulary.
        """
        if self.ended:
            raise ValueError(f"The text has ended with the stop token {self.token_ids[-1]}; go back to choose another.")
        logits = self._next_logits()
        if token_id is None:
            token_id = int(self._choose(self._filters(logits, self._ids())))
        if not 0 <= token_id < logits.shape[-1]:
            raise ValueError(
                f"Token {token_id} is outside the vocabulary, whose ids run from 0 to {logits.shape[-1] - 1}."
            )
        candidates = self.candidates
        if token_id not in {candidate.token_id for candidate in candidates}:
            candidates += self._list(logits, [token_id])
        self._chosen.append(Chosen(token_id, candidates, bool(self._is_stop[token_id])))
        return self._chosen[-1]

    def follow(self, filters: Filters = NO_FILTERS, generator: torch.Generator | None = None) -> None:
        """Go on by another rule; what was written stays, with the candidates it had.

        Raises:
            ValueError: filters for random choice without a generator.
        """
        check_randomness(filters, generator)
        self._filters, self._choose = filters, chooser(generator)

    def back(self, count: int = 1) -> None:
        """Take the last tokens back.

        Raises:
            ValueError: fewer were written.
        """
        if not 0 <= count <= len(self._chosen):
            raise ValueError(f"{count} tokens cannot be taken back: {len(self._chosen)} are written.")
        kept = len(self._chosen) - count
        del self._chosen[kept:], self._logits[kept + 1 :]
        if self._read > self._ids().shape[1]:
            self._cache, self._read = None, 0

    def _ids(self) -> Int[Tensor, "1 position"]:
        written = self.prompt_ids.new_tensor([self.token_ids], dtype=self.prompt_ids.dtype)
        return torch.cat([self.prompt_ids, written], dim=1)

    @torch.no_grad()
    def _next_logits(self) -> Float[Tensor, "1 vocab_size"]:
        """What may follow the last token; the model reads what it has not read yet."""
        if len(self._logits) == len(self._chosen):
            ids = self._ids()
            cache = self._start() if self._read == 0 else self._cache
            logits, self._cache = self._step(ids[:, self._read :], cache)  # type: ignore[arg-type]
            self._read = ids.shape[1]
            self._logits.append(logits.float())
        return self._logits[-1]

    def _list(self, logits: Float[Tensor, "1 vocab_size"], token_ids: list[int]) -> tuple[Candidate, ...]:
        before, after = logits[0].softmax(dim=-1), self._filters(logits, self._ids())[0].softmax(dim=-1)
        rows = zip(token_ids, before[token_ids].tolist(), after[token_ids].tolist(), strict=True)
        return tuple(Candidate(*row) for row in rows)


def stream(
    step: Step[CacheT],
    cache: CacheT,
    prompt_ids: Int[Tensor, "1 position"],
    *,
    max_new_tokens: int,
    stop_ids: Iterable[int] = (),
    filters: Filters = NO_FILTERS,
    generator: torch.Generator | None = None,
    show: int = 10,
) -> Iterator[Chosen]:
    """Write as `generate` does, one text, and hand over every step as soon as it is made.

    Args:
        step: as for `generate`.
        cache: as for `generate`.
        prompt_ids: one row, at least one token.
        max_new_tokens: at least 1.
        stop_ids: tokens that end the text.
        filters: what is done to the logits before the choice.
        generator: the source of randomness; without one, the likeliest token is chosen.
        show: how many candidates each step lists.

    Yields:
        The chosen token and its rivals.

    Raises:
        ValueError: as `generate` and `Stepper`.

    >>> from anatomy_utils.decoding import SeenIds, uncached
    >>> odds = torch.tensor([[0.25, 0.75], [0.5, 0.5]])  # row: token, column: what follows
    >>> model = uncached(lambda ids: odds[ids].log())
    >>> for chosen in stream(model, SeenIds(), torch.tensor([[0]]), max_new_tokens=2):
    ...     print(chosen.token_id, [(rival.token_id, round(rival.before, 2)) for rival in chosen.candidates])
    1 [(1, 0.75), (0, 0.25)]
    0 [(0, 0.5), (1, 0.5)]
    """
    check_prompts(prompt_ids, None, max_new_tokens)
    stepper = Stepper(
        step, lambda: cache, prompt_ids, stop_ids=stop_ids, filters=filters, generator=generator, show=show
    )
    for _ in range(max_new_tokens):
        yield stepper.advance()
        if stepper.ended:
            return
