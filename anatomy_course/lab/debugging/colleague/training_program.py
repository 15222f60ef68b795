"""The case of notebook 10: a small GPT whose training runs, and whose loss stops half-way.

All parts are torch's own, and most tests that one would think of pass: the first loss is right, each parameter gets a
gradient, and the loss of a single batch falls to 0. But then the model does not recite what is in that batch, which
`overfit_one_batch` looks at, too. `symptoms_of_training_program` shows all tests side by side, `training_trial` what a
model learns on the street.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_course.lab.debugging.colleague.symptoms import compared
from anatomy_course.lab.street.parser import say
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_course.lab.street.vocabulary import street_vocabulary
from anatomy_course.page.page import CellOutput
from anatomy_utils.training.seeding import seeded
from anatomy_utils.training.threads import threads
from anatomy_utils.training.windows import random_windows

Step = Callable[[nn.Module, torch.optim.Optimizer, Tensor, Tensor, float], float]
"""(model, optimizer, inputs, labels, max_norm) → loss; inputs and labels (batch, position)."""
LENGTH, D_MODEL, NUM_LAYERS, NUM_HEADS = 12, 32, 2, 4
LEARNING_RATE, MAX_NORM = 5e-3, 1.0
SCENES = {"train": 1500, "test": 300}


class ColleaguesGpt(nn.Module):
    """A GPT of torch's own layers. They want the position first: ids (position, batch) → logits (position, batch, …).

    Args:
        vocabulary_size: how many tokens there are.
    """

    def __init__(self, vocabulary_size: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocabulary_size, D_MODEL)
        self.positions = nn.Embedding(LENGTH, D_MODEL)
        layer = nn.TransformerEncoderLayer(D_MODEL, NUM_HEADS, 4 * D_MODEL, 0.0, "gelu", norm_first=True)
        self.layers = nn.TransformerEncoder(layer, NUM_LAYERS, nn.LayerNorm(D_MODEL), enable_nested_tensor=False)
        for embedding in (self.tokens, self.positions):
            nn.init.normal_(embedding.weight, std=0.02)

    def forward(self, input_ids: Tensor) -> Tensor:
        """Logits of the tokens that come next."""
        length = len(input_ids)
        states = self.tokens(input_ids) + self.positions(torch.arange(length))[:, None]
        states = self.layers(states, mask=nn.Transformer.generate_square_subsequent_mask(length), is_causal=True)
        return F.linear(states, self.tokens.weight)


def colleagues_step(
    model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, labels: Tensor, max_norm: float
) -> float:
    """The faulty step: clear, forward, loss, backward, clip, step. Inputs and labels are (batch, position)."""
    optimizer.zero_grad()
    logits = model(inputs.T)  # torch's layers want (position, batch)
    loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten())
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return loss.item()


def healthy_step(
    model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, labels: Tensor, max_norm: float
) -> float:
    """The same step without the fault."""
    turned = labels.T.flatten()
    optimizer.zero_grad()
    loss = F.cross_entropy(model(inputs.T).flatten(0, 1), turned)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return loss.item()


@dataclass(frozen=True)
class OneBatch:
    """A model that saw one batch again and again.

    Attributes:
        losses: of each step.
        with_gradient: how many of its parameters got a gradient.
        parameters: how many it has.
        recited: the share of the batch's labels that are the likeliest token, afterwards.
        reordered: the loss of the same windows in another order, afterwards.
    """

    losses: tuple[float, ...]
    with_gradient: int
    parameters: int
    recited: float
    reordered: float


def overfit_one_batch(step: Step, *, windows: int = 4, steps: int = 100, seed: int = 0) -> OneBatch:
    """Train a new model on one batch until it knows it by heart, and look at what it then knows.

    Args:
        step: `colleagues_step`, `healthy_step` or your own.
        windows: in the batch.
        steps: on it.
        seed: of the weights and the windows.
    """
    generator = torch.Generator().manual_seed(seed)
    model, optimizer = _new_model(generator)
    inputs, labels = random_windows(street_text("train"), windows, LENGTH, generator)
    with threads(1):
        losses = [step(model, optimizer, inputs, labels, MAX_NORM) for _ in range(steps)]
        count = sum(parameter.grad is not None and bool(parameter.grad.any()) for parameter in model.parameters())
        with torch.no_grad():
            recited = (model(inputs.T).argmax(-1) == labels.T).float().mean().item()
        reordered = step(model, optimizer, inputs.flip(0), labels.flip(0), MAX_NORM)
    return OneBatch(tuple(losses), count, len(list(model.parameters())), recited, reordered)


def training_trial(step: Step, *, steps: int = 200, seed: int = 0) -> tuple[tuple[float, ...], float]:
    """Train a new model on the street; returns the loss of each step, and that on sentences it has not seen.

    Args:
        step: `colleagues_step`, `healthy_step` or your own.
        steps: of 32 windows each.
        seed: of the weights and the windows.
    """
    generator = torch.Generator().manual_seed(seed)
    model, optimizer = _new_model(generator)
    text = street_text("train")
    with threads(1):
        losses = [step(model, optimizer, *random_windows(text, 32, LENGTH, generator), MAX_NORM) for _ in range(steps)]
        inputs, labels = random_windows(street_text("test"), 128, LENGTH, generator)
        with torch.no_grad():
            loss = F.cross_entropy(model(inputs.T).flatten(0, 1), labels.T.flatten()).item()
    return tuple(losses), loss


def street_text(split: str) -> Tensor:
    """Sentences of the street as one row of ids."""
    scenes = sample_scenes(SCENES[split], torch.Generator().manual_seed(0), "train" if split == "train" else "test")
    vocabulary = street_vocabulary()
    return torch.tensor([id for scene in scenes for id in vocabulary.ids(say(scene, "english").tokens)])


def _new_model(generator: torch.Generator) -> tuple[nn.Module, torch.optim.Optimizer]:
    with seeded(generator):
        model = ColleaguesGpt(len(street_vocabulary()))
    return model, torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE)


def symptoms_of_training_program() -> CellOutput:
    """The usual tests, with the right step and the colleague's: four that pass and two that do not."""
    even = math.log(len(street_vocabulary()))
    steps = {"right step": healthy_step, "the colleague's": colleagues_step}
    return compared(f"ln(vocabulary) = {even:.2f}", "tests", steps, _examine)


def _examine(step: Step) -> dict[str, str]:
    one, four = (overfit_one_batch(step, windows=windows) for windows in (1, 4))
    return {
        "first loss": f"{four.losses[0]:.2f}",
        "parameters with a gradient": f"{four.with_gradient} of {four.parameters}",
        "one window, 100 times: last loss": f"{one.losses[-1]:.2f}",
        "four windows, 100 times: last loss": f"{four.losses[-1]:.2f}",
        "four windows: correctly predicted tokens": f"{four.recited:.0%}",
        "four windows in another order: loss": f"{four.reordered:.2f}",
    }
