"""Notebook 04's case: find out what is wrong with `colleagues_causal_mask`, and write it right."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from anatomy_course.content.sizes import primes
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output
from anatomy_course.lab.debugging.colleague.causal_mask import colleagues_causal_mask

FIRST = "the first position of all"


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("a text with a past", "a whole text", "a single new position", "a text with a past", FIRST):
        past, new = primes(generator, 2, (2, 3, 5, 7))
        past = 0 if kind in ("a whole text", FIRST) else past
        new = 1 if kind in ("a single new position", FIRST) else new
        yield Case({"past": past, "new": new}, kind, {"past": past, "new": new})


def _reach(past: int, new: int, last: int) -> Tensor:
    """Row i is True in the columns 0 to i + last."""
    return torch.ones(new, past + new, dtype=torch.bool).tril(last)


def _row_by_row(past: int, new: int) -> Tensor:
    mask = torch.zeros(new, past + new, dtype=torch.bool)
    for row in range(new):
        mask[row, : past + row + 1] = True
    return mask


EXERCISE = Exercise(
    id="decoder.repair",
    title="The case: a colleague's mask",
    task="Write the mask that `colleagues_causal_mask` should have been: each new position sees the past, the new "
    "ones before it and itself.",
    difficulty="medium",
    minutes=4,
    signature="repaired_mask(past: int, new: int) -> Tensor",
    docstring="`new` positions follow `past` others → mask (new, past + new), boolean, True = may attend.",
    reference="anatomy_utils.functional.masks.causal_with_past",
    returns=(Output("mask", "query key"),),
    cases=_cases,
    mistakes=(
        Mistake(
            "unchanged",
            colleagues_causal_mask,
            "This is what the colleague's mask does: each position still sees the one after it.",
        ),
        Mistake(
            "not_itself",
            lambda past, new: _reach(past, new, past - 1),
            "No position sees what comes later, but none sees itself either.",
        ),
        Mistake(
            "from_the_start",
            lambda past, new: _reach(past, new, 0),
            "Your mask is right where there is no past. After one, the first new position sees nothing but the first "
            "word of all.",
        ),
        Mistake(
            "past_left_out",
            lambda past, new: torch.ones(new, new, dtype=torch.bool).tril(),
            "Your mask has columns for the new positions only; the past has none.",
        ),
        Mistake(
            "past_forbidden",
            lambda past, new: _reach(past, new, past) & (torch.arange(past + new) >= past),
            "Your new positions see each other as they should, but nothing of the past.",
        ),
        Mistake(
            "everything",
            lambda past, new: torch.ones(new, past + new, dtype=torch.bool),
            "Your mask forbids nothing at all: each position sees the whole future.",
        ),
        Mistake(
            "turned_round",
            lambda past, new: ~_reach(past, new, past),
            "Your mask is True for what is forbidden; here True means “may attend”.",
        ),
        Mistake(
            "all_rows",
            lambda past, new: torch.ones(past + new, past + new, dtype=torch.bool).tril(),
            "Your mask has rows for the past too; only the new positions have queries.",
        ),
    ),
    also_right={
        "compared positions": lambda past, new: torch.arange(past + new) <= torch.arange(past, past + new)[:, None],
        "the last rows of a triangle": lambda past, new: torch.ones(past + new, past + new, dtype=torch.bool).tril()[
            past:
        ],
        "two pieces": lambda past, new: torch.cat(
            [torch.ones(new, past, dtype=torch.bool), torch.ones(new, new, dtype=torch.bool).tril()], 1
        ),
        "row by row": _row_by_row,
    },
    hints=(
        "Look at the last line of the symptoms: how much weight should the first word have on itself, when it sees "
        "nothing else?",
        "Queries and keys must be counted from the same number. At which one do the colleague's queries begin?",
        "`torch.arange(past, past + new)[:, None]` are the queries' positions, `torch.arange(past + new)` those of "
        "the keys.",
    ),
    solution="queries = torch.arange(past, past + new)[:, None]\nreturn torch.arange(past + new) <= queries",
    explanation="The colleague counts queries from 1 and keys from 0. In training each position could read its answer "
    "one place to the right, so the model learned to copy and nothing else. When it writes, there is nothing to "
    "copy.",
)
