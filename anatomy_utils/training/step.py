"""One step of training: clear, forward, loss, backward, clip, step.

Notebook 03 teaches it, notebook 08 in parts that add up to a large batch. `loop.fit` does the same for any loss, again
and again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor, nn

from anatomy_utils.training.losses import cross_entropy


@runtime_checkable
class LabeledBatch(Protocol):
    """Texts with labels."""

    @property
    def input_ids(self) -> Tensor:
        """(batch, position)."""

    @property
    def attention_mask(self) -> Tensor:
        """(batch, position): 1 = real word, 0 = padding."""

    @property
    def labels(self) -> Tensor:
        """(batch,), or (batch, position) for one label a word."""


def train_step(model: nn.Module, optimizer: torch.optim.Optimizer, batch: LabeledBatch, max_norm: float) -> float:
    """Change the model a little, so that its loss on this batch falls.

    Args:
        model: `model(input_ids, attention_mask)` gives logits; is put into training mode and changed.
        optimizer: of the model's parameters.
        batch: what to learn from.
        max_norm: a longer gradient is shortened to this length (Pascanu et al. 2013, arXiv:1211.5063).

    Returns:
        The loss (mean cross-entropy) as it was before the change.
    """
    model.train()
    optimizer.zero_grad()
    logits = model(batch.input_ids, batch.attention_mask)
    loss = cross_entropy(logits, batch.labels)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return loss.item()


def training_step(
    model: nn.Module, optimizer: torch.optim.Optimizer, parts: Sequence[tuple[Tensor, Tensor]], max_norm: float
) -> float:
    """One step on a batch that comes in parts: as if they were one, but only one at a time is in memory.

    Gradients add up in `.grad` until they are cleared. Each part's share of the loss is the sum over its tokens divided
    by the number of all, so that parts may differ in size.

    Args:
        model: `model(input_ids)` gives logits (batch, position, vocab_size); is changed.
        optimizer: of the model's parameters.
        parts: input ids and labels, each (batch, position).
        max_norm: a longer gradient is shortened to this length.

    Returns:
        The mean cross-entropy over all tokens of all parts, as it was before the change.

    Raises:
        ValueError: there is no part.
    """
    count = sum(labels.numel() for _, labels in parts)
    if not count:
        raise ValueError(f"The step was given {len(parts)} parts with no token in them; give at least one.")
    optimizer.zero_grad()
    total = 0.0
    for input_ids, labels in parts:
        loss = cross_entropy(model(input_ids), labels) * (labels.numel() / count)
        loss.backward()
        total += loss.item()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return total
