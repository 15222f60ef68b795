"""A function that returns a list, a tuple, a dict or a text, held beside what is wanted: a sentence shows both.

A right answer becomes a tensor, as every drive's; any other one an `Objection` with an example.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from anatomy_course.judge.definition import Objection
from anatomy_course.judge.stub import with_names

LONGEST = 90  # characters of one value in a sentence
SHOWN = 8  # entries of a list in a sentence
Look = Callable[[Any, Any, Mapping[str, Any]], Objection | None]


@dataclass(frozen=True)
class PlainDrive:
    """Turns such a function into one that returns a tensor or an objection.

    Args:
        given: what an answer may call by name, where its notebook does not have it.
    """

    reference: Callable[..., Any]  # what gives the wanted result
    names: tuple[str, ...]  # of the case's arguments
    look: Look  # called with what was returned, what is wanted, and the arguments by name; None where both are the same
    as_tensor: Callable[[Any], Tensor]  # of a right result
    given: Mapping[str, Callable[..., Any]] = field(default_factory=dict)

    def __call__(self, answer: Callable[..., Any], *arguments: Any) -> Tensor | Objection | None:
        before = tuple(map(copy.copy, arguments))  # what they hold cannot be changed: tuples and numbers
        with with_names(answer, self.given):
            result = answer(*arguments)
        if result is None:
            return None
        named = dict(zip(self.names, before, strict=True))
        wanted = self.reference(*before)
        if objection := self.look(result, wanted, named):
            return objection
        for name, was, now in zip(self.names, before, arguments, strict=True):
            if was != now:
                words = f"What you return is right, but your function changes its input: `{name}` is not as before."
                return Objection("changed", words)
        return self.as_tensor(wanted)


def not_a(kind: type, result: Any, cure: str) -> Objection | None:
    """An objection to a result of another type; `cure`, what to do, ends the sentence."""
    if isinstance(result, kind):
        return None
    have = "tensor" if isinstance(result, Tensor) else type(result).__name__
    article = "an" if have[0] in "aeioAEIO" else "a"
    return Objection("type", f"You return {article} {have}; a {kind.__name__} is wanted: {cure}", shown(result))


def no_ids(result: Sequence[Any]) -> Objection | None:
    """An objection to something in a list that is no whole number of 0 or more."""
    for place, each in enumerate(result):
        if type(each) is not int or each < 0:
            return Objection(
                "entry",
                f"Number {place} of what you return is {shown(each)}; each should be an id: a whole number, 0 or more.",
                shown(result),
            )
    return None


def other_ids(result: Sequence[int], wanted: Sequence[int], call: str) -> Objection | None:
    """An objection that shows where two lists of ids part; None where they do not."""
    if list(result) == list(wanted):
        return None
    kind: Any = type(wanted)
    if max(len(result), len(wanted)) <= 2 * SHOWN:
        have, want = str(kind(result)), str(wanted)
        return Objection("value", f"{call} should return {want}; yours returns {have}.", kind(result))
    ways = zip(result, wanted, strict=False)
    place = next((i for i, (a, b) in enumerate(ways) if a != b), min(len(result), len(wanted)))
    have, want = (", ".join(map(str, each[place : place + SHOWN])) for each in (result, wanted))
    return Objection(
        "value",
        f"{call} should return {len(wanted)} ids, and yours returns {len(result)}. The first {place} agree; then "
        f"yours go on with {have or 'nothing'}, and right ones with {want or 'nothing'}.",
        kind(result),
    )


def shown(value: Any) -> str:
    """A value as Python writes it, cut where it is long."""
    written = repr(value)
    return written if len(written) <= LONGEST else f"{written[: LONGEST - 2]} …"


def ids_as_tensor(ids: Sequence[int]) -> Tensor:
    return torch.tensor(list(ids), dtype=torch.long)
