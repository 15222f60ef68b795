"""Notebook 03: relative positions, a bias on the scores by the offset alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from anatomy_course.content.sizes import normal, primes
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output


def _tables(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("a table that reaches all offsets", "far offsets", "one head", "far offsets", "a single word"):
        heads, farthest, length = 3, 5, 5
        if kind == "far offsets":
            heads, farthest = primes(generator, 2, (2, 3))
            length = (5, 7, 11)[int(torch.randint(3, (1,), generator=generator))]
        if kind == "a single word":
            heads, length = 2, 1
        if kind == "one head":
            heads, farthest, length = 1, 2, 7
        arguments = {"table": normal(generator, heads, 2 * farthest + 1), "length": length}
        yield Case(arguments, kind, {"heads": heads, "query": length})


def _offsets(length: int) -> Tensor:
    positions = torch.arange(length)
    return positions[None, :] - positions[:, None]


def _columns(table: Tensor, length: int) -> Tensor:
    farthest = table.shape[1] // 2
    return _offsets(length).clamp(-farthest, farthest) + farthest


def _bias_steps(table: Tensor, length: int) -> Mapping[str, Tensor]:
    farthest = table.shape[1] // 2
    return {
        "offsets": _offsets(length),
        "offsets that the table has": _offsets(length).clamp(-farthest, farthest),
        "columns": _columns(table, length),
    }


def _cell_by_cell(table: Tensor, length: int) -> Tensor:
    bias, farthest = torch.zeros(len(table), length, length), table.shape[1] // 2
    for query in range(length):
        for key in range(length):
            bias[:, query, key] = table[:, max(-farthest, min(farthest, key - query)) + farthest]
    return bias


def _gathered(table: Tensor, length: int) -> Tensor:
    columns = _columns(table, length).flatten().expand(len(table), -1)
    return table.gather(1, columns).unflatten(1, (length, length))


EXERCISE = Exercise(
    id="encoder.offset_bias",
    title="A number per offset",
    task="Compute what each head adds to its scores: a number looked up by the offset, key minus query; offsets beyond "
    "the table use its last number on their side.",
    difficulty="hard",
    minutes=6,
    signature="offset_bias(table: Tensor, length: int) -> Tensor",
    docstring="table (heads, 2·farthest + 1): column 0 is for the offset −farthest, the middle one for 0\n"
    "→ bias (heads, query, key), where there are `length` queries and as many keys.\n"
    "The row 5, 6, 7 (farthest 1) and length 3 give 6 7 7 / 5 6 7 / 5 5 6.",
    reference="anatomy_utils.functional.positions.offset_bias",
    returns=(Output("biases", "heads query key"),),
    cases=_tables,
    mistakes=(
        Mistake(
            "query_minus_key",
            lambda table, length: table[:, _columns(table, length).T],
            "Your numbers are those of offsets with the wrong sign: you add to the score of a key on the right what "
            "belongs to one on the left.",
        ),
        Mistake(
            "distance",
            lambda table, length: table[:, table.shape[1] // 2 + _offsets(length).abs().clamp(max=table.shape[1] // 2)],
            "Keys on the left get the numbers of keys on the right: your bias depends on the distance but not on "
            "the side.",
        ),
        Mistake(
            "not_shifted",
            lambda table, length: table[:, _offsets(length).clamp(-(table.shape[1] // 2), table.shape[1] // 2)],
            "Your offset 0 takes column 0, which is for −farthest; and negative offsets count columns from the end.",
        ),
        Mistake(
            "all_clipped_late",
            lambda table, length: table[:, (_offsets(length) + table.shape[1] // 2) % table.shape[1]],
            "Where the offset is beyond the table, you start again at its other end.",
        ),
        Mistake(
            "far_is_zero",
            lambda table, length: table[:, _columns(table, length)] * (_offsets(length).abs() <= table.shape[1] // 2),
            "Near offsets are right; for far ones you add 0, where you should add the last number on their side.",
        ),
        Mistake(
            "far_share_one_side",
            lambda table, length: table[
                :, torch.where(_offsets(length) < -(table.shape[1] // 2), table.shape[1] - 1, _columns(table, length))
            ],
            "Your far keys on the left use the last number of the right side.",
        ),
        Mistake(
            "heads_last",
            lambda table, length: table.T[_columns(table, length)],
            "The numbers are right, but your heads are the last axis; in scores they come before queries and keys.",
        ),
        Mistake(
            "absolute",
            lambda table, length: table[:, torch.arange(length).clamp(max=table.shape[1] - 1).expand(length, -1)],
            "All your rows are the same: a number for each key, whatever the query's position.",
        ),
        Mistake(
            "one_too_far",
            lambda table, length: table[:, (_columns(table, length) + 1).clamp(max=table.shape[1] - 1)],
            "Your columns are one too far on the right: the offset 0 takes the number of the offset 1.",
        ),
        Mistake(
            "one_head_for_all",
            lambda table, length: table[0, _columns(table, length)].expand(len(table), -1, -1),
            "All your heads use the numbers of head 0.",
        ),
    ),
    also_right={
        "cell by cell": _cell_by_cell,
        "gather": _gathered,
        "clipped at the columns": lambda table, length: table[
            :, (_offsets(length) + table.shape[1] // 2).clamp(0, table.shape[1] - 1)
        ],
        "index_select": lambda table, length: table.index_select(1, _columns(table, length).flatten()).view(
            -1, length, length
        ),
    },
    hints=(
        "First make the table of all offsets, (query, key): for 3 words its rows are 0 1 2, then −1 0 1, then −2 −1 0. "
        "Next find which column belongs to which offset.",
        "`positions[None, :] - positions[:, None]` makes the offsets. `table.shape[1] // 2` is the farthest offset, "
        "and also the column of the offset 0.",
        "`offsets.clamp(-farthest, farthest) + farthest` are the columns; `table[:, columns]` looks all of them up for "
        "every head.",
    ),
    solution="positions = torch.arange(length)\n"
    "offsets = positions[None, :] - positions[:, None]\n"
    "farthest = table.shape[1] // 2\n"
    "return table[:, offsets.clamp(-farthest, farthest) + farthest]",
    explanation="Each diagonal holds one number: nothing depends on where in the text a pair is. And since far offsets "
    "share a number, a text longer than any in training still finds all of its numbers. In T5, far offsets share "
    "wider and wider buckets.",
    stages=_bias_steps,
)
