"""Sizes and budgets: small GPTs on the street, whose lowest possible loss is known, and a larger one on Python.

A scene of the street is drawn by a few choices, each among equally likely ones, and its sentence tells what was chosen.
So it is known how surprising each sentence is, and no model can have a lower loss on new sentences than their mean.
Notebook 10.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from statistics import linear_regression
from typing import Any

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

from anatomy_course.lab.street.inventory import BESIDE, nouns_of, verbs_for
from anatomy_course.lab.street.lexicon import NOUN, VERB
from anatomy_course.lab.street.parser import say
from anatomy_course.lab.street.sampling import draw_scenes
from anatomy_course.lab.street.scene import REFERENTS, Scene, clear_reasons
from anatomy_course.lab.street.vocabulary import street_vocabulary
from anatomy_course.lab.street.words import OBJECT_KINDS
from anatomy_utils.training.losses import IGNORE, cross_entropy

RECORDED = Path(__file__).with_name("budgets.json")


def surprise(scene: Scene) -> float:
    """−ln of the probability with which `draw_scenes` draws a scene, in nats.

    >>> from anatomy_course.lab.street.inventory import bare_scenes
    >>> f"{sum(math.exp(-surprise(scene)) for scene in bare_scenes()):.4f}"  # a quarter has no adjective beside a noun
    '0.2500'
    """
    subject, verb, object = NOUN[scene.subject], VERB[scene.verb], NOUN[scene.object]
    choices: list[Sequence[Any]] = [
        *(OBJECT_KINDS, verbs_for(object.kind), verb.moods, nouns_of(frozenset([object.kind]))),
        *(nouns_of(verb.subjects), REFERENTS, clear_reasons(subject.kind, object.kind, scene.referent)),
    ]
    for beside in (scene.subject_adjective, scene.object_adjective):
        choices += [(False, True), BESIDE[1:] if beside else BESIDE[:1]]
    return sum(math.log(len(each)) for each in choices)


def drawn(count: int, generator: torch.Generator) -> list[Scene]:
    """Scenes as they come: the same one may come twice, and none is kept back."""
    return list(islice(draw_scenes(generator), count))


def as_ids(scenes: Sequence[Scene]) -> list[list[int]]:
    """The English sentence of each scene as ids, after <bos>."""
    vocabulary = street_vocabulary()
    return [vocabulary.ids(["<bos>", *say(scene, "english").tokens]) for scene in scenes]


def lowest_loss(scenes: Sequence[Scene]) -> float:
    """The floor: the mean surprise of sentences, in nats per token; the <bos> of a next one counts as a token."""
    return sum(map(surprise, scenes)) / sum(map(len, as_ids(scenes)))


@torch.no_grad()
def above_the_floor(model: nn.Module, scenes: Sequence[Scene]) -> float:
    """By how much a model's loss on new sentences is above the lowest possible one, in nats per token.

    Each sentence is read alone, after <bos>; the <bos> of a next one is the last token to guess.

    Args:
        model: ids (batch, position) → logits (batch, position, vocabulary).
        scenes: not those of the training.
    """
    sentences = [torch.tensor([*ids, ids[0]]) for ids in as_ids(scenes)]
    inputs = pad_sequence([ids[:-1] for ids in sentences], batch_first=True)
    labels = pad_sequence([ids[1:] for ids in sentences], batch_first=True, padding_value=IGNORE)
    return cross_entropy(model(inputs), labels).item() - lowest_loss(scenes)


def recorded_budgets() -> dict[str, Any]:
    """What `docs/record_budgets.py` measured: "street", and "python" on a graphics card."""
    kept: dict[str, Any] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return kept


def extended(steps: Sequence[int], above: Sequence[float], to: int) -> float:
    """Where the straight line through some points comes, if both axes are logarithmic: a power of the steps.

    Args:
        steps: of each training.
        above: its loss above the floor.
        to: steps for which the line is asked.

    >>> round(extended((10, 20, 40), (0.8, 0.4, 0.2), 80), 6)
    0.1
    """
    slope, start = linear_regression([math.log(each) for each in steps], [math.log(each) for each in above])
    return math.exp(start + slope * math.log(to))
