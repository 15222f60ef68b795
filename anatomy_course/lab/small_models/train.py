"""The training loop of every model here, whatever its task."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from torch import Tensor, nn

from anatomy_course.lab.street.batches import Batch
from anatomy_utils.training.history import History
from anatomy_utils.training.loop import fit
from anatomy_utils.training.optimizers import adamw
from anatomy_utils.training.schedules import linear_schedule
from anatomy_utils.training.threads import threads

ModelT = TypeVar("ModelT", bound=nn.Module)
AnyBatch = TypeVar("AnyBatch", bound=Batch)

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
    steps = len(examples) // batch_size
    if not steps:
        raise ValueError(f"{len(examples)} examples do not fill a batch of {batch_size}; give at least that many.")
    with threads(1):
        history = fit(
            model,
            [examples[step * batch_size : (step + 1) * batch_size] for step in range(steps)],
            loss,
            learning_rate=linear_schedule(learning_rate, steps=steps, warmup=steps // 10),
            optimizer=adamw(model),
            on_step=on_step,
            progress=progress,
        )
    model.eval()
    return history
