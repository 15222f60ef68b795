"""Notebook 06: the fewest parts whose exchange together turns the decision round."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Objection, Output, Tensor, written


def smallest_swap(flips, num_parts: int, enough: float) -> list[int]:
    """Parts are numbered from 0 to num_parts − 1. flips(chosen) exchanges all parts in the list chosen and
    gives the share of decisions that flip, 0 to 1 → the fewest parts, at least one, that together flip at
    least enough; of equally few, those that flip most. All parts together always flip enough."""
    from itertools import combinations

    for count in range(1, num_parts + 1):
        best = max(combinations(range(num_parts), count), key=flips)
        if flips(best) >= enough:
            break
    return list(best)


@dataclass(frozen=True)
class Flips:
    """Teams of parts, and what each adds to the share where all of its parts are chosen; together at most 1."""

    teams: tuple[tuple[frozenset[int], float], ...]
    num_parts: int

    def __call__(self, chosen: Collection[int]) -> float:
        here = {int(part) for part in chosen}
        if outside := here - set(range(self.num_parts)):
            raise IndexError(f"there is no part {min(outside)}; parts are numbered from 0 to {self.num_parts - 1}")
        return min(1.0, sum((share for team, share in self.teams if team <= here), 0.0))

    def __repr__(self) -> str:
        return "a model's decisions"


TEAMS: dict[str, tuple[float, dict[tuple[int, ...], float]]] = {
    "one is enough": (0.5, {(0,): 0.75, (1,): 0.25, (2,): 0.125}),
    "two are enough alone": (0.5, {(0,): 0.625, (1,): 0.875, (2,): 0.125}),
    "two that need each other": (0.875, {(0, 1): 0.9375, (2,): 0.5, (3,): 0.3125, (4,): 0.125}),
    "exactly enough": (0.75, {(0,): 0.5, (1,): 0.25, (2,): 0.1875, (3,): 0.125}),
    "several pairs are enough": (0.5, {(0,): 0.375, (1,): 0.25, (2, 3): 0.875, (1, 4): 0.125}),
    "one that spoils another": (0.75, {(0,): 0.5, (1,): 0.4375, (0, 1): -0.5, (2,): 0.375, (3,): 0.25}),
    "two, or three others": (0.75, {(0, 1): 0.875, (2, 3, 4): 0.8125}),
    "all are needed": (0.9375, {(0,): 0.25, (1,): 0.25, (2,): 0.25, (3,): 0.25}),
}
"""Kind → how much is enough, and which parts add what. The numbers are exact as floats."""


def cases(generator: Generator) -> Cases:
    for kind, (enough, teams) in TEAMS.items():
        num_parts = 1 + max(part for team in teams for part in team)
        order = torch.randperm(num_parts, generator=generator)
        if kind == "two, or three others":
            order = torch.arange(num_parts)  # whoever takes parts away one by one begins with one of the two
        for numbers in (order.tolist(), order.flip(0).tolist()):  # no way of trying one after the other is always lucky
            made = tuple((frozenset(numbers[part] for part in team), share) for team, share in teams.items())
            arguments = {"flips": Flips(made, num_parts), "num_parts": num_parts, "enough": enough}
            yield Case(arguments, kind, {"part": num_parts})


def drive(answer: Callable[..., object], flips: Flips, num_parts: int, enough: float) -> Tensor | Objection:
    """Which parts were chosen, a 1 for each."""
    found = answer(flips, num_parts, enough)
    try:
        chosen = [int(part) for part in found]  # type: ignore[attr-defined]
    except (TypeError, ValueError, RuntimeError):
        return Objection("list", f"Return a list of part numbers; yours is a {type(found).__name__}.")
    if outside := [part for part in chosen if not 0 <= part < num_parts]:
        return Objection("outside", f"Your list has {outside[0]}; parts are numbered from 0 to num_parts − 1.")
    if len(set(chosen)) < len(chosen):
        return Objection("twice", "Your list has a part twice.")
    return torch.zeros(num_parts).index_fill(0, torch.tensor(chosen, dtype=torch.long), 1.0)


EXERCISE = written(
    smallest_swap,
    title="The smallest swap",
    task="Find the fewest parts whose exchange together flips enough decisions; of equally few, those that flip most.",
    level="medium, 8 minutes",
    returns=(Output("chosen parts", "part"),),
    cases=cases,
    observe=drive,
    mistakes="""
    greedy:
        chosen = []
        while not chosen or flips(chosen) < enough:
            rest = [part for part in range(num_parts) if part not in chosen]
            chosen.append(max(rest, key=lambda part: flips([*chosen, part])))
        return chosen
        “You keep the best part and add to it. Two parts that do little alone can do all of it together, and then the
        best one alone is in no smallest set: try all sets of each size.”
    best_ones:
        order = sorted(range(num_parts), key=lambda part: flips([part]), reverse=True)
        count = 1
        while flips(order[:count]) < enough:
            count += 1
        return order[:count]
        “You line the parts up by what each flips alone. What several flip together is not the sum of that.”
    taken_away:
        chosen = list(range(num_parts))
        for part in range(num_parts):
            fewer = [other for other in chosen if other != part]
            if fewer and flips(fewer) >= enough:
                chosen = fewer
        return chosen
        “You begin with all parts and take away what is not needed. What is left depends on the order in which you try,
        and a smaller set may be overlooked.”
    first_found:
        from itertools import combinations

        for count in range(1, num_parts + 1):
            for chosen in combinations(range(num_parts), count):
                if flips(chosen) >= enough:
                    return list(chosen)
        “Your set is as small as can be, but it is the first one that was enough. Of equally few parts, those are asked
        for that flip most.”
    last_found:
        from itertools import combinations

        found = []
        for count in range(1, num_parts + 1):
            for chosen in combinations(range(num_parts), count):
                if flips(chosen) >= enough and len(found) in (0, count):
                    found = list(chosen)
        return found
        “Your set is as small as can be, but it is the last one that was enough. Of equally few parts, those are asked
        for that flip most.”
    largest:
        from itertools import combinations

        every = [chosen for count in range(1, num_parts + 1) for chosen in combinations(range(num_parts), count)]
        return list(max(every, key=flips))
        “You return the set that flips most of all, however large. The fewest parts that flip enough are asked for.”
    more_than_enough: >= enough ⇒ > enough
        “A set that flips exactly `enough` is enough, too; yours goes on to a larger one.”
    from_two: range(1, ⇒ range(2,
        “A single part is never tried.”
    least: max(combinations ⇒ min(combinations
        “Of the sets of one size you look at the one that flips least.”
    all_of_them: list(range(num_parts))
        “You return all parts. That is enough, but not the fewest.”
    only_one: range(1, num_parts + 1) ⇒ range(1, 2)
        “You return one part even where no single one is enough.”
    from_one: list(best) ⇒ [part + 1 for part in best]
        “You count parts from 1; here they are counted from 0.”
    """,
    also_right="""
    every set, then the best:
        from itertools import combinations

        every = [chosen for count in range(1, num_parts + 1) for chosen in combinations(range(num_parts), count)]
        right = [chosen for chosen in every if flips(chosen) >= enough]
        return list(min(right, key=lambda chosen: (len(chosen), -flips(chosen))))
    a number for each set:
        best = None
        for number in range(1, 2**num_parts):
            chosen = [part for part in range(num_parts) if number >> part & 1]
            share = flips(chosen)
            if share >= enough and (best is None or (len(chosen), -share) < best[:2]):
                best = len(chosen), -share, chosen
        return best[2]
    kept while it is better:
        from itertools import combinations

        for count in range(1, num_parts + 1):
            best, most = [], enough
            for chosen in combinations(range(num_parts), count):
                share = flips(chosen)
                if share > most or (share == most and not best):
                    best, most = list(chosen), share
            if best:
                return best
    """,
    hints="""
    - Begin with single parts. If none is enough, which sets come next? When may you stop?
    - `combinations(range(num_parts), count)` from `itertools` gives every set of `count` parts as a tuple, and `flips`
      takes such a tuple, too.
    - For each `count` from 1 on: `best = max(combinations(range(num_parts), count), key=flips)`. If `flips(best)` is
      at least `enough`, return it as a list.
    """,
    explanation="""
    To try all sets of a size is exact, and grows fast: of 8 parts there are 70 sets of four, of 24 there are 10,626.
    For large models one adds the best part again and again (greedy search), and may miss two that only matter together.
    """,
)
