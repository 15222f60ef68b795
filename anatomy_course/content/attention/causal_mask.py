"""Notebook 01: the causal mask: each word sees itself and the words before it."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from anatomy_course.content.attention.shared import ones
from anatomy_course.content.sizes import primes
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output


def _lengths(generator: torch.Generator) -> list[Case]:
    drawn = [(length, "a sentence") for length in sorted(primes(generator, 3, (3, 5, 7, 11)))]
    return [Case({"length": n}, kind, {"length": n}) for n, kind in [*drawn, (1, "a single word")]]


def _cell_by_cell(length: int) -> Tensor:
    mask = torch.zeros(length, length, dtype=torch.bool)
    for query in range(length):
        for key in range(query + 1):
            mask[query, key] = True
    return mask


EXERCISE = Exercise(
    id="attention.causal_mask",
    title="A causal mask",
    task="Let each position attend to itself and to what came before it.",
    difficulty="easy",
    minutes=3,
    signature="causal_mask(length: int) -> Tensor",
    docstring="A boolean (query, key) table, True = may attend: each position sees itself and the ones before it.",
    reference="anatomy_utils.functional.masks.causal",
    returns=(Output("mask", "query key"),),
    cases=_lengths,
    mistakes=(
        Mistake(
            "inverted",
            lambda length: ~ones(length).tril(),
            "Your mask says the opposite in every cell: it is True where a position may not look.",
        ),
        Mistake(
            "not_itself",
            lambda length: ones(length).tril(-1),
            "In your mask no position may look at itself, and the first one has nothing to look at.",
        ),
        Mistake(
            "future",
            lambda length: ones(length).triu(),
            "Your mask looks the other way: each position sees itself and what comes after it.",
        ),
        Mistake(
            "one_ahead",
            lambda length: ones(length).tril(1),
            "In your mask each position also sees the next one. That is enough to give the answer away.",
        ),
        Mistake("everything", ones, "Your mask forbids nothing: it is True everywhere."),
        Mistake(
            "only_itself",
            lambda length: torch.eye(length, dtype=torch.bool),
            "In your mask each position sees itself and nothing else.",
        ),
        Mistake(
            "additive",
            lambda length: torch.zeros(length, length).masked_fill(~ones(length).tril(), -math.inf),
            "You have 0 and −∞, which is what other programs add to the scores; here a mask holds True and False.",
        ),
        Mistake(
            "ones_and_zeros",
            lambda length: torch.ones(length, length).tril(),
            "You have the right pattern, but in numbers, 1 and 0; a mask holds True and False.",
        ),
    ),
    also_right={
        "compare": lambda length: torch.arange(length)[:, None] >= torch.arange(length),
        "cell by cell": _cell_by_cell,
        "triu, inverted": lambda length: ~ones(length).triu(1),
        "tril and bool": lambda length: torch.ones(length, length).tril().bool(),
        "cumulative": lambda length: torch.eye(length).cumsum(-2).bool().cummax(-2).values,
    },
    hints=(
        "Draw it for three words: row 0 may see word 0; row 1, words 0 and 1; row 2, all three.",
        "That is a lower triangle. `tensor.tril()` keeps the lower triangle of a table and puts 0 (or False) above it.",
        "`torch.ones(length, length, dtype=torch.bool)` is the table to start from.",
    ),
    solution="return torch.ones(length, length, dtype=torch.bool).tril()",
    explanation="Row i is what query i may see: keys 0 to i. Comparing positions says the same: "
    "`torch.arange(length)[:, None] >= torch.arange(length)`.",
)
