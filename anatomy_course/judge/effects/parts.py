"""A training step on a batch that comes in parts, as a function: see `step.effects`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from anatomy_course.judge.definition import Objection
from anatomy_course.judge.effects.step import effects

Parts = Sequence[tuple[Tensor, Tensor]]  # inputs and labels, each (batch, position)
VOCABULARY = 11


class Bigrams(nn.Module):
    """Guesses from the last token alone; notes how many texts it is given at once, and how many results are
    kept for their gradients at once."""

    def __init__(self, table: Tensor, weight: Tensor) -> None:
        super().__init__()
        self.tokens = nn.Parameter(table.clone())
        self.vocabulary = nn.Parameter(weight.clone())
        self.scale = nn.Parameter(torch.ones(table.shape[1]), requires_grad=False)
        self.most = 0
        self.in_a_row = self.most_in_a_row = 0

    def forward(self, input_ids: Tensor) -> Tensor:
        self.most = max(self.most, len(input_ids))
        self.in_a_row = 0
        logits = (self.tokens[input_ids] * self.scale) @ self.vocabulary
        if logits.requires_grad:
            logits.register_hook(self._reached)
        return logits

    def _reached(self, gradient: Tensor) -> None:
        self.in_a_row += 1
        self.most_in_a_row = max(self.most_in_a_row, self.in_a_row)


def _parts(input_ids: Tensor, labels: Tensor, rows: list[int], lengths: list[int]) -> list[list[tuple[Tensor, Tensor]]]:
    """For each step its parts."""
    split = zip(input_ids.split(rows, 1), labels.split(rows, 1), lengths, strict=True)
    cut = ((ids[..., :length], labels[..., :length]) for ids, labels, length in split)
    return [list(step) for step in zip(*(zip(*both, strict=True) for both in cut), strict=True)]


def drive(
    answer: Callable[..., Any],
    input_ids: Tensor,
    labels: Tensor,
    table: Tensor,
    weight: Tensor,
    rows: list[int],
    lengths: list[int],
    max_norm: float,
    old: float,
) -> tuple[Tensor, ...] | Objection | None:
    """What steps do to a model, on batches in parts of `rows[i]` windows of `lengths[i]` tokens."""
    model = Bigrams(table, weight)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    for parameter in trained if old else ():
        parameter.grad = torch.full_like(parameter, old)
    groups = [{"params": [parameter]} for parameter in trained]  # as of an optimizer that decays only some
    optimizer, parts = torch.optim.SGD(groups, lr=0.5, momentum=0.5), _parts(input_ids, labels, rows, lengths)
    with torch.enable_grad():
        found = effects(lambda number: answer(model, optimizer, parts[number], max_norm), model, optimizer)
    if isinstance(found, tuple) and model.most > max(rows):
        return Objection(
            "joined",
            f"Your model is given {model.most} windows at once, although no part has more than {max(rows)}: the parts "
            "are there because a large batch does not fit into memory. Work on one after the other.",
        )
    if isinstance(found, tuple) and model.most_in_a_row > 1:
        return Objection(
            "kept",
            f"Your step works on {model.most_in_a_row} parts before it calls `backward()`: what each of them needs for "
            "that is in memory at once, although parts are there because it does not fit. Call it in the loop.",
        )
    return found
