"""A small GPT trained with steps that are too large, and what its scores grow to.

Notebook 08 compares three of them: as it is, with norms of queries and keys, and with a soft cap on its scores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from anatomy_course.lab.small_models.encoder_tasks import label_loss
from anatomy_course.lab.street.batches import in_batches, language_modeling
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_course.lab.street.vocabulary import street_vocabulary
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.tap import edit
from anatomy_utils.training.history import History
from anatomy_utils.training.loop import fit
from anatomy_utils.training.schedules import linear_schedule
from anatomy_utils.zoo.gpt2 import Gpt2Config, gpt2, initialize

BATCH, NUM_LAYERS, TESTED = 16, 2, 200


class Trained(NamedTuple):
    """What became of a training."""

    loss: float
    """On sentences that it has not seen."""
    largest: list[float]
    """The largest |score| of a word and one that it may see, in each step."""


def train_with(organ: Callable[[], Mapping[str, Any]], rate: float, seed: int, *, steps: int = 120) -> Trained:
    """Train a GPT of 2 layers, 32 features wide, on sentences of the street.

    Args:
        organ: makes what each attention gets under these names, such as `{"score_cap": 20.0}`.
        rate: the highest learning rate; it rises for a tenth of the steps, then falls to 0.
        seed: of weights and sentences.
        steps: of 16 sentences each.
    """
    generator = torch.Generator().manual_seed(seed)
    config = Gpt2Config(
        len(street_vocabulary()), d_model=32, num_layers=NUM_LAYERS, num_heads=2, max_positions=33, d_ff=128,
        dropout=0.0, attention_dropout=0.0,
    )  # fmt: skip
    model = LanguageModel(gpt2(config), nn.Linear(config.d_model, config.vocab_size, bias=False))
    initialize(model, NUM_LAYERS, generator=generator)
    for layer in model.decoder.layers:
        for name, part in organ().items():
            if not hasattr(layer.self_attention, name):
                raise ValueError(f"An attention has no {name!r}; name one of its parts, such as 'score_cap'.")
            setattr(layer.self_attention, name, part)
    scenes, held_out = sample_scenes(steps * BATCH, generator, "train"), sample_scenes(TESTED, generator, "test")
    batches = in_batches(language_modeling(scenes), BATCH)
    sizes: list[float] = []
    largest: list[float] = []

    def note(scores: Tensor) -> Tensor:
        sizes.append(scores.detach().tril().abs().max().item())
        return scores

    def step_done(history: History) -> None:
        largest.append(max(sizes))
        sizes.clear()

    schedule = linear_schedule(rate, steps=steps, warmup=steps // 10)
    with edit(model, {f"decoder.layers.{number}.self_attention.scores": note for number in range(NUM_LAYERS)}):
        fit(
            model, batches, label_loss,
            learning_rate=schedule, on_step=step_done, progress=False,
        )  # fmt: skip
    model.eval()
    with torch.no_grad():
        loss = label_loss(model, language_modeling(held_out)).item()
    return Trained(loss, largest)
