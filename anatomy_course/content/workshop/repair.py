"""Notebook 08's case: find out what is wrong with `colleagues_step`, and write it right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils import clip_grad_norm_

from anatomy_course.content.sizes import normal, primes
from anatomy_course.judge.definition import Case, Exercise, Mistake, Objection
from anatomy_course.judge.effects.parts import VOCABULARY
from anatomy_course.judge.effects.step import OUTPUTS, STEPS, effects
from anatomy_course.lab.debugging.colleague.training_program import colleagues_step

ONE, OLD, SHORT = "a batch of one window", "gradients left over from before", "short gradients"
SINGLE, TINY, KNOWN = "windows of one token", "one window of one token", "a loss below 1"


class _PositionFirst(nn.Module):
    """Guesses from the mean of all tokens so far, along the first axis."""

    def __init__(self, table: Tensor, weight: Tensor) -> None:
        super().__init__()
        self.tokens = nn.Parameter(table.clone())
        self.vocabulary = nn.Parameter(weight.clone())

    def forward(self, input_ids: Tensor) -> Tensor:
        states = self.tokens[input_ids].cumsum(0)
        return (states / torch.arange(1, len(states) + 1)[:, None, None]) @ self.vocabulary


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("a batch of windows", ONE, OLD, SHORT, KNOWN, SINGLE, TINY):
        batch, position, d_model = primes(generator, 3, (2, 3, 5, 7))
        batch, position = 1 if kind in (ONE, TINY) else batch, 1 if kind in (SINGLE, TINY) else position
        inputs = torch.randint(VOCABULARY, (STEPS, batch, position), generator=generator)
        labels = torch.randint(VOCABULARY, (STEPS, batch, position), generator=generator)
        table, weight = 2 * normal(generator, VOCABULARY, d_model), 2 * normal(generator, d_model, VOCABULARY)
        if kind == KNOWN:
            model = _PositionFirst(table, weight)
            labels = torch.stack([model(windows.T).argmax(-1).T for windows in inputs])
        arguments = {
            "inputs": inputs,
            "labels": labels,
            "table": table,
            "weight": weight,
            "max_norm": 100.0 if kind == SHORT else 0.1 + 0.1 * torch.rand(1, generator=generator).item(),
            "old_gradients": 1.0 + normal(generator, 1).abs().item() if kind == OLD else 0.0,
        }
        yield Case(arguments, kind, {"batch": batch, "position": position, "d_model": d_model})


def _drive(
    answer: Callable[..., Any], inputs: Tensor, labels: Tensor, table: Tensor, weight: Tensor, norm: float, old: float
) -> tuple[Tensor, ...] | Objection | None:
    model = _PositionFirst(table, weight)
    for parameter in model.parameters() if old else ():
        parameter.grad = torch.full_like(parameter, old)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.5)
    with torch.enable_grad():
        return effects(lambda step: answer(model, optimizer, inputs[step], labels[step], norm), model, optimizer)


@dataclass(frozen=True)
class _Step:
    """The step with one thing done differently."""

    logits: Callable[[nn.Module, Tensor], Tensor] = lambda model, inputs: model(inputs.T)
    labels: Callable[[Tensor], Tensor] = lambda labels: labels.T
    loss: Callable[[Tensor, Tensor], Tensor] = F.cross_entropy
    clear: bool = True
    clip: bool = True
    update: bool = True

    def __call__(
        self, model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, labels: Tensor, max_norm: float
    ) -> float:
        if self.clear:
            optimizer.zero_grad()
        loss = self.loss(self.logits(model, inputs).flatten(0, 1), self.labels(labels).flatten())
        loss.backward()
        if self.clip:
            clip_grad_norm_(model.parameters(), max_norm)
        if self.update:
            optimizer.step()
        return loss.item()


def _repaired(model: nn.Module, optimizer: Any, inputs: Tensor, labels: Tensor, max_norm: float) -> float:
    return _Step()(model, optimizer, inputs, labels, max_norm)


def _classes_second(model: nn.Module, optimizer: Any, inputs: Tensor, labels: Tensor, max_norm: float) -> float:
    optimizer.zero_grad()
    loss = F.cross_entropy(model(inputs.T).permute(1, 2, 0), labels)
    loss.backward()
    clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return loss.item()


def _window_by_window(model: nn.Module, optimizer: Any, inputs: Tensor, labels: Tensor, max_norm: float) -> float:
    optimizer.zero_grad()
    logits = model(inputs.T)
    losses = [F.cross_entropy(logits[:, row], labels[row]) for row in range(len(labels))]
    loss = torch.stack(losses).mean()
    loss.backward()
    clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return loss.item()


def _one_by_one(axis: int) -> Callable[..., float]:
    """The mean losses along an axis of the labels added up: 0 for those of the windows, 1 for those of positions."""

    def step(model: nn.Module, optimizer: Any, inputs: Tensor, labels: Tensor, max_norm: float) -> float:
        optimizer.zero_grad()
        rows = zip(model(inputs.T).unbind(1 - axis), labels.unbind(axis), strict=True)
        loss = torch.stack([F.cross_entropy(logits, wanted) for logits, wanted in rows]).sum()
        loss.backward()
        clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        return loss.item()

    return step


def _steps(
    inputs: Tensor, labels: Tensor, table: Tensor, weight: Tensor, norm: float, old: float
) -> Mapping[str, Tensor]:
    return {"labels in the order of the logits": labels[0].T.flatten()}


EXERCISE = Exercise(
    id="workshop.repair",
    title="The case: a loss that stalls",
    task="Write the step that `colleagues_step` should have been.",
    difficulty="medium",
    minutes=6,
    signature="repaired_step(\n    model, optimizer, inputs: Tensor, labels: Tensor, max_norm: float\n) -> float",
    docstring="inputs and labels (batch, position); model(ids (position, batch)) → logits (position, batch, "
    "vocabulary).\n"
    "Clears the gradients, makes one step with the mean loss over all tokens, shortens a gradient longer than\n"
    "max_norm, and returns the loss as a plain number.",
    reference=_repaired,
    returns=OUTPUTS,
    cases=_cases,
    mistakes=(
        Mistake(
            "unchanged",
            colleagues_step,
            "This is what the colleague's step does: right with one window, and with more of them each answer is "
            "compared with a token of another window. To `reshape` the logits to the labels' shape changes nothing: "
            "their order in memory stays. Only `transpose`, or `.T`, brings another order.",
        ),
        Mistake(
            "inputs_not_turned",
            replace(_Step(), logits=lambda model, inputs: model(inputs), labels=lambda labels: labels),
            "Answers and labels go together now, but your model is given (batch, position): it takes the windows for "
            "positions, and each window looks into those before it.",
        ),
        Mistake(
            "only_labels_turned",
            replace(_Step(), logits=lambda model, inputs: model(inputs)),
            "Your labels are turned and your inputs are not, so again answers and labels do not go together, and the "
            "model takes windows for positions.",
        ),
        Mistake(
            "turned_twice",
            replace(_Step(), logits=lambda model, inputs: model(inputs.T).transpose(0, 1)),
            "You turn both the logits and the labels, so that they miss each other again; turn one of them.",
        ),
        Mistake(
            "first_window",
            replace(_Step(), logits=lambda model, inputs: model(inputs.T)[:, :1], labels=lambda labels: labels[:1].T),
            "Your step learns from the first window only.",
        ),
        Mistake(
            "last_position",
            replace(_Step(), logits=lambda model, inputs: model(inputs.T)[-1:], labels=lambda labels: labels[:, -1:].T),
            "Your step learns from each window's last position only.",
        ),
        Mistake(
            "inputs_as_labels",
            lambda model, optimizer, inputs, labels, max_norm: _Step()(model, optimizer, inputs, inputs, max_norm),
            "Answers are compared with the inputs themselves: the model would learn to copy.",
        ),
        Mistake(
            "reversed",
            replace(_Step(), labels=lambda labels: labels.flip(0).T),
            "The last window's labels come first in yours: each window is compared with another one's labels.",
        ),
        Mistake(
            "summed",
            replace(_Step(), loss=lambda logits, labels: F.cross_entropy(logits, labels, reduction="sum")),
            "Answers and labels go together now, but your loss is the sum over all tokens; use the mean.",
        ),
        Mistake(
            "sum_of_positions",
            _one_by_one(axis=1),
            "Answers and labels go together now, but you add up the mean losses of the positions, so loss and gradient "
            "are as many times too large as there are positions.",
        ),
        Mistake(
            "sum_of_windows",
            _one_by_one(axis=0),
            "Answers and labels go together now, but you add up the mean losses of the windows, so loss and gradient "
            "are as many times too large as there are windows.",
        ),
        Mistake(
            "softmax_twice",
            replace(_Step(), loss=lambda logits, labels: F.cross_entropy(logits.softmax(-1), labels)),
            "Answers and labels go together now, but the softmax is applied twice: cross-entropy takes logits.",
        ),
        Mistake(
            "never_cleared",
            replace(_Step(), clear=False),
            "The fault is repaired, but now the gradients of earlier steps are still there: each step adds its own to "
            "them.",
        ),
        Mistake(
            "not_clipped",
            replace(_Step(), clip=False),
            "The fault is repaired, but now a gradient longer than `max_norm` is not shortened before it is used.",
        ),
        Mistake(
            "no_step",
            replace(_Step(), update=False),
            "Your weights never change: no step is made, or it finds no gradients.",
        ),
    ),
    also_right={
        "logits turned": replace(
            _Step(), logits=lambda model, inputs: model(inputs.T).transpose(0, 1), labels=lambda labels: labels
        ),
        "classes on axis 1": _classes_second,
        "window by window": _window_by_window,
    },
    hints=(
        "One window is learned and recited, four are learned and not recited. What can a second window change?",
        "Write down the shapes on the line with the loss. In which order does `flatten` go through the logits, in "
        "which through the labels?",
        "The logits are (position, batch, vocabulary), so the labels must be (position, batch) as well: `labels.T`.",
    ),
    solution="optimizer.zero_grad()\n"
    "logits = model(inputs.T)\n"
    "loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.T.flatten())\n"
    "loss.backward()\n"
    "torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)\n"
    "optimizer.step()\n"
    "return loss.item()",
    explanation="Every shape fits, since logits and labels make rows of the same length. A single batch can be learned "
    "by heart whatever it asks for, so its loss falls to 0; for new windows, the model can guess only how frequent "
    "each token is. So let a model that has learned one batch recite it, and give it the same windows in another "
    "order: the loss must not change.",
    stages=_steps,
    observe=_drive,
)
