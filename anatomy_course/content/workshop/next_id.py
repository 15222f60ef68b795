"""Notebook 08: one new token, judged by how often each is drawn.

How an answer draws is its own affair: with `multinomial`, with added noise, along a running sum. So many draws are
counted, and the shares are taken for the nearest of the distributions that are known here.
"""

# mypy: disable-error-code="return-value"
# `item()` is a number of any kind to mypy.

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from anatomy_course.content.sizes import primes
from anatomy_course.judge.definition import Case, Objection
from anatomy_course.judge.form import written

DRAWS, FEW = 300, 40
"""How many tokens are drawn, and how many are enough where there is no chance in it."""
NEAR, APART = 0.15, 0.12
"""How far a share may be from a probability, and from where on two distributions are told apart."""
BEST, ALL, ONLY = "temperature 0", "a top_k beyond the vocabulary", "only the best token"
LARGE = "large logits"
HEIGHTS = {
    "a low temperature": (-1.0, -1.8, -2.6, -3.4, -4.2),
    "a high temperature": (9.5, 0.5, -14.0, -15.0, -16.0),
    BEST: (2.0, 2.0 - 5e-7, -0.05, -0.1, -0.15),
    LARGE: (202.0, 200.0, 199.5, 199.0, 198.5),
}
"""Logits in falling order, such that what usually goes wrong shows in which tokens come, or clearly in how often: at
temperature 0, the second would come too if somebody drew at a tiny temperature instead."""


def next_id(logits: Tensor, temperature: float, top_k: int, generator: torch.Generator) -> int:
    """logits (vocabulary) of the last position → the id of one token, a plain whole number.
    Only the top_k largest logits take part (all, if there are not so many), divided by the temperature, each
    with its probability. Draw with `generator`. Temperature 0 means the largest logit, without chance.
    """
    if temperature == 0:
        return logits.argmax().item()
    best = logits.topk(min(top_k, len(logits)))
    probabilities = (best.values / temperature).softmax(dim=-1)
    place = torch.multinomial(probabilities, 1, generator=generator)
    return best.indices[place].item()


def cases(generator: torch.Generator) -> Iterator[Case]:
    for kind, temperature, k in (
        ("a low temperature", 0.1, 3),
        ("a high temperature", 10.0, 2),
        (BEST, 0.0, 3),
        (ALL, 1.0, 50),
        (ONLY, 2.0, 1),
        (LARGE, 1.0, 1),
    ):
        vocabulary = primes(generator, 1, (5, 7))[0]
        heights = torch.tensor(HEIGHTS.get(kind, (2.0, 0.0, -0.05, -0.1, -0.15)))
        heights = torch.cat([heights, heights[-1] - torch.arange(1.0, vocabulary - 4)])
        logits = heights[torch.randperm(vocabulary, generator=generator)]
        seed = int(torch.randint(1000, (1,), generator=generator))
        arguments = {"logits": logits, "temperature": temperature, "top_k": k, "seed": seed}
        yield Case(arguments, kind, {"vocabulary": vocabulary})


@dataclass(frozen=True)
class _Chances:
    """The probabilities of the next token, with one thing done differently."""

    k: Callable[[int], int] = lambda k: k
    rest: float = -torch.inf
    soften: Callable[[Tensor, float], Tensor] = lambda logits, temperature: logits / temperature
    weigh: Callable[[Tensor], Tensor] = lambda logits: logits.softmax(-1)
    sign: int = 1
    greedy: bool = True

    def __call__(self, logits: Tensor, temperature: float, top_k: int) -> Tensor:
        if temperature == 0 and self.greedy:
            return torch.nn.functional.one_hot(logits.argmax(), len(logits)).float()
        k = min(max(1, self.k(top_k)), len(logits))
        bar = (self.sign * logits).topk(k).values[-1]
        kept = logits.masked_fill(self.sign * logits < bar, self.rest)
        return self.weigh(self.soften(kept, temperature or 1.0))


def _even(logits: Tensor) -> Tensor:
    kept = (logits > -torch.inf).float()
    return kept / kept.sum()


def _best_always(logits: Tensor, temperature: float, top_k: int) -> Tensor:
    return _Chances()(logits, 0.0, top_k)


def _place_in_the_best(logits: Tensor, temperature: float, top_k: int) -> Tensor:
    """The place among the best k in place of the token's id."""
    if temperature == 0:
        return _Chances()(logits, temperature, top_k)
    best = logits.topk(min(top_k, len(logits))).values
    return torch.cat([(best / temperature).softmax(-1), torch.zeros(len(logits) - len(best))])


VARIATIONS: Mapping[str, Callable[[Tensor, float, int], Tensor]] = {
    "right": _Chances(),
    "no_temperature": replace(_Chances(), soften=lambda logits, temperature: logits),
    "multiplied": replace(_Chances(), soften=lambda logits, temperature: logits * temperature),
    "all_tokens": replace(_Chances(), k=lambda k: 99),
    "one_too_many": replace(_Chances(), k=lambda k: k + 1),
    "one_too_few": replace(_Chances(), k=lambda k: k - 1),
    "zero": replace(_Chances(), rest=0.0),
    "smallest": replace(_Chances(), sign=-1),
    "even": replace(_Chances(), weigh=_even),
    "softmax_twice": replace(_Chances(), weigh=lambda logits: logits.softmax(-1).softmax(-1)),
    "draws_at_zero": replace(_Chances(), greedy=False),
    "best_always": _best_always,
    "place": _place_in_the_best,
    "worst_at_zero": lambda logits, temperature, k: _Chances()(logits if temperature else -logits, temperature, k),
}
"""Distributions: the right one, and what misunderstandings make of it."""


def drive(answer: Callable[..., Any], logits: Tensor, temperature: float, top_k: int, seed: int) -> Any:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        first = _ids(answer, logits, temperature, top_k, seed, FEW)
        if not isinstance(first, list):
            return first
        sure = (temperature == 0 or top_k == 1) and len(set(first)) == 1
        drawn = _ids(answer, logits, temperature, top_k, seed, FEW if sure else DRAWS)
        if not isinstance(drawn, list):
            return drawn
        if drawn[:FEW] != first:
            return Objection(
                "not_repeatable",
                "Two generators in the same state give different tokens: something is drawn without `generator`.",
            )
    shares = torch.bincount(torch.tensor(drawn), minlength=len(logits)) / len(drawn)
    return _recognized(shares, [chances(logits, temperature, top_k) for chances in VARIATIONS.values()])


def _recognized(shares: Tensor, known: list[Tensor]) -> Tensor:
    """The known distribution that the shares come from; the shares themselves where there is none."""
    found: list[Tensor] = []
    for chances in known:
        if _same_tokens(chances, shares) and all(_distance(chances, other) > APART for other in found):
            found.append(chances)
    nearest = min(found, key=lambda chances: _distance(chances, shares), default=shares)
    return nearest if _distance(nearest, shares) <= NEAR else shares


def _distance(one: Tensor, other: Tensor) -> float:
    return float((one - other).abs().max())


def _same_tokens(chances: Tensor, shares: Tensor) -> bool:
    """Whether only such tokens were drawn as can be, and all that often come."""
    return bool(((shares == 0) | (chances > 0)).all() and ((shares > 0) | (chances < 0.05)).all())


def _ids(
    answer: Callable[..., Any], logits: Tensor, temperature: float, top_k: int, seed: int, count: int
) -> list[int] | Objection | None:
    generator, found = torch.Generator().manual_seed(seed), []
    given = logits.clone()
    for _ in range(count):
        id = answer(given, temperature, top_k, generator)
        if not torch.equal(given, logits):
            return Objection(
                "changed",
                "Your function changes `logits` in place: whoever gave them to you finds other numbers there. Work on "
                "a new tensor.",
            )
        if id is None:
            return None
        if isinstance(id, Tensor):
            cure = "`.item()` makes a plain number of it" if id.numel() == 1 else "a plain number is wanted"
            return Objection("tensor", f"You return a tensor of shape {tuple(id.shape)}; {cure}.")
        if not isinstance(id, int) or isinstance(id, bool):
            return Objection("type", f"You return a {type(id).__name__}; a token's id is a plain whole number.")
        if not 0 <= id < len(logits):
            return Objection("range", f"You return {id}; the ids of this vocabulary go from 0 to {len(logits) - 1}.")
        found.append(id)
    return found


def _drawn_from(chances: Callable[[Tensor, float, int], Tensor]) -> Callable[..., int]:
    """A function that draws from a distribution; hundreds of draws from the same one compute it once."""

    @lru_cache(maxsize=1)
    def known(logits: tuple[float, ...], temperature: float, top_k: int) -> Tensor:
        return chances(torch.tensor(logits), temperature, top_k)

    def draw(logits: Tensor, temperature: float, top_k: int, generator: torch.Generator) -> int:
        return int(torch.multinomial(known(tuple(logits.tolist()), temperature, top_k), 1, generator=generator))

    return draw


DRAWS_OF = {name: _drawn_from(chances) for name, chances in VARIATIONS.items()}
right = VARIATIONS["right"]


def stages(logits: Tensor, temperature: float, top_k: int, seed: int) -> Mapping[str, Tensor]:
    best = logits.topk(min(top_k, len(logits)))
    return {"best logits": best.values, "best ids": best.indices}


EXERCISE = written(
    next_id,
    same_as="anatomy_utils.decoding.sampling.next_id",
    title="The next token",
    task="Draw the next token from the likeliest top_k at the given temperature; at temperature 0 take the likeliest.",
    level="medium, 6 minutes",
    returns="share of each token: vocabulary",
    cases=cases,
    observe=drive,
    stages=stages,
    mistakes="""
    no_temperature: DRAWS_OF["no_temperature"](logits, temperature, top_k, generator)
        “The temperature changes nothing: your tokens come as often as at temperature 1. It divides logits; where it
        divides probabilities, they keep their proportions, and the draw looks at nothing else.”
    multiplied: DRAWS_OF["multiplied"](logits, temperature, top_k, generator)
        “A high temperature makes your tokens surer, as if you multiplied by it. Divide, and it makes them bolder.”
    all_tokens: DRAWS_OF["all_tokens"](logits, temperature, top_k, generator)
        “All tokens can be drawn, not only the likeliest top_k.”
    one_too_many: DRAWS_OF["one_too_many"](logits, temperature, top_k, generator)
        “One token too many can be drawn: top_k + 1 of them take part.”
    one_too_few: DRAWS_OF["one_too_few"](logits, temperature, top_k, generator)
        “One token too few can be drawn: the last of the top_k never comes.”
    zero: DRAWS_OF["zero"](logits, temperature, top_k, generator)
        “The other tokens can still be drawn, as if their logits were set to 0, since e⁰ is 1. −∞ rules them out.”
    smallest: DRAWS_OF["smallest"](logits, temperature, top_k, generator)
        “You draw from the top_k smallest logits.”
    even: DRAWS_OF["even"](logits, temperature, top_k, generator)
        “The right tokens are drawn, but all of them equally often; each should have its own probability.”
    softmax_twice: DRAWS_OF["softmax_twice"](logits, temperature, top_k, generator)
        “Your tokens come almost equally often, as if a softmax had been applied to probabilities once more.”
    draws_at_zero: DRAWS_OF["draws_at_zero"](logits, temperature, top_k, generator)
        “At temperature 0 you still draw; the likeliest token should come every time.”
    best_always: DRAWS_OF["best_always"](logits, temperature, top_k, generator)
        “You always take the likeliest token. Above temperature 0 it should be drawn.”
    place: DRAWS_OF["place"](logits, temperature, top_k, generator)
        “You return the place among the top_k, not the id of the token that is there: `topk` gives the ids as
        `indices`.”
    worst_at_zero: DRAWS_OF["worst_at_zero"](logits, temperature, top_k, generator)
        “At temperature 0 you take the smallest logit.”
    without_the_generator: int(torch.multinomial(right(logits, temperature, top_k), 1))
        “Your token is drawn from another source of random numbers, such as torch's global one: pass
        `generator=generator` on, and the same seed writes the same text.”
    """,
    also_right="""
    a mask of −∞: DRAWS_OF["right"](logits, temperature, top_k, generator)
    noise and argmax:
        if temperature == 0:
            return int(logits.argmax())
        best = logits.topk(min(top_k, logits.numel()))
        noise = -torch.empty_like(best.values).exponential_(generator=generator).log()
        return int(best.indices[(best.values / temperature + noise).argmax()])
    along a running sum:
        chances = right(logits, temperature, top_k)
        drawn = torch.rand(1, generator=generator)
        place = int(torch.searchsorted(chances.cumsum(0), drawn, right=True))
        return min(place, int(chances.nonzero().max()))
    sorted:
        if temperature == 0:
            top_k, temperature = 1, 1.0
        values, ids = logits.sort(descending=True)
        place = torch.multinomial((values[:top_k] / temperature).softmax(-1), 1, generator=generator)
        return ids[place].item()
    """,
    hints="""
    - Three steps: temperature 0 first, then the best top_k, then a draw among them. What you draw among them is a
      place, and the place has an id.
    - `best = logits.topk(min(top_k, len(logits)))` has `values` and `indices`. Probabilities are `(best.values /
      temperature).softmax(dim=-1)`.
    - `place = torch.multinomial(probabilities, 1, generator=generator)`, then `best.indices[place].item()`.
    """,
    explanation="""
    Top-k keeps out the long tail of unlikely tokens, which together would be drawn far too often. The temperature
    decides how bold the choice among the rest is. As it goes toward 0, only the likeliest token is left, but a division
    by 0 would give NaN.
    """,
)
