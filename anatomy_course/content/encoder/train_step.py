"""Notebook 03: one step of training, judged by what it does to a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils import clip_grad_norm_

from anatomy_course.content.sizes import normal, primes
from anatomy_course.judge.definition import Case, Exercise, Mistake, Objection
from anatomy_course.judge.effects.step import OUTPUTS, STEPS, clipping_mistakes, effects


@dataclass(frozen=True)
class _Batch:
    input_ids: Tensor
    attention_mask: Tensor
    labels: Tensor


class _Dropping(nn.Module):
    """Drops the same features in every step of training: a module of its own, which the model's mode must reach."""

    def __init__(self, kept: Tensor) -> None:
        super().__init__()
        self.kept = kept

    def forward(self, states: Tensor) -> Tensor:
        return states * self.kept if self.training else states


class _Classifier(nn.Module):
    """Means of words, some of whose features training drops, and a linear layer."""

    def __init__(self, table: Tensor, weight: Tensor, kept: Tensor) -> None:
        super().__init__()
        self.table = nn.Parameter(table.clone())
        self.weight = nn.Parameter(weight.clone())
        self.scale = nn.Parameter(torch.ones(table.shape[1]), requires_grad=False)
        self.dropout = _Dropping(kept)

    def forward(self, input_ids: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        real = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        mean = (self.table[input_ids] * real[..., None]).sum(1) / real.sum(1, keepdim=True) * self.scale
        return self.dropout(mean) @ self.weight


OLD = "gradients left over from before"


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in (
        *("a new model", "a model in evaluation mode", OLD, "short gradients"),
        *("one text", "texts of one word"),
    ):
        batch, position, d_model, labels = primes(generator, 4, (2, 3, 5, 7))
        batch, position = 1 if kind == "one text" else batch, 1 if kind == "texts of one word" else position
        real = torch.randint(1, max(2, position), (STEPS, batch, 1), generator=generator)
        kept = torch.tensor([0.0, 1.5]).repeat(d_model)[:d_model]
        arguments = {
            "input_ids": torch.randint(11, (STEPS, batch, position), generator=generator),
            "attention_mask": (torch.arange(position) < real).long(),
            "labels": torch.randint(labels, (STEPS, batch), generator=generator),
            "table": 2 * normal(generator, 11, d_model),
            "weight": 2 * normal(generator, d_model, labels),
            "kept": kept[torch.randperm(d_model, generator=generator)],
            "max_norm": 100.0 if kind == "short gradients" else 0.1 + 0.1 * torch.rand(1, generator=generator).item(),
            "in_training": kind != "a model in evaluation mode",
            "old_gradients": 1.0 + normal(generator, 1).abs().item() if kind == OLD else 0.0,
        }
        yield Case(arguments, kind, {"batch": batch, "position": position, "d_model": d_model, "labels": labels})


def _setting(given: Sequence[Any], training: bool, old: float) -> tuple[Any, torch.optim.Optimizer, list[_Batch]]:
    ids, mask, labels, *weights = given
    model = _Classifier(*weights).train(training)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    for parameter in trained if old else ():
        parameter.grad = torch.full_like(parameter, old)
    batches = [_Batch(*each) for each in zip(ids, mask, labels, strict=True)]
    groups = [{"params": [parameter]} for parameter in trained]  # all of them count, not the first one alone
    return model, torch.optim.SGD(groups, lr=0.5, momentum=0.5), batches


def _drive(answer: Callable[..., Any], *arguments: Any) -> tuple[Tensor, ...] | Objection | None:
    *given, max_norm, training, old = arguments
    model, optimizer, batches = _setting(given, training, old)
    with torch.enable_grad():
        return effects(lambda number: answer(model, optimizer, batches[number], max_norm), model, optimizer)


def _loss(model: nn.Module, batch: _Batch) -> Tensor:
    return F.cross_entropy(model(batch.input_ids, batch.attention_mask), batch.labels)


@dataclass(frozen=True)
class _Step:
    """The step with one thing done differently."""

    clear: str = "first"
    train: bool = True
    loss: Callable[[nn.Module, _Batch], Tensor] = _loss
    clip: Callable[[Any, float], Any] | None = clip_grad_norm_
    update: Callable[[nn.Module, torch.optim.Optimizer], object] = lambda model, optimizer: optimizer.step()

    def __call__(self, model: nn.Module, optimizer: torch.optim.Optimizer, batch: _Batch, max_norm: float) -> float:
        if self.train:
            model.train()
        if self.clear == "first":
            optimizer.zero_grad()
        loss = self.loss(model, batch)
        loss.backward()
        if self.clip:
            self.clip(model.parameters(), max_norm)
        self.update(model, optimizer)
        if self.clear == "last":
            optimizer.zero_grad()
        return loss.item()


def _by_hand(model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    with torch.no_grad():
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    parameter -= group["lr"] * parameter.grad


def _loss_afterwards(model: nn.Module, optimizer: torch.optim.Optimizer, batch: _Batch, max_norm: float) -> float:
    _Step()(model, optimizer, batch, max_norm)
    with torch.no_grad():
        return _loss(model, batch).item()


def _in_evaluation_mode(model: nn.Module, optimizer: torch.optim.Optimizer, batch: _Batch, max_norm: float) -> float:
    model.eval()
    return replace(_Step(), train=False)(model, optimizer, batch, max_norm)


def _gradients_of_the_model(
    model: nn.Module, optimizer: torch.optim.Optimizer, batch: _Batch, max_norm: float
) -> float:
    model.zero_grad(set_to_none=False)
    return replace(_Step(), clear="never")(model, optimizer, batch, max_norm)


def _back_in_its_mode(model: nn.Module, optimizer: torch.optim.Optimizer, batch: _Batch, max_norm: float) -> float:
    before = model.training
    loss = _Step()(model, optimizer, batch, max_norm)
    model.train(before)
    return loss


def _clipped_by_hand(model: nn.Module, optimizer: torch.optim.Optimizer, batch: _Batch, max_norm: float) -> float:
    def clip(parameters: Any, longest: float) -> None:
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        length = torch.cat([gradient.flatten() for gradient in gradients]).norm().item()
        for gradient in gradients:
            gradient *= min(1.0, longest / length)

    return replace(_Step(), clip=clip)(model, optimizer, batch, max_norm)


def _steps(*arguments: Any) -> Mapping[str, Tensor]:
    """Of the first step."""
    model, _, batches = _setting(arguments[:-3], True, 0.0)
    logits = model(batches[0].input_ids, batches[0].attention_mask)
    return {"logits": logits, "loss": F.cross_entropy(logits, batches[0].labels)}


EXERCISE = Exercise(
    id="encoder.train_step",
    title="One step of training",
    task="Change the model once, so that its loss on this batch falls: clear, forward, loss, backward, clip, step.",
    difficulty="medium",
    minutes=6,
    signature="train_step(model, optimizer, batch, max_norm: float) -> float",
    docstring="batch.input_ids and batch.attention_mask (batch, position), batch.labels (batch,);\n"
    "model(input_ids, attention_mask) → logits (batch, labels). Switch the model to training mode,\n"
    "shorten a gradient that is longer than max_norm, and return the loss as a plain number.",
    reference="anatomy_utils.training.step.train_step",
    returns=OUTPUTS,
    cases=_cases,
    mistakes=(
        Mistake(
            "never_cleared",
            replace(_Step(), clear="never"),
            "The gradients of earlier steps are never cleared: each step adds its own to them.",
        ),
        Mistake(
            "no_change",
            replace(_Step(), update=lambda model, optimizer: None),
            "Your weights never change, as if no step were made or it found no gradients (was `backward()` called?).",
        ),
        Mistake(
            "cleared_last",
            replace(_Step(), clear="last"),
            "If gradients are there before your first step, they are added to its own, as if you cleared them only at "
            "a step's end.",
        ),
        *clipping_mistakes(_Step()),
        Mistake(
            "mode_not_set",
            replace(_Step(), train=False),
            "Right for a model that is in training mode already. One that comes in evaluation mode learns without its "
            "dropout.",
        ),
        Mistake(
            "evaluation_mode",
            _in_evaluation_mode,
            "Your model learns in evaluation mode, without its dropout.",
        ),
        Mistake(
            "padding_read",
            replace(_Step(), loss=lambda model, batch: F.cross_entropy(model(batch.input_ids), batch.labels)),
            "Your model is not told which positions are padding, and reads them as words.",
        ),
        Mistake(
            "summed",
            replace(_Step(), loss=lambda model, batch: _loss(model, batch) * len(batch.labels)),
            "Your loss is the sum over the batch; use the mean.",
        ),
        Mistake(
            "softmax_twice",
            replace(
                _Step(),
                loss=lambda model, batch: F.cross_entropy(
                    model(batch.input_ids, batch.attention_mask).softmax(-1), batch.labels
                ),
            ),
            "Cross-entropy takes logits and makes the softmax itself; in your loss the softmax is applied twice.",
        ),
        Mistake(
            "uphill",
            replace(_Step(), loss=lambda model, batch: -_loss(model, batch)),
            "The sign of your loss is wrong, so every step makes the model worse.",
        ),
        Mistake(
            "loss_afterwards",
            _loss_afterwards,
            "Your weights are right, but you return the loss after the step; return the loss from before it.",
        ),
        Mistake(
            "by_hand",
            replace(_Step(), update=_by_hand),
            "Your first step is right and the second is not: what the optimizer remembers of earlier steps is left "
            "out, as in weights minus rate times gradient.",
        ),
    ),
    also_right={
        "in the order of the task": _Step(),
        "the model's gradients set to 0": _gradients_of_the_model,
        "mode put back": _back_in_its_mode,
        "clipped by hand": _clipped_by_hand,
    },
    hints=(
        "Six lines, in the order of the task, after `model.train()`. What would the second step use if the gradients "
        "of the first were still there?",
        "`loss.backward()` fills each parameter's `.grad`; `optimizer.step()` uses it. Between the two, "
        "`torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)` shortens what is too long.",
        "`optimizer.zero_grad()`, `logits = model(batch.input_ids, batch.attention_mask)`, then "
        "`torch.nn.functional.cross_entropy(logits, batch.labels)`; at the end `return loss.item()`.",
    ),
    solution="model.train()\n"
    "optimizer.zero_grad()\n"
    "logits = model(batch.input_ids, batch.attention_mask)\n"
    "loss = torch.nn.functional.cross_entropy(logits, batch.labels)\n"
    "loss.backward()\n"
    "torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)\n"
    "optimizer.step()\n"
    "return loss.item()",
    explanation="`backward()` adds to the gradients that are there, so they are cleared first. Clipping keeps the "
    "direction of a long gradient: one odd batch cannot do much harm. `.item()` gives a plain number.",
    stages=_steps,
    observe=_drive,
)
