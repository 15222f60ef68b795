"""A translator's heads, for notebook 05: what it makes of *it* without some of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch

from anatomy_course.lab.experiments import pronoun_heads as experiment
from anatomy_course.lab.experiments.pronoun_heads import AttentionHead
from anatomy_course.lab.small_models.translator import translate
from anatomy_course.lab.street.batches import translation
from anatomy_course.lab.street.minimal_pairs import MinimalPair, flips
from anatomy_course.lab.street.parser import say
from anatomy_course.lab.street.sampling import sample_minimal_pairs
from anatomy_course.lab.street.scene import Scene
from anatomy_course.views.pronoun_heads.view import AttentionKind, HeadFunctions, Pair, Places, PronounHeads
from anatomy_utils.nn.encoder_decoder import EncoderDecoder

LABELS = {
    "encoder": "Encoder: self-attention",
    "decoder": "Decoder: self-attention",
    "cross": "Decoder: cross-attention",
}
SHOWN_PAIRS = 6


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
        off: heads that are off at first.
        sets: how many times as many heads are drawn at random.
    """
    to_search = to_search or _draw(60, "validation")
    to_judge = to_judge or _draw(150, "test")
    heads = experiment.all_heads(model)
    alone = torch.tensor([experiment.pronouns_right_in_reference(model, to_judge, [head]) for head in heads])
    organs = []
    for name, label in LABELS.items():
        own = [number for number, head in enumerate(heads) if head.organ == name]
        layers = 1 + max(heads[number].layer for number in own)
        organs.append(AttentionKind(name, label, alone[own].view(layers, -1)))

    def at_random(count: int) -> list[float]:
        chance = torch.Generator().manual_seed(count)
        drawn = [experiment.random_heads(model, count, chance) for _ in range(sets)]
        return [experiment.pronouns_right_in_reference(model, to_judge, each) for each in drawn]

    def translated(pair: Pair, places: Places) -> list[str]:
        scenes = _scenes[pair]
        with experiment.without_heads(model, _heads(places)):
            return translate(model, translation(scenes, "french"))

    def search() -> Iterable[tuple[Places, float]]:
        for step in experiment.search_pronoun_heads(model, to_search):
            yield step.heads, step.score.right

    shown = [(first, second) for first, second in zip(to_judge.scenes[::2], to_judge.scenes[1::2], strict=True)]
    _scenes = {_told(scenes): scenes for scenes in [_first_pair(), *shown[: SHOWN_PAIRS - 1]]}
    lab = HeadFunctions(
        right=lambda places: experiment.pronouns_right_in_reference(model, to_judge, _heads(places)),
        at_random=at_random,
        translate=translated,
        search=search,
    )
    return PronounHeads(organs, lab, list(_scenes), off=off)


def _draw(count: int, split: str) -> experiment.PronounTest:
    chance = torch.Generator().manual_seed(5)
    return experiment.new_pronoun_test(sample_minimal_pairs(count, chance, split, different_gender=True))


def _first_pair() -> tuple[Scene, Scene]:
    """The course's sentence, *tired* and *wide*."""
    tired = Scene("animal", "cross", "street", "tired")
    return tired, flips(tired)[0]


def _told(scenes: tuple[Scene, Scene]) -> Pair:
    first, second = (str(say(scene, "english")) for scene in scenes)
    return Pair((first, second), MinimalPair(*scenes).pronouns)


def _heads(places: Places) -> list[AttentionHead]:
    return [AttentionHead(*place) for place in places]
