"""Notebook 10: one new token, judged by how often each is drawn.

How an answer draws is its own affair: with `multinomial`, with added noise, along a running sum. So many draws are
counted, and the shares are taken for the nearest of the distributions that the solution and the mistakes draw from.
"""

# mypy: disable-error-code="return-value"
# A tensor's `item` may be a float for mypy; the solution's first line is what learners see.

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from anatomy_course.content.writing import Case, Cases, Generator, Objection, Tensor, primes, written


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


KINDS = {
    "a low temperature": (0.1, 3, (-1.0, -1.8, -2.6, -3.4, -4.2)),
    "a high temperature": (10.0, 2, (9.5, 0.5, -14.0, -15.0, -16.0)),
    "temperature 0": (0.0, 3, (2.0, 2.0 - 5e-7, -0.05, -0.1, -2.15)),
    "a top_k beyond the vocabulary": (1.0, 50, (2.0, 0.0, -0.05, -0.1, -0.15)),
    "only the best token": (2.0, 1, (2.0, 0.0, -0.05, -0.1, -0.15)),
    "large logits": (1.0, 1, (202.0, 200.0, 199.5, 199.0, 198.5)),
}
"""Temperature, top_k, and logits in falling order, such that what usually goes wrong shows in which tokens come, or
clearly in how often: at temperature 0, the second would come too if somebody drew at a tiny temperature instead, and
the last has the largest square."""


def cases(generator: Generator) -> Cases:
    for kind, (temperature, top_k, heights) in KINDS.items():
        vocabulary = primes(generator, 1, (5, 7))[0]
        falling = torch.cat([torch.tensor(heights), heights[-1] - torch.arange(1.0, vocabulary - 4)])
        logits = falling[torch.randperm(vocabulary, generator=generator)]
        seed = int(torch.randint(1000, (1,), generator=generator))
        arguments = {"logits": logits, "temperature": temperature, "top_k": top_k, "seed": seed}
        yield Case(arguments, kind, {"vocabulary": vocabulary})


DRAWS, FEW = 300, 40
"""How many tokens are drawn, and how many are enough where there is no chance in it."""
NEAR, APART = 0.15, 0.12
"""How far a share may be from a probability, and from where on two distributions are told apart."""


def drive(answer: Callable[..., Any], logits: Tensor, temperature: float, top_k: int, seed: int) -> Any:
    """The distribution that the answer's tokens come from."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        first = ids_of(answer, logits, temperature, top_k, seed, FEW)
        if not isinstance(first, list):
            return first
        sure = (temperature == 0 or top_k == 1) and len(set(first)) == 1
        drawn = ids_of(answer, logits, temperature, top_k, seed, FEW if sure else DRAWS)
    if not isinstance(drawn, list):
        return drawn
    if drawn[:FEW] != first:
        words = "Two generators in the same state give different tokens: something is drawn without `generator`."
        return Objection("not_repeatable", words)
    shares = torch.bincount(torch.tensor(drawn), minlength=len(logits)) / len(drawn)
    could_be: list[Tensor] = []
    for chances in known(tuple(logits.tolist()), temperature, top_k):
        if same_tokens(chances, shares) and all(distance(chances, other) > APART for other in could_be):
            could_be.append(chances)
    nearest = min(could_be, key=lambda chances: distance(chances, shares), default=shares)
    return nearest if distance(nearest, shares) <= NEAR else shares


def ids_of(
    answer: Callable[..., Any], logits: Tensor, temperature: float, top_k: int, seed: int, count: int
) -> list[int] | Objection | None:
    """As many ids as wanted, or what is wrong with one."""
    generator, found = torch.Generator().manual_seed(seed), []
    given = logits.clone()
    for _ in range(count):
        id = answer(given, temperature, top_k, generator)
        if not torch.equal(given, logits):
            words = "Your function changes `logits` in place: whoever gave them to you finds other numbers there."
            return Objection("changed", f"{words} Work on a new tensor.")
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


@lru_cache(maxsize=16)
def known(logits: tuple[float, ...], temperature: float, top_k: int) -> list[Tensor]:
    """The distributions of the solution and of the mistakes."""
    answers = (next_id, *(mistake.function for mistake in EXERCISE.mistakes))
    return [chances_of(answer, torch.tensor(logits), temperature, top_k) for answer in answers]


class _DrawnPlace(TorchFunctionMode):
    """Inside, `torch.multinomial` always draws the same place; `chances` are then those of all places."""

    def __init__(self, place: int) -> None:
        super().__init__()
        self.place, self.chances = place, torch.ones(1)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is not torch.multinomial:
            return func(*args, **(kwargs or {}))
        self.chances = args[0] / args[0].sum()
        return torch.tensor([self.place])


def chances_of(answer: Callable[..., Any], logits: Tensor, temperature: float, top_k: int) -> Tensor:
    """Each token's probability, exactly, from an answer that draws no more than one place with `torch.multinomial`."""
    shares, place, chances = torch.zeros(len(logits)), 0, torch.ones(1)
    while place < len(chances):
        with _DrawnPlace(place) as drawn:
            id = answer(logits, temperature, top_k, torch.Generator())
        chances = drawn.chances
        shares[id] += chances[place]
        place += 1
    return shares


def distance(one: Tensor, other: Tensor) -> float:
    return float((one - other).abs().max())


def same_tokens(chances: Tensor, shares: Tensor) -> bool:
    """Whether only such tokens were drawn as can be, and all that often come."""
    return bool(((shares == 0) | (chances > 0)).all() and ((shares > 0) | (chances < 0.05)).all())


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
    no_temperature: best.values / temperature ⇒ best.values
        “The temperature changes nothing: your tokens come as often as at temperature 1. It divides logits; where it
        divides probabilities, they keep their proportions, and the draw looks at nothing else.”
    multiplied: best.values / temperature ⇒ best.values * temperature
        “A high temperature makes your tokens surer, as if you multiplied by it. Divide, and it makes them bolder.”
    all_tokens: min(top_k, len(logits)) ⇒ len(logits)
        “All tokens can be drawn, not only the likeliest top_k.”
    one_too_many (a mask of −∞): min(top_k, ⇒ min(top_k + 1,
        “One token too many can be drawn: top_k + 1 of them take part.”
    one_too_few: min(top_k, ⇒ min(max(1, top_k - 1),
        “One token too few can be drawn: the last of the top_k never comes.”
    zero (a mask of −∞): -torch.inf ⇒ 0.0
        “The other tokens can still be drawn, as if their logits were set to 0, since e⁰ is 1. −∞ rules them out.”
    smallest: min(top_k, len(logits)) ⇒ min(top_k, len(logits)), largest=False
        “You draw from the top_k smallest logits.”
    even: (best.values / temperature).softmax(dim=-1) ⇒ torch.ones(len(best.values))
        “The right tokens are drawn, but all of them equally often; each should have its own probability.”
    softmax_twice (a mask of −∞): .softmax(dim=-1) ⇒ .softmax(dim=-1).softmax(dim=-1)
        “Your tokens come almost equally often, as if a softmax had been applied to probabilities once more.”
    draws_at_zero: return logits.argmax().item() ⇒ temperature = 1.0
        “At temperature 0 you still draw; the likeliest token should come every time.”
    best_always: logits.argmax().item()
        “You always take the likeliest token. Above temperature 0 it should be drawn.”
    place: best.indices[place] ⇒ place
        “You return the place among the top_k, not the id of the token that is there: `topk` gives the ids as
        `indices`.”
    worst_at_zero: argmax ⇒ argmin
        “At temperature 0 you take the smallest logit.”
    without_the_generator: , generator=generator ⇒
        “Your token is drawn from another source of random numbers, such as torch's global one: pass
        `generator=generator` on, and the same seed writes the same text.”
    """,
    also_right="""
    a mask of −∞:
        best.values / temperature ⇒ logits.masked_fill(logits < best.values[-1], -torch.inf) / temperature
        best.indices[place] ⇒ place
    noise and argmax:
        torch.multinomial(probabilities, 1, generator=generator) ⇒
            (probabilities.log() - torch.empty_like(probabilities).exponential_(generator=generator).log()).argmax()
    along a running sum:
        torch.multinomial(probabilities, 1, generator=generator) ⇒
            torch.searchsorted(probabilities.cumsum(0), torch.rand(1, generator=generator), right=True)
        best.indices[place] ⇒ best.indices[place.clamp(max=len(probabilities) - 1)]
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
