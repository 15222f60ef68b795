"""The training loop of every model here, whatever its task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from torch import Tensor, nn

from anatomy_course.lab.street.batches import Batch, in_batches
from anatomy_utils.training.history import History
from anatomy_utils.training.loop import fit
from anatomy_utils.training.schedules import linear_schedule
from anatomy_utils.training.threads import threads

ModelT = TypeVar("ModelT", bound=nn.Module)
AnyBatch = TypeVar("AnyBatch", bound=Batch)
Rows = TypeVar("Rows")

BATCH, LEARNING_RATE = 32, 4e-3
"""What serves most of the tasks."""

OnStep = Callable[[History], object]
"""Called with the history after each step, to draw it for example; a true answer ends the training."""


def train_model(
    model: ModelT,
    examples: AnyBatch,
    loss: Callable[[ModelT, AnyBatch], Tensor],
    *,
    batch_size: int = BATCH,
    learning_rate: float = LEARNING_RATE,
    on_step: OnStep | None = None,
    progress: bool = True,
) -> History:
    """Go through the examples once, on one core, with AdamW: the rate rises for a tenth of the steps, then falls to 0.

    No example comes twice: the street has millions of sentences, so there is nothing to learn by heart.

    Args:
        model: is changed, and left in evaluation mode.
        examples: in the order in which they are learnt from.
        loss: (model, some of the examples) → one number to be made small.
        batch_size: examples per step; the last few that do not fill a batch are left out.
        learning_rate: the highest one.
        on_step: see `OnStep`.
        progress: show a bar.

    Raises:
        ValueError: the examples do not fill a batch.
    """
    if len(examples) < batch_size:
        raise ValueError(f"{len(examples)} examples do not fill a batch of {batch_size}; give at least that many.")
    batches = in_batches(examples, batch_size)
    return train_batches(model, batches, loss, learning_rate=learning_rate, on_step=on_step, progress=progress)


def train_batches(
    model: ModelT,
    batches: Sequence[Rows],
    loss: Callable[[ModelT, Rows], Tensor],
    *,
    learning_rate: float,
    **options: Any,
) -> History:
    """As `train_model`, with batches that are made already; the options are those of `training.fit`."""
    schedule = linear_schedule(learning_rate, steps=len(batches), warmup=len(batches) // 10)
    with threads(1):
        history = fit(model, batches, loss, learning_rate=schedule, **options)
    model.eval()
    return history
