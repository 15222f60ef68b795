"""Filters: what is done to the logits before a token is chosen from them.

They stand behind a decoder's last linear layer. Notebook 05 teaches them. Each function is pure: logits in, logits out,
with −∞ for the tokens that it rules out. `Filters` holds a choice of them and applies them in the order that Hugging
Face's `generate` uses: repetition penalty, temperature, top-k, top-p, min-p. The order counts: top-p after top-k adds
up the probabilities of what top-k left.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

Logits = Float[Tensor, "*batch vocab_size"]


def temperature(logits: Logits, temperature: float) -> Logits:
    """Sharpen (below 1) or flatten (above 1) the distribution: softmax(logits / T).

    Ackley, Hinton, Sejnowski 1985 (A learning algorithm for Boltzmann machines).

    Args:
        logits: any real numbers.
        temperature: T, above 0; towards 0 only the best token is left, towards ∞ all are alike.

    Raises:
        ValueError: the temperature is not above 0.

    >>> temperature(torch.tensor([1.0, 3.0]), 0.5).tolist()
    [2.0, 6.0]
    """
    if not 0 < temperature < math.inf:
        raise ValueError(f"temperature is {temperature}, but it must be above 0; for greedy choice give no generator.")
    return logits / temperature


def top_k(logits: Logits, k: int) -> Logits:
    """Keep the k likeliest tokens; those that tie with the last of them stay too.

    Fan, Lewis, Dauphin 2018, section 5.1 (arXiv:1805.04833).

    Args:
        logits: any real numbers.
        k: how many, at least 1; more than the vocabulary holds means all.

    Raises:
        ValueError: k is below 1.

    >>> top_k(torch.tensor([1.0, 4.0, 2.0, 3.0]), 2).tolist()
    [-inf, 4.0, -inf, 3.0]
    """
    if k < 1:
        raise ValueError(f"top_k is {k}, but at least 1 token must be kept; leave it out to keep all.")
    last_kept = logits.topk(min(k, logits.shape[-1])).values[..., -1:]
    return logits.masked_fill(logits < last_kept, -math.inf)


def top_p(logits: Logits, p: float) -> Logits:
    """Keep the smallest set of likeliest tokens whose probabilities reach p together ("nucleus").

    Holtzman et al. 2020, section 3.1 (arXiv:1904.09751).

    Args:
        logits: any real numbers.
        p: above 0, at most 1; the likeliest token is always kept.

    Raises:
        ValueError: p is outside (0, 1].

    >>> logits = torch.tensor([0.5, 0.375, 0.125]).log()
    >>> top_p(logits, 0.75).exp().tolist()  # 0.5 falls short of 0.75, 0.5 + 0.375 reaches it
    [0.5, 0.375, 0.0]
    """
    if not 0 < p <= 1:
        raise ValueError(f"top_p is {p}, but it must lie above 0 and at most at 1; leave it out to keep all tokens.")
    # From the least likely up: what can go is what adds up to 1 − p or less. The same set as from the top down, but the
    # small probabilities are added up before the large ones, which rounds less.
    ascending, order = logits.sort(dim=-1)
    dropped = ascending.softmax(dim=-1).cumsum(dim=-1) <= 1 - p
    dropped[..., -1] = False
    return logits.masked_fill(dropped.scatter(-1, order, dropped), -math.inf)


def min_p(logits: Logits, p: float) -> Logits:
    """Keep the tokens that are at least p times as likely as the likeliest.

    Nguyen et al. 2024 (arXiv:2407.01082).

    Args:
        logits: any real numbers.
        p: at least 0, below 1; the likeliest token is always kept.

    Raises:
        ValueError: p is outside [0, 1).

    >>> min_p(torch.tensor([0.5, 0.375, 0.125]).log(), 0.5).exp().tolist()  # the bar is 0.5 · 0.5 = 0.25
    [0.5, 0.375, 0.0]
    """
    if not 0 <= p < 1:
        raise ValueError(f"min_p is {p}, but it must be at least 0 and below 1; leave it out to keep all tokens.")
    probabilities = logits.softmax(dim=-1)
    bar = p * probabilities.amax(dim=-1, keepdim=True)
    return logits.masked_fill(probabilities < bar, -math.inf)


def repetition_penalty(
    logits: Float[Tensor, "batch vocab_size"], input_ids: Int[Tensor, "batch position"], penalty: float
) -> Float[Tensor, "batch vocab_size"]:
    """Make the tokens that already stand in the text less likely, however often they stand there.

    Keskar et al. 2019, section 4.1 (arXiv:1909.05858), as published codes have it: a positive logit is divided by the
    penalty, a negative one multiplied, so that both fall.

    Args:
        logits: any real numbers.
        input_ids: the text so far, prompt included.
        penalty: above 0; 1 changes nothing, below 1 rewards repetition.

    Raises:
        ValueError: the penalty is not above 0.

    >>> repetition_penalty(torch.tensor([[4.0, -1.0, 3.0]]), torch.tensor([[0, 1, 0]]), 2.0).tolist()
    [[2.0, -2.0, 3.0]]
    """
    if not 0 < penalty < math.inf:
        raise ValueError(f"repetition_penalty is {penalty}, but it must be above 0; 1.0 changes nothing.")
    seen = logits.gather(1, input_ids)
    return logits.scatter(1, input_ids, torch.where(seen < 0, seen * penalty, seen / penalty))


@dataclass(frozen=True)
class Filters:
    """A choice of filters, checked when it is made: `Filters(temperature=0.8, top_p=0.9)`.

    Attributes:
        temperature: as the function of this name.
        top_k: how many tokens are kept; None = all.
        top_p: the probability that the kept tokens reach together; None = all tokens.
        min_p: the share of the best token's probability that a token needs; None = all tokens.
        repetition_penalty: as the function of this name.

    Raises:
        ValueError: a number is out of its range.
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None
    repetition_penalty: float = 1.0

    def __post_init__(self) -> None:
        self(torch.zeros(1, 1), torch.zeros(1, 1, dtype=torch.long))  # each function knows its own range

    def functions(self) -> list[Callable[[Tensor, Tensor], Tensor]]:
        """The filters that do something, in order; each takes logits and the ids so far."""
        chain: list[Callable[[Tensor, Tensor], Tensor]] = []
        if self.repetition_penalty != 1:
            chain.append(lambda logits, ids: repetition_penalty(logits, ids, self.repetition_penalty))
        if self.temperature != 1:
            chain.append(lambda logits, ids: temperature(logits, self.temperature))
        if (k := self.top_k) is not None:
            chain.append(lambda logits, ids: top_k(logits, k))
        if (p := self.top_p) is not None:
            chain.append(lambda logits, ids: top_p(logits, p))
        if (share := self.min_p) is not None:
            chain.append(lambda logits, ids: min_p(logits, share))
        return chain

    def __call__(
        self, logits: Float[Tensor, "batch vocab_size"], input_ids: Int[Tensor, "batch position"]
    ) -> Float[Tensor, "batch vocab_size"]:
        """The logits that a token is chosen from, given those of the model and the text so far."""
        for function in self.functions():
            logits = function(logits, input_ids)
        return logits
