"""Drawing scenes at random, always from a `torch.Generator`: the same seed gives the same scenes in the same order."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from anatomy_course.lab.street.inventory import scene_from_number
from anatomy_course.lab.street.minimal_pairs import MinimalPair, pair_with
from anatomy_course.lab.street.scene import Scene
from anatomy_course.lab.street.splits import SPLITS, Split, split_of

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
