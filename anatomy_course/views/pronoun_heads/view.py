"""Culprit heads: switch a translator's heads off, by hand or by a search, until it no longer knows what *it* is.

Every head of every attention is a switch, coloured by what the translator loses without it alone. Python answers with
the share of right pronouns without all that are off, beside as many heads drawn at random, and translates a minimal
pair again. Notebook 05. The widget knows no model: it is given four functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import traitlets

from anatomy_course.views._kit.base import numbers
from anatomy_course.views._kit.request import Asking

if TYPE_CHECKING:
    from anatomy_course.figures.picture import Picture

Place = tuple[str, int, int]
"""(organ, layer, head), from 0."""
Places = Sequence[Place]

MOST_LOST = 0.5
"""The loss that gets the darkest colour: who knows nothing gets half of the pronouns right."""
DEFAULT_LABEL = "Culprit heads: who knows what “it” is?"


@dataclass(frozen=True)
class AttentionKind:
    """One kind of attention, and what its heads are worth."""

    name: str
    """As in a `Place`."""
    label: str
    """What the page calls it."""
    right: Any
    """(layers, heads): the share of right pronouns without this head alone."""


@dataclass(frozen=True)
class Pair:
    """A minimal pair to be translated."""

    english: tuple[str, str]
    pronouns: tuple[str, str]
    """The right word after *qu'* in either translation."""


@dataclass(frozen=True)
class HeadFunctions:
    """What the widget asks Python, each time without some heads.

    Attributes:
        right: the share of right pronouns.
        at_random: how many heads → the shares without so many heads drawn at random, one for each draw.
        translate: (pair, heads) → the two translations.
        search: the steps of a search, as it goes: the heads that are off, and the share on the searcher's own pairs.
    """

    right: Callable[[Places], float]
    at_random: Callable[[int], Sequence[float]]
    translate: Callable[[Pair, Places], Sequence[str]]
    search: Callable[[], Iterable[tuple[Places, float]]]


class PronounHeads(Asking, module="pronoun_heads/view.js", shares=("_kit/request.js", "pronoun_heads/panels.js")):
    """Heads as switches, the right pronouns without them, a minimal pair translated, and a search.

    Args:
        organs: all heads.
        lab: what Python can be asked.
        pairs: minimal pairs to translate; the first one is shown at first.
        off: heads that are off at first.
        label: heading and accessible name.

    Raises:
        ValueError: no organ or pair, shares that are none, or a head that is not there.
    """

    organs = traitlets.List(traitlets.Dict()).tag(sync=True)
    """[{name, label, layers, heads, right}], the shares of all heads one layer after the other."""
    pairs = traitlets.List(traitlets.Dict()).tag(sync=True)
    pair = traitlets.Int(0).tag(sync=True)
    """The pair that `written` translates."""
    off = traitlets.List(traitlets.List()).tag(sync=True)
    """[organ, layer, head] of every head without which the numbers below were measured."""
    intact = traitlets.Float().tag(sync=True)
    right = traitlets.Float().tag(sync=True)
    at_random = traitlets.List(traitlets.Float()).tag(sync=True)
    """Without as many heads drawn at random; empty where all heads are on."""
    written = traitlets.List(traitlets.Unicode()).tag(sync=True)
    steps = traitlets.List(traitlets.Dict()).tag(sync=True)
    """[{off, right}] of the last search; it grows while the search goes on."""

    def __init__(
        self,
        organs: Sequence[AttentionKind],
        lab: HeadFunctions,
        pairs: Sequence[Pair],
        *,
        off: Places = (),
        label: str = DEFAULT_LABEL,
    ) -> None:
        if not organs or not pairs:
            raise ValueError(f"There are {len(organs)} organs and {len(pairs)} pairs; give at least one of each.")
        self._lab, self._pairs = lab, tuple(pairs)
        self._random: dict[int, list[float]] = {}
        told = [_told(organ) for organ in organs]
        self._layers = {organ["name"]: (organ["layers"], organ["heads"]) for organ in told}
        question = {"off": [list(place) for place in off], "pair": 0}
        first = self.answer(question)
        super().__init__(
            organs=told, label=label, question=question, intact=float(lab.right([])), **first,
            pairs=[{"english": list(pair.english), "pronouns": list(pair.pronouns)} for pair in pairs],
        )  # fmt: skip

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """What is lost without the heads that are off, after a search where one is asked for."""
        pair: Any = question.get("pair")
        if pair not in range(len(self._pairs)):
            raise ValueError(f"Pair {pair!r} was asked for; there are pairs 0 to {len(self._pairs) - 1}.")
        off = self._searched() if question.get("search") else self._known(question.get("off", []))
        if len(off) not in self._random:
            self._random[len(off)] = [float(share) for share in self._lab.at_random(len(off))] if off else []
        return {
            "off": [list(place) for place in off],
            "right": float(self._lab.right(off)),
            "at_random": self._random[len(off)],
            "pair": pair,
            "written": list(self._lab.translate(self._pairs[pair], off)),
        }

    def static_twin(self) -> Picture:
        """What is lost without each head alone."""
        from anatomy_course.figures import plots

        lost = {organ["label"]: np.maximum(0, self.intact - self.shares_of(organ["name"])) for organ in self.organs}
        worst = max((float(values.max()), label, values) for label, values in lost.items())
        layer, head = np.unravel_index(worst[2].argmax(), worst[2].shape)
        alone = f"Most is lost without {worst[1]} {layer}·{head} alone: {100 * worst[0]:.0f} points"
        names = ", ".join(f"{organ} {layer}·{head}" for organ, layer, head in self.off)
        together = f"; without {names} together {100 * (self.intact - self.right):.0f} points" if self.off else ""
        return plots.heatmaps(
            list(lost.items()), title="Right pronouns lost without each head alone; rows: layers, columns: heads",
            limit=MOST_LOST, values=True, axes=("layer", "head"),
            alt=f"The heads of {len(lost)} kinds of attention. With all of them {self.intact:.0%} of the pronouns are "
            f"right. {alone}{together}.",
        )  # fmt: skip

    def shares_of(self, name: str) -> np.ndarray:
        """(layers, heads): the shares of an organ, as the browser has them."""
        found = next(organ for organ in self.organs if organ["name"] == name)
        return np.asarray(found["right"]).reshape(found["layers"], found["heads"])

    def _searched(self) -> list[Place]:
        """Search, and tell the page of each step as soon as it is done."""
        off: list[Place] = []
        self.steps = []
        for heads, right in self._lab.search():
            off = self._known(heads)
            self.steps = [*self.steps, {"off": [list(place) for place in off], "right": float(right)}]
        return off

    def _known(self, places: Any) -> list[Place]:
        """Each place once, as it is meant."""
        for place in places:
            layers, heads = self._layers.get(place[0], (0, 0)) if len(place) == 3 else (0, 0)
            if not layers or not (0 <= place[1] < layers and 0 <= place[2] < heads):
                raise ValueError(
                    f"There is no head {list(place)}; give [organ, layer, head], the organ one of "
                    f"{', '.join(f'{name} ({rows} × {columns})' for name, (rows, columns) in self._layers.items())}."
                )
        return [(str(organ), int(layer), int(head)) for organ, layer, head in dict.fromkeys(map(tuple, places))]


def _told(organ: AttentionKind) -> dict[str, Any]:
    shares = numbers(organ.right, f"right of {organ.name!r}", ("layers", "heads"))
    if shares.size == 0 or shares.min() < 0 or shares.max() > 1:
        raise ValueError(f"right of {organ.name!r} has to hold shares from 0 to 1, one for each head.")
    layers, heads = shares.shape
    return {
        "name": organ.name, "label": organ.label, "layers": layers, "heads": heads, "right": shares.ravel().tolist(),
    }  # fmt: skip
