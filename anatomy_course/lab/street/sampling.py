"""Drawing scenes at random, always from a `torch.Generator`: the same seed gives the same scenes in the same order.

A report is several of them under a headline, and one of its sentences is the summary. The headline names an animal or a
machine, and the summary is the sentence that says what was wrong with it. Two of the sentences are about the headline's
one, and two say what was wrong with their subject; only one does both. So neither the first sentence is a good guess,
nor the first one with the headline's word in it: what *it* stands for must be understood as well. Notebook 07.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

from anatomy_course.lab.street.inventory import SPLITS, MinimalPair, Split, pair_with, scene_from_number, split_of
from anatomy_course.lab.street.labels import summary
from anatomy_course.lab.street.parser import say
from anatomy_course.lab.street.scene import REFERENTS, Scene
from anatomy_course.lab.street.text import detokenize

BLOCK = 256


def draw_scenes(generator: torch.Generator, split: Split | None = None) -> Iterator[Scene]:
    """Draw scenes without end.

    Args:
        generator: the source of chance. It moves on by whole blocks, so draw what belongs together at once.
        split: "train", "validation" or "test"; None draws from all.

    Raises:
        ValueError: there is no such split.
    """
    if split is not None and split not in SPLITS:
        raise ValueError(f"The splits are {', '.join(SPLITS)}; there is no {split!r}.")
    while True:
        for number in torch.randint(2**63 - 1, (BLOCK,), generator=generator).tolist():
            scene = scene_from_number(number)
            if split is None or split_of(scene) == split:
                yield scene


def sample_scenes(count: int, generator: torch.Generator, split: Split | None = None) -> list[Scene]:
    """Draw different scenes, balanced as `inventory.scene_from_number` says.

    Args:
        count: how many, 0 or more.
        generator: the source of chance.
        split: "train", "validation" or "test"; None draws from all.

    >>> [len(set(sample_scenes(50, torch.Generator().manual_seed(0), split))) for split in SPLITS]
    [50, 50, 50]
    """
    found: dict[Scene, None] = {}
    for scene in draw_scenes(generator, split):
        if len(found) >= count:
            break
        found[scene] = None
    return list(found)


def sample_minimal_pairs(
    count: int, generator: torch.Generator, split: Split | None = "test", *, different_gender: bool = False
) -> list[MinimalPair]:
    """Draw different minimal pairs; both scenes of a pair are on the same side of the split.

    Args:
        count: how many, 0 or more.
        generator: the source of chance.
        split: "train", "validation" or "test"; None draws from all.
        different_gender: only pairs whose two nouns differ in gender, so that French needs *il* once and *elle* once.
    """
    found: dict[MinimalPair, None] = {}
    for number, scene in enumerate(draw_scenes(generator, split)):
        if len(found) >= count:
            break
        pair = pair_with(scene, number)
        if pair.different_gender or not different_gender:
            found[pair] = None
    return list(found)


SENTENCES = 4
"""Of a report."""
POOL = 3000
"""Scenes from which reports are put together."""


@dataclass(frozen=True)
class Report:
    """A headline and scenes that are told one after the other.

    Attributes:
        scenes: in their order.
        main: which of them matters, from 0.
    """

    scenes: tuple[Scene, ...]
    main: int

    @property
    def sentences(self) -> list[str]:
        """The report in English."""
        return [str(say(scene, "english")) for scene in self.scenes]

    @property
    def headline(self) -> str:
        """The animal or machine that it is about, with its article."""
        return f"The {self.scenes[self.main].subject}"

    @property
    def summary(self) -> str:
        """What somebody who writes would make of the sentence that matters."""
        return detokenize(summary(self.scenes[self.main]))

    def __str__(self) -> str:
        return f"{self.headline}. {' '.join(self.sentences)}"


def sample_reports(count: int, generator: torch.Generator, split: Split | None = None) -> list[Report]:
    """Draw reports.

    Two sentences have the headline's noun as their subject, and in one of them *it* is that noun; in the other *it* is
    the object. The other two sentences have other subjects, and again *it* is the subject in one of them.

    Args:
        count: how many, 0 or more.
        generator: the source of chance.
        split: of the scenes: "train", "validation" or "test"; None draws from all.

    >>> report = sample_reports(1, torch.Generator().manual_seed(0))[0]
    >>> sorted((f"The {scene.subject}" == report.headline, scene.referent) for scene in report.scenes)
    [(False, 'object'), (False, 'subject'), (True, 'object'), (True, 'subject')]
    """
    drawn: dict[tuple[str, str], list[Scene]] = defaultdict(list)  # subject, referent
    for scene in sample_scenes(POOL, generator, split):
        drawn[scene.subject, scene.referent].append(scene)
    subjects = sorted({subject for subject, _ in drawn if all((subject, each) in drawn for each in REFERENTS)})
    return [_put_together(drawn, subjects, generator) for _ in range(count)]


def _put_together(
    drawn: dict[tuple[str, str], list[Scene]], subjects: Sequence[str], generator: torch.Generator
) -> Report:
    about, second, third = torch.randperm(len(subjects), generator=generator)[:3].tolist()
    wanted = [(about, "subject"), (about, "object"), (second, "subject"), (third, "object")]
    order = torch.randperm(SENTENCES, generator=generator).tolist()
    numbers = torch.randint(2**31, (SENTENCES,), generator=generator).tolist()
    scenes = []
    for place, number in zip(order, numbers, strict=True):
        subject, referent = wanted[place]
        choices = drawn[subjects[subject], referent]
        scenes.append(choices[number % len(choices)])
    return Report(tuple(scenes), order.index(0))
