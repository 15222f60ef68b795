"""The family tree: choose a model, see its blocks with what its parent does not have, what it costs, and run it.

Everything but the run is computed in the browser from cards that are handed over once. Notebook 07. The class knows no
model: it is given cards, and `run`, which is asked when the reader wants to see one work.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from math import isqrt
from typing import Any

import torch
import traitlets
from torch import nn

from anatomy_course.figures import diagrams
from anatomy_course.figures.picture import Picture
from anatomy_course.lab.objectives.registry import OBJECTIVES
from anatomy_course.lab.street.parser import say
from anatomy_course.lab.street.scene import Scene
from anatomy_course.lab.street.text import tokenize
from anatomy_course.lab.street.vocabulary import street_vocabulary
from anatomy_course.views._kit.base import attributes
from anatomy_course.views._kit.model_card import ModelCard, ModelRun, place_of, told
from anatomy_course.views._kit.request import Asking
from anatomy_utils import tap
from anatomy_utils.taxonomy.build import build, small
from anatomy_utils.taxonomy.costs import cache_bytes, organs, parameters, work_per_token
from anatomy_utils.taxonomy.describe import describe
from anatomy_utils.taxonomy.row import ModelFacts, Size
from anatomy_utils.taxonomy.structure import example, inputs_of, length_of
from anatomy_utils.taxonomy.tree import TREE, find

SCENE = Scene("animal", "cross", "street", "tired")
MASK_TOKENS = 16
BYTE = 255
SOUND_POSITIONS = 50
"""In a second."""
HEADS_AND_ALL = 4
"""Axes of a layer's weights: batch heads query key."""


class FamilyTree(Asking):
    """A tree of models by branch and year; the chosen one as blocks, differences, numbers and a run.

    Args:
        cards: one for each model, in the order of the tree.
        runs: name → what a small version of it did, of those that ran already.
        run: name → the same, of those that did not run yet; without it, only `runs` can be shown.
        chosen: the model shown at first.
        length: the length of text at which costs are shown at first.

    Raises:
        ValueError: the cards are no tree, there is no model `chosen`, or a run of a model without a card.
    """

    drawn_height = 694
    models = traitlets.List(traitlets.Dict()).tag(sync=True)
    runs = traitlets.Dict().tag(sync=True)
    """Name of a model → its run."""
    can_run = traitlets.Bool(False).tag(sync=True)
    chosen = traitlets.Unicode().tag(sync=True)
    length = traitlets.Int(1024).tag(sync=True)

    def __init__(
        self,
        cards: Sequence[ModelCard],
        runs: Mapping[str, ModelRun] | None = None,
        *,
        run: Callable[[str], ModelRun] | None = None,
        chosen: str,
        length: int = 1024,
        label: str = "Family tree: each model is its parent plus what changed",
    ) -> None:
        models, runs = told(cards), runs or {}
        self._cards = tuple(cards)
        for name in (chosen, *runs):
            place_of(name, cards)
        self._run = run
        super().__init__(
            models=models, runs={name: asdict(found) for name, found in runs.items()}, can_run=run is not None,
            chosen=chosen, length=length, label=label, question={"name": ""},
        )  # fmt: skip

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """One more model that ran."""
        name = place_of(str(question.get("name")), self._cards, running=True)
        if self._run is None:
            raise ValueError("Nothing can be run here.")
        return {"runs": {**self.runs, name: asdict(self._run(name))}}

    def still_picture(self) -> Picture:
        """The whole tree; what the chosen model changes is told in the text beside it."""
        return diagrams.family_tree(self._cards)


def family_tree(chosen: str = "BERT", *, scene: Scene = SCENE) -> FamilyTree:
    """Every model of the tree to be looked at, compared with its parent, and run on a sentence of the street.

    Args:
        chosen: the model shown at first; it is run at once, so that a page without a kernel shows a run too.
        scene: what the small models read, and the encoder–decoders write in French.

    Raises:
        ValueError: there is no such model.
    """
    known = {chosen: run(chosen, scene)} if find(chosen).runs else {}
    return FamilyTree(cards(), known, run=lambda name: run(name, scene), chosen=chosen)


def cards() -> list[ModelCard]:
    """A card for every row of the tree."""
    return [card(model.name) for model in TREE]


@cache
def card(name: str) -> ModelCard:
    """The card of a model: described where it runs, told in words where it does not."""
    model = find(name)
    words = attributes(model, "name year parent branch change paper note")
    words["objectives"] = [(objective, OBJECTIVES[objective].asks) for objective in model.objectives]
    if not model.runs:
        return ModelCard(**words)
    built = [build(model, size) for size in model.sizes]
    sizes = [_size(module, size) for module, size in zip(built, model.sizes, strict=True)]
    return ModelCard(**words, **asdict(describe(built[0])), sizes=sizes, masks=_masks(model))


def run(name: str, scene: Scene = SCENE) -> ModelRun:
    """A small version of a model, with random weights, reads a sentence.

    Raises:
        ValueError: there is no such model, or it is only described.
    """
    words = street_vocabulary()
    module = small(find(name), generator=torch.Generator().manual_seed(0), vocab_size=len(words))
    kinds = inputs_of(module)
    said = [tokenize(str(say(scene, language))) for language in ("english", "french")]
    if kinds[1:] == ("text",):  # what is written begins behind <bos>
        said = [["<bos>", *text] if number == len(said) - 1 else text for number, text in enumerate(said)]
    texts = [_labels(kind, text, length_of(module, len(text))) for kind, text in zip(kinds, said, strict=False)]
    ids = [torch.tensor([words.ids(text)]) for text in said]
    with torch.no_grad(), tap.watch(module) as seen:
        module(*(example(module, each)[place] for place, each in enumerate(ids[: len(kinds)])))
    shapes = [(each, str(tuple(tensor.shape))) for each, tensor in seen.items() if not _repeats(each)]
    return ModelRun(texts, shapes, [_map(each, seen[each], texts) for each in seen if each.endswith("weights")])


def _labels(kind: str, text: list[str], length: int) -> list[str]:
    """What stands at each position: a word, a patch's row and column, or the second of a sound."""
    if kind == "text":
        return text
    if kind == "sound":
        return [f"{position / SOUND_POSITIONS:.2f} s" for position in range(length)]
    side = isqrt(length - 1)
    return ["image", *(f"{place // side + 1}, {place % side + 1}" for place in range(length - 1))]


def _size(module: nn.Module, size: Size) -> dict[str, Any]:
    costs = {"work": asdict(work_per_token(module)), "cache": asdict(cache_bytes(module))}
    counted = {"parameters": parameters(module), "exact": size.rounding == 1, "organs": organs(module)}
    return attributes(size, "name published counts") | counted | costs


def _masks(model: ModelFacts) -> list[dict[str, Any]]:
    """Who attends to whom among sixteen tokens of the small version, each pattern once."""
    module = small(model, generator=torch.Generator().manual_seed(0))
    ids = torch.randint(3, 53, (1, MASK_TOKENS), generator=torch.Generator().manual_seed(1))
    with torch.no_grad(), tap.watch(module) as seen:
        module(*example(module, ids))
    found: dict[str, list[list[int]]] = {}
    for name, weights in seen.items():
        if name.endswith("weights") and weights.dim() == HEADS_AND_ALL:
            rows = (weights[0, 0] > 0).int().tolist()
            if rows not in [known for each, known in found.items() if _stack_name(each) == _stack_name(name)]:
                found[name] = rows
    several = len(inputs_of(module)) > 1
    return [{"name": _label(name, several), "rows": rows} for name, rows in found.items()]


def _map(name: str, weights: torch.Tensor, texts: list[list[str]]) -> dict[str, Any]:
    if weights.dim() != HEADS_AND_ALL:  # a recurrent writer looks back once for each word; this is the last time
        rows = [[(weights * BYTE).round().int().tolist()[0]]]
        return {"label": "looking back for the last word", "queries": texts[1][-1:], "keys": texts[0], "weights": rows}
    queries = texts[1] if len(texts) == 2 and name.startswith(("decoder", "image")) else texts[0]
    keys = texts[0] if "cross" in name else queries
    steps = (weights[0] * BYTE).round().int().tolist()
    return {"label": _label(name, len(texts) > 1), "queries": queries, "keys": keys, "weights": steps}


def _repeats(name: str) -> bool:
    """Whether a tensor is of a later layer, whose shapes are those of the first."""
    return "layers." in name and ".0." not in name


def _stack_name(name: str) -> str:
    return name.partition(".layers")[0] + (" cross" if "cross" in name else "")


def _label(name: str, several: bool) -> str:
    """`"encoder.layers.0.self_attention.weights"` → "encoder, layer 0"; without the stack where there is but one."""
    stack, _, rest = name.partition("layers.")
    words = [stack.strip(".").rpartition(".")[2]] if several else []
    return ", ".join([*words, f"layer {rest.partition('.')[0]}", *(["reading the source"] if "cross" in name else [])])
