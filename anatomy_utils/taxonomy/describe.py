"""The parts of a model, read off its modules, and what tells two models apart.

Nobody writes down that BERT's norms come after the sub-layers: the describer looks where they are. Notebook 07 shows
each model as its parent plus the parts that differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from torch import nn

from anatomy_utils.taxonomy import attributes, block_diagram, recurrent
from anatomy_utils.taxonomy.block_diagram import StackDrawing
from anatomy_utils.taxonomy.build import build
from anatomy_utils.taxonomy.structure import stacks_of
from anatomy_utils.taxonomy.tree import find

NOTHING = "none"


@dataclass(frozen=True)
class ModelPart:
    """One part of a model in words.

    Attributes:
        name: which part: "positions", "feed-forward".
        value: what this model has there; "none" where it has nothing.
        is_size: whether it is only a number that grows with the model: width, layers, vocabulary.
    """

    name: str
    value: str
    is_size: bool = False


@dataclass(frozen=True)
class Anatomy:
    """The parts of a model in the order of the data, and its stacks as blocks to draw."""

    parts: tuple[ModelPart, ...]
    stacks: tuple[StackDrawing, ...]

    def __getitem__(self, name: str) -> str:
        """The value of a part."""
        return next(part.value for part in self.parts if part.name == name)


@dataclass(frozen=True)
class Difference:
    """A part in which a child is not as its parent."""

    part: str
    parent: str
    child: str
    is_size: bool = False


def describe(model: nn.Module) -> Anatomy:
    """The parts of a built model, on any device.

    >>> from anatomy_utils.zoo.bert import BertConfig, bert
    >>> describe(bert(BertConfig(7, 4, 1, 2, 8, 5)))["positions"]
    'learned, one vector per place, added to the tokens'
    """
    if recurrent.is_root(model):
        has, sizes = recurrent.parts_of(model), attributes.SIZES
        names = [*attributes.DESIGN, "output", *sizes]
        return Anatomy(
            tuple(ModelPart(name, has.get(name, NOTHING), name in sizes) for name in names),
            recurrent.drawings_of(model),
        )
    stacks = stacks_of(model)
    found = [ModelPart(name, _joined(stacks, read)) for name, read in attributes.DESIGN.items()]
    found += [ModelPart("output", attributes.output(model, stacks))]
    found += [ModelPart(name, _joined(stacks, read), is_size=True) for name, read in attributes.SIZES.items()]
    *read, last = (block_diagram.drawn(name, stack) for name, stack in stacks)
    return Anatomy(tuple(found), (*read, block_diagram.with_head(last, model)))


def difference(child: Anatomy, parent: Anatomy) -> list[Difference]:
    """What tells a child from its parent, part by part, in the order of the data."""
    return [
        Difference(mine.name, theirs.value, mine.value, mine.is_size)
        for mine, theirs in zip(child.parts, parent.parts, strict=True)
        if mine.value != theirs.value
    ]


def _joined(stacks: list[tuple[str, Any]], read: Any) -> str:
    """What is read off each stack; said once where both agree."""
    values = {name: read(stack) for name, stack in stacks}
    if len(set(values.values())) == 1:
        return next(iter(values.values())) or NOTHING
    return "; ".join(f"{name}: {value}" for name, value in values.items() if value)


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
    ['norms placed', 'last norm']
    """
    other = against or find(name).parent
    if not other:
        raise ValueError(f"{name} has no parent in the tree; say against which model to compare it.")
    return difference(anatomy_of(name), anatomy_of(other))
