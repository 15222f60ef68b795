"""Measures: how good a reader is. Each takes a model of `readers` or `gaps` and a batch that it has not seen."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Int
from torch import Tensor, nn

from anatomy_utils.functional.spans import best_span
from anatomy_utils.nn.heads import SpanLogits
from anatomy_utils.toy_language.batches import Labelled, Pointed
from anatomy_utils.training import IGNORE

LONGEST_ANSWER = 4
"""Words, as in "it was too tired"."""


@torch.no_grad()
def predictions(model: nn.Module, batch: Labelled | Pointed) -> Int[Tensor, "batch *label"]:
    """What the model holds likeliest: a class for each text, a tag or word for each token, or an answer's two ends."""
    logits = model(batch.input_ids, batch.attention_mask)
    if isinstance(logits, SpanLogits):
        return torch.stack(best_span(logits.start, logits.end, LONGEST_ANSWER), dim=-1)
    return logits.argmax(-1)


def targets(batch: Labelled | Pointed) -> Int[Tensor, "batch *label"]:
    """What `predictions` should be, `IGNORE` where there is nothing to say."""
    if isinstance(batch, Pointed):
        return torch.stack([batch.start_positions, batch.end_positions], dim=-1)
    return batch.labels


def all_right(model: nn.Module, batch: Labelled | Pointed) -> Bool[Tensor, " batch"]:
    """Which texts are wholly right: their class, the tags of all their words, or both ends of the answer."""
    labels = targets(batch)
    right = (predictions(model, batch) == labels) | (labels == IGNORE)
    return right.reshape(len(right), -1).all(dim=1)


def share_of_texts(model: nn.Module, batch: Labelled | Pointed) -> float:
    """The share of texts that are wholly right, from 0 to 1: the strictest measure."""
    return all_right(model, batch).float().mean().item()


def share_of_labels(model: nn.Module, batch: Labelled | Pointed) -> float:
    """The share of single labels that are right, from 0 to 1: a text of many words counts for more than a short one."""
    labels = targets(batch)
    counts = labels != IGNORE
    return (predictions(model, batch) == labels)[counts].float().mean().item()
