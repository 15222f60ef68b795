"""Each pretraining objective on a sentence of the street, drawn as often as the reader likes. Notebook 06."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import torch

from anatomy_course.lab.objectives.registry import OBJECTIVES
from anatomy_course.lab.street.parser import parse
from anatomy_course.views.objective_explorer.view import ObjectiveExplorer
from anatomy_utils.taxonomy.tree import trained_on

SENTENCE = "The animal didn't cross the street because it was too tired."
EXAMPLES = (
    "The animal didn't cross the street because it was too wide.",
    "The old robot couldn't push the red piano because it was too rusty.",
    "The dog avoided the lake because it was too deep.",
)
SEED = 1331
"""A first drawing in which something happens under every objective: a word is exchanged, all of a word is hidden."""


def objective_explorer(
    sentence: str = SENTENCE, *, examples: Sequence[str] = EXAMPLES, chosen: str = "masked tokens", seed: int = SEED
) -> ObjectiveExplorer:
    """What goes in and what is asked under each objective of `objectives.OBJECTIVES`.

    Args:
        sentence: one of the street's, in English.
        examples: more of them, to pick from.
        chosen: the objective shown at first.
        seed: of the first drawing; the next one has the next seed.

    Raises:
        ValueError: a sentence that is not of the street, or an unknown objective.
    """

    def draw(name: str, sentence: str, rate: float | None, number: int) -> dict[str, Any]:
        generator = torch.Generator().manual_seed(seed + number)
        return asdict(OBJECTIVES[name].show(parse(sentence, "english"), generator, rate))

    questions = [replace(each, models=(*trained_on(each.name), *each.models)) for each in OBJECTIVES.values()]
    return ObjectiveExplorer(questions, draw, sentence, examples=examples, chosen=chosen)
