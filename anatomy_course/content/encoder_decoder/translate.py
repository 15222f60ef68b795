"""Notebook 05: the greedy decoding loop of a batch, with texts that end at different steps."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from anatomy_course.content.encoder_decoder.shared import NextLogits
from anatomy_course.content.sizes import normal
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output

VOCAB_SIZE, MOST = 13, 5
NEVER = 99
ENDS = {
    "texts that end at different steps": (2, 4, 3),
    "one text": (3,),
    "texts that fill their allowance": (NEVER, 2),
    "texts that begin with the stop token": (3, 3, 3),
    "texts that end at once": (1,) * 7,
}
"""Kind → how many tokens each text has when its stop token becomes the likeliest next one."""


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind, ends in ENDS.items():
        start, stop, pad = (1 + torch.randperm(VOCAB_SIZE - 1, generator=generator)[:3]).tolist()
        if kind == "texts that begin with the stop token":
            start = stop = 0  # as BART's do
        elif kind == "one text":
            start = 0
        elif kind in ("texts that fill their allowance", "texts that end at once"):
            pad = stop  # many a model has but one token for both
        elif kind == "texts that end at different steps":
            pad = 0
        order = torch.randperm(len(ends), generator=generator)
        memory = normal(generator, len(ends), 2, 7)
        memory[:, 0, 0] = torch.tensor(ends, dtype=torch.float32)[order]
        spread = 0.2 if kind == "one text" else 2.0
        table = spread * normal(generator, VOCAB_SIZE, VOCAB_SIZE) - 3
        table[:, pad] -= 100  # padding is never written by itself
        arguments = {
            "next_logits": NextLogits(table, spread * normal(generator, 7, VOCAB_SIZE), stop),
            "memory": memory,
            "start_id": start,
            "stop_id": stop,
            "pad_id": pad,
            "max_new_tokens": MOST,
        }
        yield Case(arguments, kind, {"batch": len(ends)})


def _loop(
    after: NextLogits,
    memory: Tensor,
    start: int,
    stop: int,
    pad: int,
    most: int,
    *,
    sign: int = 1,
    pads: bool = True,
    any_ends: bool = False,
    nobody_ends: bool = False,
    last_only: bool = False,
) -> Tensor:
    ids = torch.full((len(memory), 1), start)
    ended = torch.zeros(len(memory), dtype=torch.bool)
    for _ in range(most):
        new = (sign * after(ids[:, -1:] if last_only else ids, memory)).argmax(-1)
        if pads:
            new = new.masked_fill(ended, pad)
        ids = torch.cat([ids, new[:, None]], 1)
        ended = ended | (new == stop)
        if (ended.any() if any_ends else ended.all()) and not nobody_ends:
            break
    return ids


def _stop_lost(after: NextLogits, memory: Tensor, start: int, stop: int, pad: int, most: int) -> Tensor:
    ids = _loop(after, memory, start, stop, pad, most)
    return torch.cat([ids[:, :1], ids[:, 1:].masked_fill(ids[:, 1:] == stop, pad)], 1)


def _forgets_who_ended(after: NextLogits, memory: Tensor, start: int, stop: int, pad: int, most: int) -> Tensor:
    ids = torch.full((len(memory), 1), start)
    ended = torch.zeros(len(memory), dtype=torch.bool)
    for _ in range(most):
        new = after(ids, memory).argmax(-1).masked_fill(ended, pad)
        ids = torch.cat([ids, new[:, None]], 1)
        ended = new == stop
        if ended.all():
            break
    return ids


def _row_by_row(after: NextLogits, memory: Tensor, start: int, stop: int, pad: int, most: int) -> Tensor:
    rows = []
    for one in memory:
        row = [start]
        while len(row) <= most and stop not in row[1:]:
            row.append(int(after(torch.tensor([row]), one[None]).argmax()))
        rows.append(row)
    width = max(map(len, rows))
    return torch.tensor([row + [pad] * (width - len(row)) for row in rows])


def _filled_afterwards(after: NextLogits, memory: Tensor, start: int, stop: int, pad: int, most: int) -> Tensor:
    ids = torch.full((len(memory), 1 + most), pad)
    ids[:, 0] = start
    open_rows, length = torch.arange(len(memory)), 1
    while len(open_rows) and length <= most:
        new = after(ids[open_rows, :length], memory[open_rows]).argmax(-1)
        ids[open_rows, length] = new
        open_rows, length = open_rows[new != stop], length + 1
    return ids[:, :length]


EXERCISE = Exercise(
    id="encoder_decoder.translate",
    title="Translate a batch",
    task="Append the likeliest token to each row, again and again, until every row has its stop token or "
    "max_new_tokens are written. A row that has ended gets the padding token while the others go on.",
    difficulty="hard",
    minutes=8,
    signature="translate(\n"
    "    next_logits, memory: Tensor, start_id: int, stop_id: int, pad_id: int, max_new_tokens: int\n"
    ") -> Tensor",
    docstring="next_logits(ids, memory) reads all ids so far, (batch, position), and gives logits (batch, vocab_size)\n"
    "of what follows; memory has one row for each text → ids (batch, position): start token; up to max_new_tokens\n"
    "more, the stop token among them (none where the limit came first); then padding.",
    reference="anatomy_utils.decoding.by_hand.translate",
    returns=(Output("ids", "batch position"),),
    cases=_cases,
    mistakes=(
        Mistake(
            "all_stop_with_the_first",
            lambda *given: _loop(*given, any_ends=True),
            "All rows stop as soon as one has ended: the longer texts are cut off.",
        ),
        Mistake(
            "goes_on_after",
            lambda *given: _loop(*given, pads=False),
            "A row that has ended goes on writing while it waits for the others.",
        ),
        Mistake(
            "never_stops",
            lambda *given: _loop(*given, nobody_ends=True),
            "The texts are right, but your loop goes on after every text has ended: the last columns are only padding.",
        ),
        Mistake(
            "forgets_who_ended",
            _forgets_who_ended,
            "A row that has ended is padded for one step, and then it goes on writing, as if only the rows that ended "
            "just now were remembered.",
        ),
        Mistake(
            "stop_for_padding",
            lambda after, memory, start, stop, pad, most: _loop(after, memory, start, stop, stop, most),
            "After the end of a row you write more stop tokens; write the padding token.",
        ),
        Mistake(
            "stop_lost",
            _stop_lost,
            "Your rows have padding in place of the stop token itself; it belongs to the text.",
        ),
        Mistake(
            "no_start",
            lambda *given: _loop(*given)[:, 1:],
            "What you return is right, but the start token is missing at its beginning.",
        ),
        Mistake(
            "last_only",
            lambda *given: _loop(*given, last_only=True),
            "You give the decoder only the last token. Without a cache it must read all ids so far.",
        ),
        Mistake(
            "one_memory_for_all",
            lambda after, memory, *rest: _loop(after, memory[:1].expand_as(memory), *rest),
            "All rows read the memory of the first text.",
        ),
        Mistake(
            "start_counts",
            lambda after, memory, start, stop, pad, most: _loop(
                after, memory, start, stop, pad, 0 if start == stop else most
            ),
            "Where the start token is the stop token, too, as it is for BART, your rows have ended before they begin. "
            "Only a new token can end a row.",
        ),
        Mistake(
            "starts_with_the_stop",
            lambda after, memory, start, stop, pad, most: _loop(after, memory, stop, stop, pad, most),
            "Your rows begin with the stop token. BART does that; here a start token is given.",
        ),
        Mistake(
            "one_too_few",
            lambda after, memory, start, stop, pad, most: _loop(after, memory, start, stop, pad, most - 1),
            "Your texts that do not end by themselves are one token too short.",
        ),
        Mistake("unlikeliest", lambda *given: _loop(*given, sign=-1), "You write the least likely token."),
    ),
    also_right={"all rows at once": _loop, "row by row": _row_by_row, "only the open rows": _filled_afterwards},
    hints=(
        "It is the loop of notebook 04 with several rows. What must be remembered about each row from step to step?",
        "`ended`, one boolean per row: it starts as False, becomes True with the row's stop token, and stays True. The "
        "new tokens of rows that have ended are replaced.",
        "`new_ids.masked_fill(ended, pad_id)` replaces them; `ended = ended | (new_ids == stop_id)` keeps the record; "
        "`ended.all()` says when to stop.",
    ),
    solution="ids = torch.full((len(memory), 1), start_id)\n"
    "ended = torch.zeros(len(memory), dtype=torch.bool)\n"
    "for _ in range(max_new_tokens):\n"
    "    new_ids = next_logits(ids, memory).argmax(dim=-1)\n"
    "    new_ids = new_ids.masked_fill(ended, pad_id)\n"
    "    ids = torch.cat([ids, new_ids[:, None]], dim=1)\n"
    "    ended = ended | (new_ids == stop_id)\n"
    "    if ended.all():\n"
    "        break\n"
    "return ids",
    explanation="The source is read once, before the loop; its memory stays the same while the text grows. The rows of "
    "a batch know nothing about each other: each must come out as it would alone.",
)
