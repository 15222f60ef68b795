"""One step of beam search, as a pure function: from the logits behind the kept texts to the texts that are kept next.

`beams` runs it from the prompt to the end, and says what the rules mean. Everything is done for all prompts and beams
at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

NOBODY = -1e9
"""The log-probability of a place that no text has taken yet."""


def is_somebody(log_probabilities: Float[Tensor, "*batch"]) -> Bool[Tensor, "*batch"]:
    """Whether a place is taken by a text."""
    return log_probabilities > NOBODY / 2


EarlyStopping = bool | Literal["never"]


@dataclass(frozen=True)
class SearchRules:
    """What stays the same during a search.

    Attributes:
        num_beams: texts kept open for each prompt, and texts returned.
        max_new_tokens: the allowance.
        length_penalty: the exponent of the length that a log-probability is divided by.
        early_stopping: see `beams.beam_search`.

    Raises:
        ValueError: num_beams is below 1, or early_stopping is none of its three values.
    """

    num_beams: int
    max_new_tokens: int
    length_penalty: float = 1.0
    early_stopping: EarlyStopping = False

    def __post_init__(self) -> None:
        if self.num_beams < 1:
            raise ValueError(f"num_beams is {self.num_beams}, but at least 1 text must be kept; 1 is greedy choice.")
        if self.early_stopping not in (True, False, "never"):
            raise ValueError(f'early_stopping is {self.early_stopping!r}, but it must be True, False or "never".')


@dataclass(frozen=True)
class Search:
    """Where a search stands: the open texts of each prompt, and the best that have ended.

    Attributes:
        length: tokens written so far.
        ids: the open texts, best first.
        log_probabilities: of the open texts.
        parents: which open text of the step before each of them continues.
        ended_ids: the ended texts, best first.
        ended_scores: log-probability / length ** length_penalty; `NOBODY` where no text has ended yet.
        ended_lengths: how many tokens they have.
        ended_by_stop: whether they ended with a stop token.
        can_improve: whether an open text of this prompt may still beat an ended one.
    """

    length: int
    ids: Int[Tensor, "batch beams new"]
    log_probabilities: Float[Tensor, "batch beams"]
    parents: Int[Tensor, "batch beams"]
    ended_ids: Int[Tensor, "batch beams new"]
    ended_scores: Float[Tensor, "batch beams"]
    ended_lengths: Int[Tensor, "batch beams"]
    ended_by_stop: Bool[Tensor, "batch beams"]
    can_improve: Bool[Tensor, " batch"]

    @classmethod
    def started(cls, batch: int, rules: SearchRules, device: torch.device | None = None) -> Search:
        """Nothing is written, and only one beam of each prompt counts: the others would be its copies."""
        shape = (batch, rules.num_beams)
        ids = torch.zeros(*shape, rules.max_new_tokens, dtype=torch.long, device=device)
        nobody = torch.full(shape, NOBODY, device=device)
        log_probabilities = nobody.clone()
        log_probabilities[:, 0] = 0.0
        none = torch.zeros(shape, dtype=torch.long, device=device)
        can_improve = torch.ones(batch, dtype=torch.bool, device=device)
        return cls(0, ids, log_probabilities, none, ids, nobody, none, none.bool(), can_improve)

    def is_full(self) -> Bool[Tensor, " batch"]:
        """Whether a prompt has as many ended texts as it is to return."""
        return (self.ended_lengths > 0).all(dim=1)

    def is_over(self, rules: SearchRules) -> bool:
        """Whether no prompt needs another step."""
        if self.length == rules.max_new_tokens or not self.can_improve.any():
            return True
        return rules.early_stopping is True and bool(self.is_full().all())


@dataclass(frozen=True)
class Considered:
    """The continuations that a step looked at, likeliest first, and what became of them.

    Attributes:
        ids: the continuations, from the first written token on.
        log_probabilities: of each.
        is_real: False for one that continues no text (in the first step, with a vocabulary smaller than the beams).
        alive: indices of those that go on; −1 for an open place that none of them takes.
        ended: indices of those that are now among the best ended texts; −1 stands for one from an earlier step.
    """

    ids: Int[Tensor, "batch considered length"]
    log_probabilities: Float[Tensor, "batch considered"]
    is_real: Bool[Tensor, "batch considered"]
    alive: Int[Tensor, "batch beams"]
    ended: Int[Tensor, "batch beams"]


def advance(
    search: Search,
    logits: Float[Tensor, "batch beams vocab_size"],
    is_stop: Bool[Tensor, " vocab_size"],
    rules: SearchRules,
) -> tuple[Search, Considered]:
    """Continue every open text with every token, and keep the best.

    Args:
        search: where it stands.
        logits: what may follow each open text.
        is_stop: which tokens end a text.
        rules: of this search.

    Returns:
        The search one token further, and what it looked at.
    """
    vocab_size, length = logits.shape[-1], search.length + 1
    # So many that num_beams of them go on, even if every stop token is among the best of every beam.
    most = rules.num_beams * min(vocab_size, max(2, 1 + int(is_stop.sum())))
    sums = logits.float().log_softmax(dim=-1) + search.log_probabilities[..., None]
    log_probabilities, index = sums.flatten(1).topk(most)  # batch considered
    parents, tokens = index // vocab_size, index % vocab_size
    ids = _pick(search.ids, parents)
    ids[:, :, search.length] = tokens
    by_stop = is_stop[tokens]
    ends = by_stop | (length == rules.max_new_tokens)

    log_going_on, alive = (log_probabilities + NOBODY * ends).topk(rules.num_beams)
    search = replace(
        search, length=length, ids=_pick(ids, alive), log_probabilities=log_going_on, parents=parents.gather(1, alive)
    )
    alive = alive.masked_fill(~is_somebody(log_going_on), -1)
    search, ended = _collect(search, ids, log_probabilities, ends, by_stop, rules)
    search = replace(search, can_improve=search.can_improve & _could_improve(search, rules))
    return search, Considered(ids[:, :, :length], log_probabilities, is_somebody(log_probabilities), alive, ended)


def _collect(
    search: Search, ids: Tensor, log_probabilities: Tensor, ends: Tensor, by_stop: Tensor, rules: SearchRules
) -> tuple[Search, Tensor]:
    """Take what has just ended among the best ended texts, where it is good enough."""
    rank = torch.arange(ends.shape[1], device=ends.device)
    may_enter = search.can_improve
    if rules.early_stopping is True:
        may_enter = may_enter & ~search.is_full()
    # What stands behind the best num_beams was only looked at so that enough texts can go on.
    entering = ends & (rank < rules.num_beams) & may_enter[:, None] & is_somebody(log_probabilities)
    scores = (log_probabilities / search.length**rules.length_penalty).masked_fill(~entering, NOBODY)
    lengths = search.length * entering.long()
    scores, chosen = torch.cat([search.ended_scores, scores], dim=1).topk(rules.num_beams)
    search = replace(
        search,
        ended_ids=_pick(torch.cat([search.ended_ids, ids], dim=1), chosen),
        ended_scores=scores,
        ended_lengths=torch.cat([search.ended_lengths, lengths], dim=1).gather(1, chosen),
        ended_by_stop=torch.cat([search.ended_by_stop, by_stop & entering], dim=1).gather(1, chosen),
    )
    just_now = (chosen >= rules.num_beams) & (search.ended_lengths > 0)
    return search, torch.where(just_now, chosen - rules.num_beams, -1)


def _could_improve(search: Search, rules: SearchRules) -> Bool[Tensor, " batch"]:
    """Whether the best open text would beat the worst ended one, ending now or, by "never", when it suits it best."""
    favours_long = rules.early_stopping == "never" and rules.length_penalty > 0
    length = rules.max_new_tokens if favours_long else search.length
    best_open = search.log_probabilities[:, 0] / length**rules.length_penalty
    return best_open > search.ended_scores.amin(dim=1)


def _pick(values: Int[Tensor, "batch from new"], index: Int[Tensor, "batch to"]) -> Int[Tensor, "batch to new"]:
    """The rows of each prompt that `index` names, in its order."""
    return values.gather(1, index[..., None].expand(-1, -1, values.shape[-1]))
