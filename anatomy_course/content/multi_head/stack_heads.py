"""Notebook 02: the projections of all heads, side by side in one large matrix."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from anatomy_course.content.sizes import normal, primes
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("several heads", "several heads", "a single head"):
        heads, d_model, d_head = primes(generator, 3, (2, 3, 5, 7))
        heads = 1 if kind == "a single head" else heads
        sizes = {"heads": heads, "d_model": d_model, "d_head": d_head}
        yield Case({"weights": normal(generator, heads, d_model, d_head)}, kind, sizes)


def _column_by_column(weights: Tensor) -> Tensor:
    heads, d_model, d_head = weights.shape
    large = torch.empty(d_model, heads * d_head)
    for head in range(heads):
        large[:, head * d_head : (head + 1) * d_head] = weights[head]
    return large


EXERCISE = Exercise(
    id="multi_head.stack_heads",
    title="One large projection",
    task="Make one large matrix from the heads' small ones, so that one product projects into every head at once.",
    difficulty="medium",
    minutes=4,
    signature="stack_heads(weights: Tensor) -> Tensor",
    docstring="weights (heads, d_model, d_head), one matrix per head → (d_model, heads·d_head): the first d_head "
    "columns\n"
    "are head 0's, so that splitting x @ result into heads gives x @ weights[0], x @ weights[1], …",
    reference="anatomy_utils.functional.multi_head.stack_heads",
    returns=(Output("matrix", "d_model all_heads"),),
    cases=_cases,
    mistakes=(
        Mistake(
            "reshape_alone",
            lambda weights: weights.reshape(weights.shape[1], -1),
            "Your shape is right, but the numbers were only read into other rows: a row of yours mixes several rows "
            "of one head.",
        ),
        Mistake(
            "one_below_the_other",
            lambda weights: weights.flatten(0, 1),
            "Your small matrices are one below the other: such a matrix needs an input that is heads times as wide.",
        ),
        Mistake(
            "interleaved",
            lambda weights: weights.permute(1, 2, 0).flatten(1),
            "Your columns are those of the heads, but in turn: column 0 of every head, then column 1 of every head.",
        ),
        Mistake(
            "as_linear_stores_it",
            lambda weights: weights.transpose(1, 2).flatten(0, 1),
            "You have the transpose: one row per feature of a head. nn.Linear stores a weight in this way, but here "
            "x @ matrix must work.",
        ),
        Mistake(
            "added_up",
            lambda weights: weights.sum(0),
            "Your small matrices were added up; what one head sees can no longer be told apart from what another sees.",
        ),
        Mistake(
            "blocks_on_the_diagonal",
            lambda weights: torch.block_diag(*weights),
            "Your small matrices are on a diagonal, so each head would read only some features. All heads read the "
            "same d_model features.",
        ),
        Mistake(
            "not_joined",
            lambda weights: weights.transpose(0, 1),
            "The axes are in the right order, but heads and d_head are still two axes.",
        ),
    ),
    also_right={
        "concatenated": lambda weights: torch.cat(list(weights), dim=1),
        "permute and reshape": lambda weights: weights.permute(1, 0, 2).reshape(weights.shape[1], -1),
        "hstack": lambda weights: torch.hstack(weights.unbind(0)),
        "column by column": _column_by_column,
    },
    hints=(
        "Column j of a matrix makes feature j of x @ matrix. Which columns should come first?",
        "Every head reads all d_model features, so the small matrices go side by side: as many rows as before, more "
        "columns.",
        "`torch.cat(list(weights), dim=…)` joins a list of matrices along an axis. Which one counts the columns?",
    ),
    solution="return torch.cat(list(weights), dim=1)",
    explanation="The columns of a matrix product do not depend on each other, so one product with the large matrix "
    "computes the same as many with the small ones. That is why models hold one matrix per role and not one per head.",
)
