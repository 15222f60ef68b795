"""The training loop: loss, gradient, step, again.

Notebook 03 trains the first model with it. It knows neither models nor tasks: the loss is a function of the model and a
batch.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TypeVar

import torch
from torch import Tensor, nn

from anatomy_utils.training.history import History
from anatomy_utils.training.optimizers import adamw
from anatomy_utils.training.parallel import interruptible
from anatomy_utils.training.schedules import Schedule
from anatomy_utils.training.seeding import seeded

ModelT = TypeVar("ModelT", bound=nn.Module)
BatchT = TypeVar("BatchT")


@contextmanager
def _bar(total: int | None, wanted: bool) -> Iterator[Callable[[float], None]]:
    """A bar that is told each step's loss; none where it is not wanted or tqdm is not installed."""
    if not wanted or find_spec("tqdm") is None:
        yield lambda loss: None
        return
    from tqdm.auto import tqdm

    with tqdm(total=total, unit="step") as bar:

        def step(loss: float) -> None:
            bar.update()
            bar.set_postfix_str(f"loss {loss:.3f}", refresh=False)

        yield step


def fit(
    model: ModelT,
    batches: Iterable[BatchT],
    loss: Callable[[ModelT, BatchT], Tensor],
    *,
    epochs: int | None = None,
    steps: int | None = None,
    seconds: float | None = None,
    learning_rate: float | Schedule = 1e-3,
    optimizer: torch.optim.Optimizer | None = None,
    clip: float | None = 1.0,
    generator: torch.Generator | None = None,
    on_step: Callable[[History], object] | None = None,
    progress: bool = True,
) -> History:
    """Train a model until its epochs, steps or seconds are used up, whichever is first.

    Stopping it with the keyboard ends it as if it were done: the model keeps what it has learned. So do the others that
    run `side_by_side` with it.

    Args:
        model: is changed. Its modules' training and evaluation modes are as before when it returns.
        batches: gone through once per epoch.
        loss: (model, batch) → one number to be made small.
        epochs: how often to go through `batches`; once when there is no other limit either, else as often as needed.
        steps: at most so many.
        seconds: no new step after so many.
        learning_rate: a number, or a schedule: number of the step, from 1 → rate.
        optimizer: what changes the weights; `adamw(model)` when left out.
        clip: the longest gradient that is let through; longer ones are shortened to it. None lets all through.
        generator: decides what dropout draws; torch's global source does when left out.
        on_step: called with the history after each step; a true answer ends the training.
        progress: show a bar.

    Returns:
        The history. When the loss or its gradient is no longer a number, the sentence that says so is also given as a
        warning; the weights are then those of the last good step.

    Raises:
        ValueError: there is no batch, or none is left in a later epoch; a limit is out of range; or the loss is not one
            number.

    >>> model = nn.Linear(1, 1, bias=False)
    >>> double = [(torch.tensor([[1.0]]), torch.tensor([[2.0]]))]
    >>> history = fit(model, double, lambda m, b: (m(b[0]) - b[1]).square().mean(), steps=200, learning_rate=0.1)
    >>> round(model.weight.item(), 2)
    2.0
    """
    _check_limits(epochs, steps, seconds, clip)
    epochs = 1 if epochs is None and steps is None and seconds is None else epochs
    optimizer = optimizer or adamw(model)
    schedule = learning_rate if callable(learning_rate) else lambda step: learning_rate
    total = _total(batches, epochs, steps)
    history, start = History(planned=total), time.perf_counter()
    with _training(model), seeded(generator), _bar(total, progress) as bar:
        try:
            with interruptible() as check:
                for batch in _repeated(batches, epochs):
                    rate = schedule(len(history) + 1)
                    for group in optimizer.param_groups:
                        group["lr"] = rate
                    value, norm = _step(model, batch, loss, optimizer, clip)
                    if not math.isfinite(value + norm):
                        history.stopped = _diverged(value, norm, len(history) + 1, rate)
                        warnings.warn(history.stopped, stacklevel=2)
                        break
                    elapsed = time.perf_counter() - start
                    history.add(loss=value, learning_rate=rate, gradient_norm=norm, seconds=elapsed)
                    bar(value)
                    if on_step is not None and on_step(history):
                        history.stopped = f"on_step ended it after {len(history)} steps"
                        break
                    if len(history) == steps:
                        break
                    if seconds is not None and elapsed >= seconds:
                        history.stopped = f"its {seconds:g} seconds were up after {len(history)} steps"
                        break
                    check()
        except KeyboardInterrupt:
            history.stopped = f"the keyboard ended it after {len(history)} steps; what was learned is kept"
        finally:
            optimizer.zero_grad()
    return history


def _step(
    model: ModelT,
    batch: BatchT,
    loss: Callable[[ModelT, BatchT], Tensor],
    optimizer: torch.optim.Optimizer,
    clip: float | None,
) -> tuple[float, float]:
    """One step; returns the loss and the gradient's length. Nothing is changed where one of them is not a number."""
    optimizer.zero_grad()
    current = loss(model, batch)
    if current.dim():
        raise ValueError(f"The loss has shape {tuple(current.shape)}, but it must be one number; take its mean.")
    value = current.item()
    if not math.isfinite(value):
        return value, math.nan
    current.backward()
    trained = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    norm = nn.utils.clip_grad_norm_(trained, math.inf if clip is None else clip).item()
    if math.isfinite(norm):
        optimizer.step()
    return value, norm


def _diverged(value: float, norm: float, step: int, rate: float) -> str:
    what = f"the loss was {value}" if not math.isfinite(value) else f"the gradient's length was {norm}"
    return (
        f"at step {step} {what} (learning rate {rate:g}), so it ended; the weights are those of the step before: try a "
        "lower learning rate, a longer warm-up or a smaller clip"
    )


@contextmanager
def _training(model: nn.Module) -> Iterator[None]:
    """Training mode for the length of a block; then each module is again in the mode it was in."""
    modes = [(module, module.training) for module in model.modules()]
    model.train()
    try:
        yield
    finally:
        for module, mode in modes:
            module.training = mode


def _repeated(batches: Iterable[BatchT], epochs: int | None) -> Iterator[BatchT]:
    epoch = 0
    while epochs is None or epoch < epochs:
        empty = True
        for batch in batches:
            empty = False
            yield batch
        if empty:
            raise ValueError(
                f"There is no batch in epoch {epoch + 1}; give a list or another collection that can be gone through "
                "as often as needed, not an iterator that is used up."
            )
        epoch += 1


def _total(batches: Iterable[object], epochs: int | None, steps: int | None) -> int | None:
    """How many steps there are to be."""
    try:
        in_all = None if epochs is None else epochs * len(batches)  # type: ignore[arg-type]
    except TypeError:
        in_all = None
    return min((limit for limit in (in_all, steps) if limit is not None), default=None)


def _check_limits(epochs: int | None, steps: int | None, seconds: float | None, clip: float | None) -> None:
    for name, limit in (("epochs", epochs), ("steps", steps)):
        if limit is not None and limit < 1:
            raise ValueError(f"{name} is {limit}, but at least 1 is needed to learn anything.")
    for name, number in (("seconds", seconds), ("clip", clip)):
        if number is not None and not number > 0:
            raise ValueError(f"{name} is {number}, but it must be above 0; leave it out for no limit.")
