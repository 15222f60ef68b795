"""Notebook 06: the greedy decoding loop of a batch, with texts that end at different steps."""

from dataclasses import dataclass

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Tensor, normal, written


def translate(
    next_logits, memory: Tensor, start_id: int, stop_id: int, pad_id: int, max_new_tokens: int
) -> Tensor:  # fmt: skip
    """next_logits(ids, memory) reads all ids so far, (batch, position), and gives logits (batch, vocab_size)
    of what follows; memory has one row for each text → ids (batch, position): start token; up to max_new_tokens
    more, the stop token among them (none where the limit came first); then padding.
    """
    ids = torch.full((len(memory), 1), start_id)
    ended = torch.zeros(len(memory), dtype=torch.bool)
    for _ in range(max_new_tokens):
        new_ids = next_logits(ids, memory).argmax(dim=-1)
        new_ids = new_ids.masked_fill(ended, pad_id)
        ids = torch.cat([ids, new_ids[:, None]], dim=1)
        ended = ended | (new_ids == stop_id)
        if ended.all():
            break
    return ids


@dataclass(frozen=True)
class NextLogits:
    """What follows depends on all tokens so far, the last ones most, and on the memory.

    Args:
        table: (vocab_size, vocab_size) of random numbers.
        from_memory: (d_model, vocab_size) of random numbers.
        stop_id: likeliest where a text has as many tokens as the first number of its memory says; else unlikeliest.
    """

    table: Tensor
    from_memory: Tensor
    stop_id: int

    def __call__(self, input_ids: Tensor, memory: Tensor) -> Tensor:
        nearness = 0.6 ** torch.arange(input_ids.shape[1] - 1, -1, -1)
        logits = nearness @ self.table[input_ids] + memory[:, 1] @ self.from_memory
        logits[:, self.stop_id] = torch.where(memory[:, 0, 0] == input_ids.shape[1], 50.0, -50.0)
        return logits

    def __repr__(self) -> str:
        return "a decoder"


NEVER = 99
ENDS = {
    "texts that end at different steps": (2, 4, 3),
    "one text": (3,),
    "texts that fill their allowance": (NEVER, 2),
    "texts that begin with the stop token": (3, 3, 3),
    "texts that end at once": (1,) * 7,
}
"""Kind → how many tokens each text has when its stop token becomes the likeliest next one."""


def cases(generator: Generator) -> Cases:
    vocab_size, most = 13, 5
    for kind, ends in ENDS.items():
        start, stop, pad = (1 + torch.randperm(vocab_size - 1, generator=generator)[:3]).tolist()
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
        table = spread * normal(generator, vocab_size, vocab_size) - 3
        table[:, pad] -= 100  # padding is never written by itself
        arguments = {
            "next_logits": NextLogits(table, spread * normal(generator, 7, vocab_size), stop),
            "memory": memory,
            "start_id": start,
            "stop_id": stop,
            "pad_id": pad,
            "max_new_tokens": most,
        }
        yield Case(arguments, kind, {"batch": len(ends)})


EXERCISE = written(
    translate,
    title="Translate a batch",
    task="Append the likeliest token to each row, again and again, until every row has its stop token or "
    "max_new_tokens are written. A row that has ended gets the padding token while the others go on.",
    level="hard, 8 minutes",
    returns="ids: batch position",
    cases=cases,
    mistakes="""
    all_stop_with_the_first: ended.all() ⇒ ended.any()
        “All rows stop as soon as one has ended: the longer texts are cut off.”
    goes_on_after: .masked_fill(ended, pad_id) ⇒
        “A row that has ended goes on writing while it waits for the others.”
    never_stops: ended.all() ⇒ False
        “The texts are right, but your loop goes on after every text has ended: the last columns are only padding.”
    forgets_who_ended: ended | ⇒
        “A row that has ended is padded for one step, and then it goes on writing, as if only the rows that ended just
        now were remembered.”
    stop_for_padding: (ended, pad_id) ⇒ (ended, stop_id)
        “After the end of a row you write more stop tokens; write the padding token.”
    stop_lost: new_ids[:, None] ⇒ new_ids.masked_fill(new_ids == stop_id, pad_id)[:, None]
        “Your rows have padding in place of the stop token itself; it belongs to the text.”
    no_start: result[:, 1:]
        “What you return is right, but the start token is missing at its beginning.”
    last_only: next_logits(ids, ⇒ next_logits(ids[:, -1:],
        “You give the decoder only the last token. Without a cache it must read all ids so far.”
    one_memory_for_all: next_logits(ids, memory) ⇒ next_logits(ids, memory[:1].expand_as(memory))
        “All rows read the memory of the first text.”
    start_counts: range(max_new_tokens) ⇒ range(0 if start_id == stop_id else max_new_tokens)
        “Where the start token is the stop token, too, as it is for BART, your rows have ended before they begin. Only a
        new token can end a row.”
    starts_with_the_stop: (len(memory), 1), start_id ⇒ (len(memory), 1), stop_id
        “Your rows begin with the stop token. BART does that; here a start token is given.”
    one_too_few: range(max_new_tokens) ⇒ range(max_new_tokens - 1)
        “Your texts that do not end by themselves are one token too short.”
    unlikeliest: argmax ⇒ argmin
        “You write the least likely token.”
    """,
    also_right="""
    all rows at once: new_ids.masked_fill(ended, pad_id) ⇒ torch.where(ended, pad_id, new_ids)
    row by row:
        rows = []
        for one in memory:
            row = [start_id]
            while len(row) <= max_new_tokens and stop_id not in row[1:]:
                row.append(int(next_logits(torch.tensor([row]), one[None]).argmax()))
            rows.append(row)
        width = max(map(len, rows))
        return torch.tensor([row + [pad_id] * (width - len(row)) for row in rows])
    looked up in the text: ended | (new_ids == stop_id) ⇒ (ids[:, 1:] == stop_id).any(dim=1)
    """,
    hints="""
    - It is the loop of notebook 05 with several rows. What must be remembered about each row from step to step?
    - `ended`, one boolean per row: it starts as False, becomes True with the row's stop token, and stays True. The new
      tokens of rows that have ended are replaced.
    - `new_ids.masked_fill(ended, pad_id)` replaces them; `ended = ended | (new_ids == stop_id)` keeps the record;
      `ended.all()` says when to stop.
    """,
    explanation="""
    The source is read once, before the loop; its memory stays the same while the text grows. The rows of a batch know
    nothing about each other: each must come out as it would alone.
    """,
)
