"""Dropout: while a model trains, each feature is left out with a small probability, so that none is relied on alone.

It stands behind every sub-layer of a Transformer, behind the embeddings and inside attention. Notebook 03 teaches it.
Published checkpoints disagree: 0.1 in 2017, in BERT and GPT-2, none in most large models since.
"""

from __future__ import annotations

from typing import TypeVar

from torch import nn

from anatomy_utils.functional.layers import Part

Same = TypeVar("Same")


def identity(anything: Same) -> Same:
    """What stands where a model has nothing: no norm, no dropout. Costs less than a module that does nothing."""
    return anything


def dropout_or_nothing(probability: float) -> Part:
    """Set each feature to 0 with this probability while training, and enlarge the others so that the mean stays.

    Srivastava et al. 2014 (JMLR 15). Nothing happens in `eval` mode.

    Args:
        probability: from 0 (nothing is left out) to 1.

    >>> dropout_or_nothing(0.0) is identity
    True
    """
    return nn.Dropout(probability) if probability else identity
