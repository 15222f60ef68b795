"""Kinds of cases for attention; queries and keys that match very strongly."""

from collections.abc import Callable

import torch

from anatomy_course.content.writing import Case, Cases, Draw, Generator, Objection, Tensor

WITH_HEADS = (
    ("one sentence", ()),
    ("a batch of sentences", (2,)),
    ("a batch with heads", (2, 3)),
    ("a batch of one sentence", (1,)),
)
"""Kind of a case → the axes in front of position and feature; a bare squeeze would lose one of length 1."""


def normal_cases(axes: str, **arguments: str) -> Callable[[Generator], Cases]:
    """Cases of each kind whose arguments, given by the names of their axes, are standard normal."""

    def cases(generator: Generator) -> Cases:
        for kind, lead in WITH_HEADS:
            draw = Draw(generator, axes)
            yield Case({name: draw(of, lead) for name, of in arguments.items()}, kind, draw.sizes)

    return cases


def lift(query: Tensor, key: Tensor, amount: Tensor | float) -> None:
    """Give both a first feature that adds `amount` (a number, or one per key) to the scaled scores.

    With 144 more e to the power of a score is beyond float32, with 144 less it is 0: a softmax must stand both.
    """
    query[..., 0] = 12.0
    key[..., 0] = amount * query.shape[-1] ** 0.5 / 12.0


def verdict(said: object, right: bool, refused: str, believed: str) -> tuple[Tensor, ...] | Objection | None:
    """1 where a learner's test says what is true; else what it refused, or believed, in a sentence."""
    if said is None:
        return None
    if not isinstance(said, bool):
        return Objection("type", f"You return something of type {type(said).__name__}; True or False is wanted.")
    if said == right:
        return (torch.ones(()),)
    return Objection("refused", refused) if right else Objection("believed", believed)
