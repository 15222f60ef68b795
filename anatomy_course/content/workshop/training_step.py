"""Notebook 08: one step on a batch that comes in parts, judged by what it does to a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import torch
from torch import Tensor
from torch.nn import functional as F

from anatomy_course.content.sizes import normal, primes
from anatomy_course.content.workshop.versions.training_step import (
    Step,
    average,
    by_windows,
    clipped_as_sum,
    first_alone,
    joined,
    not_divided,
    on,
    one_backward,
    shares_from_outside,
    weighted_means,
)
from anatomy_course.judge.definition import Case, Exercise, Mistake
from anatomy_course.judge.effects.parts import VOCABULARY, drive
from anatomy_course.judge.effects.step import OUTPUTS, STEPS, clipping_mistakes

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
            "old_gradients": 1.0 + normal(generator, 1).abs().item() if kind == OLD else 0.0,
        }
        sizes = {"position": position, "d_model": d_model, "windows in a part": rows[0]}
        yield Case(arguments, kind, sizes)


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
    signature="training_step(\n    model, optimizer, parts: list[tuple[Tensor, Tensor]], max_norm: float\n) -> float",
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
            replace(Step(), clear="never"),
            "The gradients of earlier steps are still there: each step adds its own to them.",
        ),
        Mistake(
            "cleared_for_each_part",
            replace(Step(), clear="each"),
            "Only the last part is learned from: are the gradients cleared before each part, or is `backward()` after "
            "the loop? Clear once, before the first.",
        ),
        Mistake(
            "cleared_last",
            replace(Step(), clear="last"),
            "You clear the gradients at the end of the step. If any were there before your first step, they are added "
            "to its own.",
        ),
        Mistake(
            "step_for_each_part",
            replace(Step(), update="each", clip_each_part=True),
            "You make a step after each part, so the later parts meet a model that has changed already: one step, "
            "after the last part.",
        ),
        Mistake(
            "many_small_batches",
            replace(Step(), clear="each", update="each", clip_each_part=True, share=not_divided, told=average),
            "Each of your parts is a batch of its own, with a step of its own; together they should make one step.",
        ),
        Mistake(
            "no_change",
            replace(Step(), update="never"),
            "Your weights never change: no step is made, or it finds no gradients (was `backward()` called?).",
        ),
        Mistake(
            "mean_of_means",
            replace(Step(), share=lambda parts, labels: 1 / labels.numel() / len(parts)),
            "Right with parts of one size. A small part counts as much as a large one in yours; each token should "
            "count alike.",
        ),
        Mistake(
            "by_windows",
            replace(Step(), share=by_windows),
            "A part counts by its number of windows in yours. Windows may differ in length: count tokens.",
        ),
        Mistake(
            "not_divided",
            replace(Step(), share=not_divided),
            "You add up the parts' mean losses: with two parts loss and gradient are twice as large as for one batch.",
        ),
        Mistake(
            "mean_told_only",
            replace(Step(), share=not_divided, told=average),
            "The loss that you return is divided by the number of parts, but the gradients are not: they add up, and "
            "are as many times too large.",
        ),
        Mistake(
            "summed",
            replace(Step(), share=lambda parts, labels: 1.0),
            "Your loss is the sum over all tokens; use the mean.",
        ),
        Mistake("first_part", on(lambda parts: parts[:1]), "Your model learns from the first part only."),
        Mistake(
            "last_part",
            on(lambda parts: parts[-1:]),
            "Your model learns from the last part only, and you return its loss: is `backward()` inside the loop?",
        ),
        Mistake(
            "last_loss",
            replace(Step(), told=lambda shares, means: shares[-1]),
            "Your weights are right, but the loss that you return is the last part's share alone.",
        ),
        Mistake(
            "last_mean",
            replace(Step(), told=lambda shares, means: means[-1]),
            "Your weights are right, but the loss that you return is that of the last part.",
        ),
        Mistake(
            "mean_of_means_told",
            replace(Step(), told=average),
            "Your weights are right, but the loss that you return is the plain mean of the parts' losses, in which a "
            "small part counts as much as a large one.",
        ),
        Mistake(
            "sum_of_means_told",
            replace(Step(), told=lambda shares, means: sum(means)),
            "Your weights are right, but the loss that you return is the sum of the parts' mean losses; each should "
            "be multiplied by its share of the tokens.",
        ),
        Mistake(
            "joined",
            on(joined),
            "You join the parts into one batch. The result is right, but the whole batch must then fit into memory: "
            "give the model one part after the other.",
        ),
        Mistake(
            "one_backward",
            one_backward,
            "You work on all parts before `backward()`, so memory must hold what every part needs for its gradients: "
            "call `backward()` in the loop.",
        ),
        *clipping_mistakes(Step()),
        Mistake(
            "one_group_clipped",
            replace(Step(), clip=first_alone),
            "You shorten the gradient of only one of the optimizer's groups, such as `param_groups[0]`; `max_norm` is "
            "a limit for all of them together.",
        ),
        Mistake(
            "each_part_clipped",
            replace(Step(), clip_each_part=True),
            "You shorten the gradient after each part; `max_norm` is a limit for that of the whole batch.",
        ),
        Mistake(
            "clipped_as_sum",
            clipped_as_sum,
            "You shorten the gradient of the summed loss, and divide what is left by the number of tokens, so that it "
            "gets far shorter than `max_norm`: divide first.",
        ),
        Mistake(
            "softmax_twice",
            replace(
                Step(),
                loss=lambda model, part: F.cross_entropy(
                    model(part[0]).softmax(-1).flatten(0, 1), part[1].flatten(), reduction="sum"
                ),
            ),
            "Cross-entropy takes logits and makes the softmax itself; you give it probabilities, so the softmax is "
            "applied twice.",
        ),
    ),
    also_right={
        "sums over the number of tokens": Step(),
        "means weighted by tokens": weighted_means,
        "shares given to backward": shares_from_outside,
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
    observe=drive,
)
