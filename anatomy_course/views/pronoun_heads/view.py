"""Culprit heads: switch a translator's heads off, by hand or by a search, until it no longer knows what *it* is.

Every head of every attention is a switch, colored by what the translator loses without it alone. Python answers with
the share of right pronouns without all that are off, beside as many heads drawn at random, and translates a minimal
pair again. Notebook 06. The class knows no model: it is given four functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import traitlets

from anatomy_course.figures import plots
from anatomy_course.figures.picture import Picture
from anatomy_course.lab.experiments import pronoun_heads as experiment
from anatomy_course.lab.experiments.pronoun_heads import AttentionHead
from anatomy_course.lab.small_models.translator import translate
from anatomy_course.lab.street.batches import translation
from anatomy_course.lab.street.inventory import MinimalPair, flips
from anatomy_course.lab.street.parser import say
from anatomy_course.lab.street.sampling import sample_minimal_pairs
from anatomy_course.lab.street.scene import Scene
from anatomy_course.views._kit.checks import numbers
from anatomy_course.views._kit.request import Asking
from anatomy_utils.nn.encoder_decoder import EncoderDecoder

Place = tuple[str, int, int]
"""(organ, layer, head), from 0."""
Places = Sequence[Place]

MOST_LOST = 0.5
"""The loss that gets the darkest color: who knows nothing gets half of the pronouns right."""
LABELS = {
    "encoder": "Encoder: self-attention",
    "decoder": "Decoder: self-attention",
    "cross": "Decoder: cross-attention",
}
SHOWN_PAIRS = 6


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


class PronounHeads(Asking):
    """Heads as switches, the right pronouns without them, a minimal pair translated, and a search.

    Args:
        organs: all heads.
        lab: what Python can be asked.
        pairs: minimal pairs to translate; the first one is shown at first.
        off: heads that are off at first.

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
        label: str = "Culprit heads: who knows what “it” is?",
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

    def still_picture(self) -> Picture:
        """What is lost without each head alone."""
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
    shares = numbers(organ.right, f"right of {organ.name!r}", "layers heads")
    if shares.size == 0 or shares.min() < 0 or shares.max() > 1:
        raise ValueError(f"right of {organ.name!r} has to hold shares from 0 to 1, one for each head.")
    layers, heads = shares.shape
    return {
        "name": organ.name, "label": organ.label, "layers": layers, "heads": heads, "right": shares.ravel().tolist(),
    }  # fmt: skip


def pronoun_heads(
    model: EncoderDecoder,
    *,
    to_search: experiment.PronounTest | None = None,
    to_judge: experiment.PronounTest | None = None,
    off: Sequence[AttentionHead] = (),
    sets: int = 20,
) -> PronounHeads:
    """All heads of a translator, and what it makes of *it* without those that are switched off.

    Args:
        model: from `small_models.translator`.
        to_search: what the search is led by; 60 pairs of the validation split when left out.
        to_judge: what all shares are measured on; 150 pairs of the test split when left out.
        off: see `PronounHeads`.
        sets: how many times as many heads are drawn at random.
    """
    to_search = to_search or _draw(60, "validation")
    to_judge = to_judge or _draw(150, "test")

    def right(places: Places) -> float:
        return experiment.pronouns_right_in_reference(model, to_judge, _heads(places))

    heads = experiment.all_heads(model)
    alone = torch.tensor([right([head]) for head in heads])
    organs = []
    for name, label in LABELS.items():
        own = [number for number, head in enumerate(heads) if head.organ == name]
        layers = 1 + max(heads[number].layer for number in own)
        organs.append(AttentionKind(name, label, alone[own].view(layers, -1)))

    def at_random(count: int) -> list[float]:
        chance = torch.Generator().manual_seed(count)
        return [right(experiment.random_heads(model, count, chance)) for _ in range(sets)]

    def translated(pair: Pair, places: Places) -> list[str]:
        scenes = _scenes[pair]
        with experiment.without_heads(model, _heads(places)):
            return translate(model, translation(scenes, "french"))

    def search() -> Iterable[tuple[Places, float]]:
        for step in experiment.search_pronoun_heads(model, to_search):
            yield step.heads, step.score.right

    shown = [(first, second) for first, second in zip(to_judge.scenes[::2], to_judge.scenes[1::2], strict=True)]
    _scenes = {_pair(scenes): scenes for scenes in [_first_pair(), *shown[: SHOWN_PAIRS - 1]]}
    return PronounHeads(organs, HeadFunctions(right, at_random, translated, search), list(_scenes), off=off)


def _draw(count: int, split: str) -> experiment.PronounTest:
    chance = torch.Generator().manual_seed(5)
    return experiment.new_pronoun_test(sample_minimal_pairs(count, chance, split, different_gender=True))


def _first_pair() -> tuple[Scene, Scene]:
    """The course's sentence, *tired* and *wide*."""
    tired = Scene("animal", "cross", "street", "tired")
    return tired, flips(tired)[0]


def _pair(scenes: tuple[Scene, Scene]) -> Pair:
    first, second = (str(say(scene, "english")) for scene in scenes)
    return Pair((first, second), MinimalPair(*scenes).pronouns)


def _heads(places: Places) -> list[AttentionHead]:
    return [AttentionHead(*place) for place in places]
