"""What a model of the tree changes, by name: both models built and described once."""

from __future__ import annotations

from functools import cache

from anatomy_utils.taxonomy import find
from anatomy_utils.taxonomy.build import build
from anatomy_utils.taxonomy.describe import Anatomy, Difference, describe, difference


@cache
def anatomy_of(name: str) -> Anatomy:
    """The parts of a model in its first published size.

    Raises:
        ValueError: there is no such row, or it is only described.
    """
    model = find(name)
    if not model.runs:
        raise ValueError(f"{model.name} is only described in the tree; choose a row that runs.")
    return describe(build(model, model.sizes[0]))


def changes(name: str, against: str | None = None) -> list[Difference]:
    """The parts in which a model is not as another one.

    Args:
        name: of the model.
        against: of the other one; its parent when left out.

    Raises:
        ValueError: there is no such row, one of the two is only described, or the model has no parent.

    >>> [change.part for change in changes("GPT-2") if not change.is_size]
    ['norms stand', 'last norm']
    """
    other = against or find(name).parent
    if not other:
        raise ValueError(f"{name} has no parent in the tree; say against which model to compare it.")
    return difference(anatomy_of(name), anatomy_of(other))
