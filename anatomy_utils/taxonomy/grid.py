"""Models against parts: where a part of today's models was first, and which branches it has traveled to.

A tree shows parents. But parts travel sideways: RMSNorm from an encoder–decoder to Llama, the window from decoders to
encoders. What a model has is read off its modules, as in `describe`. Notebook 07.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from anatomy_utils.taxonomy.describe import Anatomy, anatomy_of
from anatomy_utils.taxonomy.row import ModelFacts
from anatomy_utils.taxonomy.tree import TREE


def _says(part: str, *words: str) -> Callable[[Anatomy], bool]:
    return lambda anatomy: any(word in anatomy[part] for word in words)


PARTS: dict[str, Callable[[Anatomy], bool]] = {
    "norm before": _says("norms placed", "before each"),
    "RMSNorm": _says("norm", "RMSNorm"),
    "offsets in scores": _says("positions", "in the scores", "to the scores"),
    "window": _says("sees", "window"),
    "rotary": _says("positions", "rotary"),
    "side by side": _says("sub-layers", "side by side"),
    "gate": _says("feed-forward", "gated"),
    "shared keys": _says("keys and values", "shared", "one for all"),
    "experts": _says("feed-forward", "experts"),
    "norm after, inside": _says("norms placed", "on what it gives"),
    "soft caps": _says("scores times", "softly"),
    "query, key norms": lambda anatomy: anatomy["norms on queries and keys"] != "none",
    "narrow keys, values": _says("keys and values", "narrow"),
    "sinks": _says("sees", "sink"),
    "layers without order": _says("positions", "none in one layer"),
    "state, not pairs": _says("sees", "summed up"),
}
"""Short name of a part → whether a model has it, in some layers at least."""


class PartGrid(NamedTuple):
    """Which models have which parts.

    Attributes:
        models: those that run, in the order in which they were published.
        parts: names, in the order in which they first appear.
        has: a row for each model.
        first: part → the first model in this tree that has it.
    """

    models: list[ModelFacts]
    parts: list[str]
    has: list[list[bool]]
    first: dict[str, ModelFacts]


def part_grid() -> PartGrid:
    """Build each model without memory and read its parts off."""
    running = sorted((model for model in TREE if model.runs), key=lambda model: model.published)
    anatomies = {model.name: anatomy_of(model.name) for model in running}
    first: dict[str, ModelFacts] = {}
    for model in running:
        for part, has in PARTS.items():
            if part not in first and has(anatomies[model.name]):
                first[part] = model
    table = [[PARTS[part](anatomies[model.name]) for part in first] for model in running]
    return PartGrid(running, list(first), table, first)
