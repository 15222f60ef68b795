"""Notebook 03: one step of training, judged by what it does to a model."""

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from anatomy_course.content.shared import CLIPPING_MISTAKES
from anatomy_course.content.writing import Cases, Draw, Generator, Objection, Tensor, written
from anatomy_course.judge.effects.step import OUTPUTS, STEPS, effects


def train_step(model, optimizer, batch, max_norm: float) -> float:
    """batch.input_ids and batch.attention_mask (batch, position), batch.labels (batch,);
    model(input_ids, attention_mask) → logits (batch, labels). Switch the model to training mode,
    shorten a gradient that is longer than max_norm, and return the loss as a plain number.
    """
    model.train()
    optimizer.zero_grad()
    logits = model(batch.input_ids, batch.attention_mask)
    loss = torch.nn.functional.cross_entropy(logits, batch.labels)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return loss.item()


Batch = namedtuple("Batch", "input_ids attention_mask labels")


class Dropping(nn.Module):
    """Drops the same features in every step of training: a module of its own, which the model's mode must reach."""

    def __init__(self, kept: Tensor) -> None:
        super().__init__()
        self.kept = kept

    def forward(self, states: Tensor) -> Tensor:
        return states * self.kept if self.training else states


class Classifier(nn.Module):
    """Means of words, some of whose features training drops, and a linear layer."""

    def __init__(self, table: Tensor, weight: Tensor, kept: Tensor) -> None:
        super().__init__()
        self.table = nn.Parameter(table.clone())
        self.weight = nn.Parameter(weight.clone())
        self.scale = nn.Parameter(torch.ones(table.shape[1]), requires_grad=False)
        self.dropout = Dropping(kept)

    def forward(self, input_ids: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        real = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        mean = (self.table[input_ids] * real[..., None]).sum(1) / real.sum(1, keepdim=True) * self.scale
        return self.dropout(mean) @ self.weight


def cases(generator: Generator) -> Cases:
    old = "gradients left over from before"
    short = {"one text": {"batch": 1}, "texts of one word": {"position": 1}}
    for kind in ("a new model", "a model in evaluation mode", old, "short gradients", *short):
        fixed = short.get(kind, {})
        draw = Draw(generator, "batch position d_model labels", among=(2, 3, 5, 7), **fixed, kind=kind)
        real = torch.randint(1, max(2, draw["position"]), (STEPS, draw["batch"], 1), generator=generator)
        kept = torch.tensor([0.0, 1.5]).repeat(draw["d_model"])[: draw["d_model"]]
        yield draw.case(
            input_ids=draw.ids(11, f"{STEPS} batch position"),
            attention_mask=(torch.arange(draw["position"]) < real).long(),
            labels=draw.ids(draw["labels"], f"{STEPS} batch"),
            table=2 * draw("11 d_model"),
            weight=2 * draw("d_model labels"),
            kept=kept[torch.randperm(draw["d_model"], generator=generator)],
            max_norm=100.0 if kind == "short gradients" else 0.1 + 0.1 * draw.uniform().item(),
            in_training=kind != "a model in evaluation mode",
            old_gradients=1.0 + draw("1").abs().item() if kind == old else 0.0,
        )


def drive(answer: Callable[..., Any], *arguments: Any) -> tuple[Tensor, ...] | Objection | None:
    """The losses of a few steps, and the weights after each."""
    ids, mask, labels, *weights, max_norm, training, old = arguments
    model = Classifier(*weights).train(training)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    for parameter in trained if old else ():
        parameter.grad = torch.full_like(parameter, old)
    groups = [{"params": [parameter]} for parameter in trained]  # all of them count, not the first one alone
    optimizer = torch.optim.SGD(groups, lr=0.5, momentum=0.5)
    batches = [Batch(*each) for each in zip(ids, mask, labels, strict=True)]
    with torch.enable_grad():
        return effects(lambda number: answer(model, optimizer, batches[number], max_norm), model, optimizer)


EXERCISE = written(
    train_step,
    title="One step of training",
    task="Change the model once, so that its loss on this batch falls: clear, forward, loss, backward, clip, step.",
    level="medium, 6 minutes",
    returns=OUTPUTS,
    cases=cases,
    observe=drive,
    stages="""
    logits
    loss
    """,
    also_right="""
    the model's gradients set to 0: optimizer.zero_grad() ⇒ model.zero_grad(set_to_none=False)
    mode put back:
        model.train() ⇒
            before = model.training
            model.train()
        return loss.item() ⇒
            model.train(before)
            return loss.item()
    clipped by the optimizer's list:
        clip_grad_norm_(model.parameters(), max_norm) ⇒
            clip_grad_norm_([parameter for group in optimizer.param_groups for parameter in group["params"]], max_norm)
    """,
    mistakes="""
    never_cleared: optimizer.zero_grad() ⇒ pass
        “The gradients of earlier steps are never cleared: each step adds its own to them.”
    no_change: optimizer.step() ⇒ pass
        “Your weights never change, as if no step were made or it found no gradients (was `backward()` called?).”
    cleared_last (never_cleared):
        optimizer.step() ⇒
            optimizer.step()
            optimizer.zero_grad()
        “If gradients are there before your first step, they are added to its own, as if you cleared them only at a
        step's end.”
    mode_not_set: model.train() ⇒ pass
        “Right for a model that is in training mode already. One that comes in evaluation mode learns without its
        dropout.”
    evaluation_mode: model.train() ⇒ model.eval()
        “Your model learns in evaluation mode, without its dropout.”
    padding_read: (batch.input_ids, batch.attention_mask) ⇒ (batch.input_ids)
        “Your model is not told which positions are padding, and reads them as words.”
    softmax_twice: cross_entropy(logits, ⇒ cross_entropy(logits.softmax(-1),
        “Cross-entropy takes logits and makes the softmax itself; in your loss the softmax is applied twice.”
    loss_afterwards:
        return loss.item() ⇒
            with torch.no_grad():
                logits = model(batch.input_ids, batch.attention_mask)
                return torch.nn.functional.cross_entropy(logits, batch.labels).item()
        “Your weights are right, but you return the loss after the step; return the loss from before it.”
    by_hand:
        optimizer.step() ⇒
            with torch.no_grad():
                for group in optimizer.param_groups:
                    for parameter in group["params"]:
                        parameter -= group["lr"] * parameter.grad
        “Your first step is right and the second is not: what the optimizer remembers of earlier steps is left out, as
        in weights minus rate times gradient.”
    """
    + CLIPPING_MISTAKES,
    hints="""
    - Six lines, in the order of the task, after `model.train()`. What would the second step use if the gradients of the
      first were still there?
    - `loss.backward()` fills each parameter's `.grad`; `optimizer.step()` uses it. Between the two,
      `torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)` shortens what is too long.
    - `optimizer.zero_grad()`, `logits = model(batch.input_ids, batch.attention_mask)`, then
      `torch.nn.functional.cross_entropy(logits, batch.labels)`; at the end `return loss.item()`.
    """,
    explanation="""
    `backward()` adds to the gradients that are there, so they are cleared first. Clipping keeps the direction of a long
    gradient: one odd batch cannot do much harm. `.item()` gives a plain number.
    """,
)
