"""What the taxonomy's widgets are told of a model: words, numbers and formulas, ready for the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

BRANCHES = ("root", "encoder", "decoder", "encoder–decoder")
Told = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class ModelCard:
    """One model of the family tree.

    Attributes:
        name: as people call it.
        year: of the first publication.
        parent: the model that it changes, "" for a root.
        branch: one of `BRANCHES`.
        change: against the parent, in a few words.
        paper: arXiv id, or "".
        objectives: pairs of a name and the question that the model is asked while it learns.
        note: what a reader would stumble over.
        parts: {name, value, is_size}, the same names in the same order for every model; none for a described row.
        stacks: {name, repeats, below, layer, above}: blocks {label, role, parts} from the bottom up.
        sizes: {name, parameters, published, organs, work, cache}; the last two are {fixed, once, growing}.
        masks: {name, rows}: who may attend to whom, rows of 0 and 1.
    """

    name: str
    year: int
    parent: str
    branch: str
    change: str
    paper: str = ""
    objectives: Sequence[tuple[str, str]] = ()
    note: str = ""
    parts: Told = ()
    stacks: Told = ()
    sizes: Told = ()
    masks: Told = ()


@dataclass(frozen=True)
class ModelRun:
    """What a small version of a model did with a sentence.

    Attributes:
        texts: the tokens that went in, one list for each stack.
        shapes: pairs of a tensor's name and its shape, in the order in which they were made.
        maps: {label, queries, keys, weights}: attention weights as whole numbers of 255ths, (heads, query, key).
    """

    texts: Sequence[Sequence[str]]
    shapes: Sequence[tuple[str, str]]
    maps: Told = field(default_factory=tuple)


def told(cards: Sequence[ModelCard]) -> list[dict[str, Any]]:
    """The cards for the page.

    Raises:
        ValueError: no cards, a name twice, a branch that does not exist, or a parent without a card.
    """
    names = [card.name for card in cards]
    if not names or len(set(names)) < len(names):
        raise ValueError(f"The models are {names}; give at least one, and each its own name.")
    for card in cards:
        if card.branch not in BRANCHES:
            raise ValueError(f"{card.name} is of the branch {card.branch!r}; the branches are {', '.join(BRANCHES)}.")
        if card.parent and card.parent not in names:
            raise ValueError(f"{card.name}'s parent {card.parent!r} has no card; give it one.")
    return [asdict(card) for card in cards]


def place_of(name: str, cards: Sequence[ModelCard], *, running: bool = False) -> str:
    """The name, if there is a card of that name.

    Raises:
        ValueError: there is none, or it is only described where one that runs is needed.
    """
    known = [card.name for card in cards if card.parts or not running]
    if name not in known:
        raise ValueError(f"There is no model {name!r} to show; choose one of {', '.join(known)}.")
    return name
