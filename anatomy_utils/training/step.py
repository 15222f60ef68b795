"""One step of training: clear, forward, loss, backward, clip, step.

Notebook 03 teaches it. `loop.fit` does the same for any loss, again and again.
"""

from __future__ import annotations

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
