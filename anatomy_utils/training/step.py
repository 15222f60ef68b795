"""One step of training: clear, forward, loss, backward, clip, step, on parts that add up to a large batch.

Notebook 03 teaches it for one batch, notebook 10 in parts. `loop.fit` does the same for any loss, again and again.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from anatomy_utils.training.losses import cross_entropy


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
