"""The family tree: every model in one table, and its way from the root. It needs no torch."""

from __future__ import annotations

from anatomy_utils.taxonomy.decoders import DECODERS
from anatomy_utils.taxonomy.encoder_decoders import ROOTS, TRANSLATORS
from anatomy_utils.taxonomy.encoders import ENCODERS
from anatomy_utils.taxonomy.llamas import LLAMAS
from anatomy_utils.taxonomy.mixtures import MIXTURES
from anatomy_utils.taxonomy.row import ModelFacts
from anatomy_utils.taxonomy.senses import SENSES

TREE: tuple[ModelFacts, ...] = (*ROOTS, *ENCODERS, *DECODERS, *LLAMAS, *MIXTURES, *TRANSLATORS, *SENSES)
"""Every model, parents before their children."""


def find(name: str) -> ModelFacts:
    """The row of that name.

    Raises:
        ValueError: the tree has no such model.
    """
    for model in TREE:
        if model.name == name:
            return model
    raise ValueError(f"The tree has no model {name!r}; it has {', '.join(model.name for model in TREE)}.")


def children(name: str) -> list[ModelFacts]:
    """The models that change this one, in the tree's order."""
    return [model for model in TREE if model.parent == name]


def trained_on(objective: str) -> list[str]:
    """The names of the models that learn by this objective, in the tree's order."""
    return [model.name for model in TREE if objective in model.objectives]


def lineage(name: str) -> list[ModelFacts]:
    """The model and those before it, from the root down.

    >>> [model.name for model in lineage("RoBERTa")]
    ['RNN with attention', 'Transformer', 'BERT', 'RoBERTa']
    """
    model = find(name)
    return [*(lineage(model.parent) if model.parent else []), model]
