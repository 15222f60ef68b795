"""Notebook 08: one step on a batch that comes in parts, judged by what it does to a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils import clip_grad_norm_

from anatomy_utils.exercises.catalogue.sizes import normal, primes
from anatomy_utils.exercises.definition import Case, Exercise, Mistake
from anatomy_utils.exercises.driving.parts import VOCABULARY, Parts, drive
from anatomy_utils.exercises.driving.step import OUTPUTS, STEPS, clipping_mistakes

ONE, WINDOW, OLD, SHORT = "one part", "a batch of one window", "gradients left over from before", "short gradients"
UNEQUAL, LENGTHS = "parts of unequal size", "parts of unequal length"


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("parts of one size", UNEQUAL, ONE, WINDOW, OLD, SHORT, LENGTHS):
        position, d_model = primes(generator, 2, (2, 3, 5))
        rows = {ONE: [7], WINDOW: [1]}.get(kind, [7, 7] if kind == "parts of one size" else [1, 4, 2])
        batch = sum(rows)
        arguments = {
            "input_ids": torch.randint(VOCABULARY, (STEPS, batch, position), generator=generator),
            "labels": torch.randint(VOCABULARY, (STEPS, batch, position), generator=generator),
            "table": 2 * normal(generator, VOCABULARY, d_model),
            "weight": 2 * normal(generator, d_model, VOCABULARY),
            "rows": rows,
            "lengths": [position, 1, position] if kind == LENGTHS else [position] * len(rows),
            "max_norm": 100.0 if kind == SHORT else 0.1 + 0.1 * torch.rand(1, generator=generator).item(),
            "old_gradients": normal(generator, 1).item() if kind == OLD else 0.0,
        }
        sizes = {"position": position, "d_model": d_model, "windows in a part": rows[0]}
        yield Case(arguments, kind, sizes)


def _sum(model: nn.Module, part: tuple[Tensor, Tensor]) -> Tensor:
    return F.cross_entropy(model(part[0]).flatten(0, 1), part[1].flatten(), reduction="sum")


def _by_windows(parts: Parts, labels: Tensor) -> float:
    return len(labels) / sum(len(each) for _, each in parts) / labels.numel()


def _tokens(parts: Parts) -> int:
    return sum(labels.numel() for _, labels in parts)


@dataclass(frozen=True)
class _Step:
    """The step with one thing done differently."""

    clear: str = "first"
    loss: Callable[[nn.Module, tuple[Tensor, Tensor]], Tensor] = _sum
    share: Callable[[Parts, Tensor], float] = lambda parts, labels: 1 / _tokens(parts)
    clip: Callable[[Any, float], Any] | None = clip_grad_norm_
    clip_each_part: bool = False
    update: str = "last"
    told: Callable[[list[float]], float] = sum

    def __call__(self, model: nn.Module, optimizer: torch.optim.Optimizer, parts: Parts, max_norm: float) -> float:
        if self.clear == "first":
            optimizer.zero_grad()
        losses = []
        for part in parts:
            if self.clear == "each":
                optimizer.zero_grad()
            loss = self.loss(model, part) * self.share(parts, part[1])
            loss.backward()
            losses.append(loss.item())
            if self.clip and self.clip_each_part:
                self.clip(model.parameters(), max_norm)
            if self.update == "each":
                optimizer.step()
        if self.clip and not self.clip_each_part and self.update != "each":
            self.clip(model.parameters(), max_norm)
        if self.update == "last":
            optimizer.step()
        if self.clear == "last":
            optimizer.zero_grad()
        return self.told(losses)


def _not_divided(parts: Parts, labels: Tensor) -> float:
    return 1 / labels.numel()


def _average(losses: list[float]) -> float:
    return sum(losses) / len(losses)


def _on(choose: Callable[[Parts], Parts]) -> Callable[..., float]:
    """The step on something else than the parts."""
    return lambda model, optimizer, parts, max_norm: _Step()(model, optimizer, choose(parts), max_norm)


def _joined(parts: Parts) -> Parts:
    if len({labels.shape[1] for _, labels in parts}) > 1:  # they cannot be joined
        return parts
    inputs, labels = (torch.cat(each) for each in zip(*parts, strict=True))
    return [(inputs, labels)]


def _one_backward(model: nn.Module, optimizer: torch.optim.Optimizer, parts: Parts, max_norm: float) -> float:
    model.train()
    optimizer.zero_grad()
    loss = torch.stack([_sum(model, part) for part in parts]).sum() / _tokens(parts)
    loss.backward()
    clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return loss.item()


def _shares_from_outside(model: nn.Module, optimizer: torch.optim.Optimizer, parts: Parts, max_norm: float) -> float:
    optimizer.zero_grad()
    total = 0.0
    for inputs, labels in parts:
        loss, share = F.cross_entropy(model(inputs).flatten(0, 1), labels.flatten()), labels.numel() / _tokens(parts)
        loss.backward(torch.tensor(share))
        total += loss.item() * share
    clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return total


def _weighted_means(model: nn.Module, optimizer: torch.optim.Optimizer, parts: Parts, max_norm: float) -> float:
    model.zero_grad(set_to_none=False)
    total = 0.0
    for inputs, labels in parts:
        loss = F.cross_entropy(model(inputs).transpose(1, 2), labels) * labels.numel() / _tokens(parts)
        loss.backward()
        total += float(loss.detach())
    clip_grad_norm_([p for group in optimizer.param_groups for p in group["params"]], max_norm)
    optimizer.step()
    return total


def _steps(
    input_ids: Tensor, labels: Tensor, table: Tensor, weight: Tensor, rows: list[int], lengths: list[int], *_: float
) -> Mapping[str, Tensor]:
    ends = torch.tensor(lengths).repeat_interleave(torch.tensor(rows))
    given = torch.arange(input_ids.shape[-1]) < ends[:, None]
    return {"loss of the whole batch": F.cross_entropy(table[input_ids[0][given]] @ weight, labels[0][given])}


EXERCISE = Exercise(
    id="workshop.training_step",
    title="A large batch in parts",
    task="Change the model once, as if all parts were one large batch: clear, loss and backward for each part, then "
    "clip and step.",
    difficulty="hard",
    minutes=10,
    signature="training_step(\n"
    "    model, optimizer, parts: list[tuple[Tensor, Tensor]], max_norm: float\n"
    ") -> float",
    docstring="Each part is (inputs, labels), both (batch, position); model(inputs) → logits (batch, position, "
    "vocabulary).\n"
    "The loss is the mean cross-entropy over all tokens of all parts, and parts may differ in size. Only one part\n"
    "is given to the model at a time. Shorten a gradient longer than max_norm; return the loss as a plain number.",
    reference="anatomy_utils.training.step.training_step",
    returns=OUTPUTS,
    cases=_cases,
    mistakes=(
        Mistake(
            "never_cleared",
            replace(_Step(), clear="never"),
            "The gradients of earlier steps are never cleared: each step adds its own to them.",
        ),
        Mistake(
            "cleared_for_each_part",
            replace(_Step(), clear="each"),
            "You clear the gradients before each part, so only the last part is learned from: clear once, before the "
            "first.",
        ),
        Mistake(
            "cleared_last",
            replace(_Step(), clear="last"),
            "You clear the gradients at the end of the step. If any were there before your first step, they are added "
            "to its own.",
        ),
        Mistake(
            "step_for_each_part",
            replace(_Step(), update="each", clip_each_part=True),
            "You make a step after each part, so the later parts meet a model that has changed already: one step, "
            "after the last part.",
        ),
        Mistake(
            "many_small_batches",
            replace(_Step(), clear="each", update="each", clip_each_part=True, share=_not_divided, told=_average),
            "Each of your parts is a batch of its own, with a step of its own; together they should make one step.",
        ),
        Mistake(
            "no_change",
            replace(_Step(), update="never"),
            "Your weights never change: no step is made, or it finds no gradients (was `backward()` called?).",
        ),
        Mistake(
            "mean_of_means",
            replace(_Step(), share=lambda parts, labels: 1 / labels.numel() / len(parts)),
            "Right with parts of one size. A small part counts as much as a large one in yours; each token should "
            "count alike.",
        ),
        Mistake(
            "by_windows",
            replace(_Step(), share=_by_windows),
            "A part counts by its number of windows in yours. Windows may differ in length: count tokens.",
        ),
        Mistake(
            "not_divided",
            replace(_Step(), share=_not_divided),
            "You add up the parts' mean losses: with two parts loss and gradient are twice as large as for one batch.",
        ),
        Mistake(
            "mean_told_only",
            replace(_Step(), share=_not_divided, told=_average),
            "The loss that you return is divided by the number of parts, but the gradients are not: they add up, and "
            "are as many times too large.",
        ),
        Mistake(
            "summed",
            replace(_Step(), share=lambda parts, labels: 1.0),
            "Your loss is the sum over all tokens; use the mean.",
        ),
        Mistake("first_part", _on(lambda parts: parts[:1]), "Your model learns from the first part only."),
        Mistake(
            "last_part",
            _on(lambda parts: parts[-1:]),
            "Your model learns from the last part only, and you return its loss: is `backward()` inside the loop?",
        ),
        Mistake(
            "last_loss",
            replace(_Step(), told=lambda losses: losses[-1]),
            "Your weights are right, but the loss that you return is that of the last part.",
        ),
        Mistake(
            "joined",
            _on(_joined),
            "You join the parts into one batch. The result is right, but the whole batch must then fit into memory: "
            "give the model one part after the other.",
        ),
        Mistake(
            "one_backward",
            _one_backward,
            "You add up the losses of all parts and call `backward()` once. The result is right, but memory must then "
            "hold what every part needs for its gradients: call `backward()` in the loop.",
        ),
        *clipping_mistakes(_Step()),
        Mistake(
            "each_part_clipped",
            replace(_Step(), clip_each_part=True),
            "You shorten the gradient after each part; `max_norm` is a limit for that of the whole batch.",
        ),
        Mistake(
            "softmax_twice",
            replace(
                _Step(),
                loss=lambda model, part: F.cross_entropy(
                    model(part[0]).softmax(-1).flatten(0, 1), part[1].flatten(), reduction="sum"
                ),
            ),
            "Cross-entropy takes logits and makes the softmax itself; you give it probabilities, so the softmax is "
            "applied twice.",
        ),
    ),
    alternatives={
        "sums over the number of tokens": _Step(),
        "means weighted by tokens": _weighted_means,
        "shares given to backward": _shares_from_outside,
    },
    hints=(
        "`backward()` adds to the gradients that are there. So what must happen once before the loop, what in it, and "
        "what once after it?",
        "Each part's share of the mean: the sum of its tokens' losses, divided by the number of tokens of all parts. "
        "`cross_entropy(…, reduction='sum')` gives the sum, `labels.numel()` the number.",
        "`logits.flatten(0, 1)` and `labels.flatten()` make one long row of questions. In the loop "
        "`(loss / count).backward()`; after it `torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)` and "
        "`optimizer.step()`.",
    ),
    solution="optimizer.zero_grad()\n"
    "count = sum(labels.numel() for inputs, labels in parts)\n"
    "total = 0.0\n"
    "for inputs, labels in parts:\n"
    "    logits = model(inputs).flatten(0, 1)\n"
    "    loss = torch.nn.functional.cross_entropy(logits, labels.flatten(), reduction='sum') / count\n"
    "    loss.backward()\n"
    "    total += loss.item()\n"
    "torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)\n"
    "optimizer.step()\n"
    "return total",
    explanation="The gradient of a sum is the sum of the gradients, so parts that add up in `.grad` are one large "
    "batch, and memory holds the activations of one part only. Dividing by the number of parts is right only if they "
    "are equally large: that slip was in well-known training code for years.",
    stages=_steps,
    drive=drive,
)
