"""Training steps: forward, loss, backward, fused AdamW, on the same data, for the three kinds of transformer.

All models are in float32 with dropout 0, erf-GELU (or ReLU in the encoder–decoders), tied tables, and parameters alike
within 1 %. The loss is the same function of the logits for all, and must fall over the steps that are timed.

    python -m tools.benchmarks.training_steps
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor
from torch.nn import functional as F

from tools.benchmarks import classifiers, gpts, translators
from tools.benchmarks.models import Model, Sizes
from tools.benchmarks.report import alone
from tools.benchmarks.timing import OURS, Row, compared, same_size

GPT = Sizes(vocab_size=512, d_model=128, num_layers=4, num_heads=4, length=128, batch=32)
TRANSLATOR = Sizes(vocab_size=512, d_model=128, num_layers=3, num_heads=4, length=16, batch=64)
CLASSIFIER = Sizes(vocab_size=512, d_model=128, num_layers=4, num_heads=4, length=64, batch=32)
TINY = Sizes(vocab_size=31, d_model=16, num_layers=1, num_heads=2, length=7, batch=3)


def run(quick: bool = False) -> list[Row]:
    """GPT, encoder–decoder and encoder."""
    rounds = 3 if quick else 31
    rows = []
    for kind, make, sizes, target in (
        ("GPT", gpts.make, GPT, 1.05),
        ("encoder–decoder", translators.make, TRANSLATOR, 1.1),
        ("encoder with labels", classifiers.make, CLASSIFIER, None),
    ):
        sizes = TINY if quick else sizes
        models, batch, labels = make(sizes)
        note = same_size({name: model.module for name, model in models.items()}, within=0.5 if quick else 0.01)
        work = f"{kind} training step, {sizes.told(twice=kind == 'encoder–decoder')}"
        rows += measure(work, models, batch, labels, rounds, at_least=target, note=note)
    return rows


def measure(
    work: str,
    models: Mapping[str, Model],
    batch: tuple[Tensor, ...],
    labels: Tensor,
    rounds: int,
    *,
    at_least: float | None,
    note: str,
) -> list[Row]:
    """The row of one kind of model.

    Raises:
        RuntimeError: models answer in different shapes, or one does not learn.
    """
    shapes = {name: tuple(model.answer(*batch).shape) for name, model in models.items()}
    if set(shapes.values()) != {shapes[OURS]}:
        raise RuntimeError(f"The models answer in different shapes: {shapes}.")
    losses: dict[str, list[float]] = {name: [] for name in models}
    steps = {name: step(model, batch, labels, losses[name]) for name, model in models.items()}
    row = compared("training", work, steps, rounds, at_least=at_least, note=note)
    for name, course in losses.items():
        if not course[-1] < course[0]:
            raise RuntimeError(f"{name} does not learn: its loss went from {course[0]:.3f} to {course[-1]:.3f}.")
    told = ", ".join(f"{name} {course[0]:.2f} → {course[-1]:.2f}" for name, course in losses.items())
    print(f"  losses over {len(losses[OURS])} steps: {told}")
    return [row]


def step(model: Model, batch: tuple[Tensor, ...], labels: Tensor, losses: list[float]) -> Callable[[], None]:
    """One step of training, the same for every model; it notes its loss."""
    optimizer = torch.optim.AdamW(model.module.parameters(), lr=1e-3, fused=True)
    flat = labels.flatten()

    def call() -> None:
        loss = F.cross_entropy(model.answer(*batch).flatten(0, 1), flat)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())

    return call


if __name__ == "__main__":
    alone(run)
