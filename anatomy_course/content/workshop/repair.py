"""Notebook 10's case: find out what is wrong with `colleagues_step`, and write it right."""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from anatomy_course.content.writing import Case, Cases, Generator, Objection, Tensor, normal, primes, written
from anatomy_course.judge.effects.parts import VOCABULARY
from anatomy_course.judge.effects.step import OUTPUTS, STEPS, effects


def repaired_step(
    model, optimizer, inputs: Tensor, labels: Tensor, max_norm: float
) -> float:  # fmt: skip
    """inputs and labels (batch, position); model(ids (position, batch)) → logits (position, batch, vocabulary).
    Clears the gradients, makes one step with the mean loss over all tokens, shortens a gradient longer than
    max_norm, and returns the loss as a plain number.
    """
    optimizer.zero_grad()
    logits = model(inputs.T)
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.T.flatten())
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return loss.item()


class PositionFirst(nn.Module):
    """Guesses from the mean of all tokens so far, along the first axis."""

    def __init__(self, table: Tensor, weight: Tensor) -> None:
        super().__init__()
        self.tokens = nn.Parameter(table.clone())
        self.vocabulary = nn.Parameter(weight.clone())

    def forward(self, input_ids: Tensor) -> Tensor:
        states = self.tokens[input_ids].cumsum(0)
        return (states / torch.arange(1, len(states) + 1)[:, None, None]) @ self.vocabulary


def cases(generator: Generator) -> Cases:
    one, old, short = "a batch of one window", "gradients left over from before", "short gradients"
    single, tiny, known = "windows of one token", "one window of one token", "a loss below 1"
    for kind in ("a batch of windows", one, old, short, known, single, tiny):
        batch, position, d_model = primes(generator, 3, (2, 3, 5, 7))
        batch, position = 1 if kind in (one, tiny) else batch, 1 if kind in (single, tiny) else position
        inputs = torch.randint(VOCABULARY, (STEPS, batch, position), generator=generator)
        labels = torch.randint(VOCABULARY, (STEPS, batch, position), generator=generator)
        table, weight = 2 * normal(generator, VOCABULARY, d_model), 2 * normal(generator, d_model, VOCABULARY)
        if kind == known:
            model = PositionFirst(table, weight)
            labels = torch.stack([model(windows.T).argmax(-1).T for windows in inputs])
        arguments = {
            "inputs": inputs,
            "labels": labels,
            "table": table,
            "weight": weight,
            "max_norm": 100.0 if kind == short else 0.1 + 0.1 * torch.rand(1, generator=generator).item(),
            "old_gradients": 1.0 + normal(generator, 1).abs().item() if kind == old else 0.0,
        }
        yield Case(arguments, kind, {"batch": batch, "position": position, "d_model": d_model})


def drive(
    answer: Callable[..., Any], inputs: Tensor, labels: Tensor, table: Tensor, weight: Tensor, norm: float, old: float
) -> tuple[Tensor, ...] | Objection | None:
    model = PositionFirst(table, weight)
    for parameter in model.parameters() if old else ():
        parameter.grad = torch.full_like(parameter, old)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.5)
    with torch.enable_grad():
        return effects(lambda step: answer(model, optimizer, inputs[step], labels[step], norm), model, optimizer)


EXERCISE = written(
    repaired_step,
    title="The case: a loss that stalls",
    task="Write the step that `colleagues_step` should have been.",
    level="medium, 6 minutes",
    returns=OUTPUTS,
    cases=cases,
    observe=drive,
    stages="labels in the order of the logits: labels.T.flatten()",
    also_right="""
    logits turned:
        logits.flatten ⇒ logits.transpose(0, 1).flatten
        labels.T ⇒ labels
    classes on axis 1: logits.flatten(0, 1), labels.T.flatten() ⇒ logits.permute(1, 2, 0), labels
    window by window:
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.T.flatten()) ⇒
            pairs = zip(logits.unbind(1), labels, strict=True)
            loss = torch.stack([F.cross_entropy(*pair) for pair in pairs]).mean()
    """,
    mistakes="""
    unchanged: labels.T ⇒ labels
        “This is what the colleague's step does: right with one window, and with more of them each answer is compared
        with a token of another window. To `reshape` the logits to the labels' shape changes nothing: their order in
        memory stays. Only `transpose`, or `.T`, brings another order.”
    inputs_not_turned:
        inputs.T ⇒ inputs
        labels.T ⇒ labels
        “Answers and labels go together now, but your model is given (batch, position): it takes the windows for
        positions, and each window looks into those before it.”
    only_labels_turned: inputs.T ⇒ inputs
        “Your labels are turned and your inputs are not, so again answers and labels do not go together, and the model
        takes windows for positions.”
    turned_twice: logits.flatten ⇒ logits.transpose(0, 1).flatten
        “You turn both the logits and the labels, so that they miss each other again; turn one of them.”
    first_window:
        logits.flatten ⇒ logits[:, :1].flatten
        labels.T ⇒ labels[:1].T
        “Your step learns from the first window only.”
    last_position:
        logits.flatten ⇒ logits[-1:].flatten
        labels.T ⇒ labels[:, -1:].T
        “Your step learns from each window's last position only.”
    inputs_as_labels: labels.T ⇒ inputs.T
        “Answers are compared with the inputs themselves: the model would learn to copy.”
    reversed: labels.T ⇒ labels.flip(0).T
        “The last window's labels come first in yours: each window is compared with another one's labels.”
    summed: labels.T.flatten() ⇒ labels.T.flatten(), reduction="sum"
        “Answers and labels go together now, but your loss is the sum over all tokens; use the mean.”
    sum_of_positions (window by window):
        logits.unbind(1), labels ⇒ logits, labels.T
        mean() ⇒ sum()
        “Answers and labels go together now, but you add up the mean losses of the positions, so loss and gradient are
        as many times too large as there are positions.”
    sum_of_windows (window by window): mean() ⇒ sum()
        “Answers and labels go together now, but you add up the mean losses of the windows, so loss and gradient are as
        many times too large as there are windows.”
    softmax_twice: logits.flatten ⇒ logits.softmax(-1).flatten
        “Answers and labels go together now, but the softmax is applied twice: cross-entropy takes logits.”
    never_cleared: optimizer.zero_grad() ⇒ pass
        “The fault is repaired, but now the gradients of earlier steps are still there: each step adds its own to them.”
    not_clipped: torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm) ⇒ pass
        “The fault is repaired, but now a gradient longer than `max_norm` is not shortened before it is used.”
    no_step: optimizer.step() ⇒ pass
        “Your weights never change: no step is made, or it finds no gradients.”
    """,
    hints="""
    - One window is learned and recited, four are learned and not recited. What can a second window change?
    - Write down the shapes on the line with the loss. In which order does `flatten` go through the logits, in which
      through the labels?
    - The logits are (position, batch, vocabulary), so the labels must be (position, batch) as well: `labels.T`.
    """,
    explanation="""
    Every shape fits, since logits and labels make rows of the same length. A single batch can be learned by heart
    whatever it asks for, so its loss falls to 0; for new windows, the model can guess only how frequent each token is.
    So let a model that has learned one batch recite it, and give it the same windows in another order: the loss must
    not change.
    """,
)
