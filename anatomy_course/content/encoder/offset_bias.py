"""Notebook 03: relative positions, a bias on the scores by the offset alone."""

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Tensor, primes, written


def offset_bias(table: Tensor, length: int) -> Tensor:
    """table (heads, 2·farthest + 1): column 0 is for the offset −farthest, the middle one for 0
    → bias (heads, query, key), where there are `length` queries and as many keys.
    The row 5, 6, 7 (farthest 1) and length 3 give 6 7 7 / 5 6 7 / 5 5 6.
    """
    positions = torch.arange(length)
    offsets = positions[None, :] - positions[:, None]
    farthest = table.shape[1] // 2
    return table[:, offsets.clamp(-farthest, farthest) + farthest]


def cases(generator: Generator) -> Cases:
    for kind in ("a table that reaches all offsets", "far offsets", "one head", "far offsets", "a single word"):
        heads, farthest, length = 3, 5, 5
        if kind == "far offsets":
            heads, farthest = primes(generator, 2, (2, 3))
            length = (5, 7, 11)[int(torch.randint(3, (1,), generator=generator))]
        if kind == "a single word":
            heads, length = 2, 1
        if kind == "one head":
            heads, farthest, length = 1, 2, 7
        arguments = {"table": torch.randn(heads, 2 * farthest + 1, generator=generator), "length": length}
        yield Case(arguments, kind, {"heads": heads, "query": length})


EXERCISE = written(
    offset_bias,
    same_as="anatomy_utils.functional.positions.offset_bias",
    title="A number per offset",
    task="Compute what each head adds to its scores: a number looked up by the offset, key minus query; offsets beyond "
    "the table use its last number on their side.",
    level="hard, 6 minutes",
    returns="biases: heads query key",
    cases=cases,
    stages="""
    offsets
    offsets that the table has: offsets.clamp(-farthest, farthest)
    columns: offsets.clamp(-farthest, farthest) + farthest
    """,
    mistakes="""
    query_minus_key: positions[None, :] - positions[:, None] ⇒ positions[:, None] - positions[None, :]
        “Your numbers are those of offsets with the wrong sign: you add to the score of a key on the right what belongs
        to one on the left.”
    distance: offsets.clamp(-farthest, farthest) ⇒ offsets.abs().clamp(max=farthest)
        “Keys on the left get the numbers of keys on the right: your bias depends on the distance but not on the side.”
    not_shifted: + farthest ⇒
        “Your offset 0 takes column 0, which is for −farthest; and negative offsets count columns from the end.”
    all_clipped_late: offsets.clamp(-farthest, farthest) + farthest ⇒ (offsets + farthest) % table.shape[1]
        “Where the offset is beyond the table, you start again at its other end.”
    far_is_zero: result * (offsets.abs() <= farthest)
        “Near offsets are right; for far ones you add 0, where you should add the last number on their side.”
    far_share_one_side: offsets.clamp( ⇒ offsets.where(offsets >= -farthest, farthest).clamp(
        “Your far keys on the left use the last number of the right side.”
    heads_last: table[:, ⇒ table.T[
        “The numbers are right, but your heads are the last axis; in scores they come before queries and keys.”
    absolute: table[:, torch.arange(length).clamp(max=table.shape[1] - 1).expand(length, -1)]
        “All your rows are the same: a number for each key, whatever the query's position.”
    one_too_far: .clamp(-farthest, farthest) ⇒ .clamp(-farthest, farthest - 1) + 1
        “Your columns are one too far on the right: the offset 0 takes the number of the offset 1.”
    one_head_for_all: result[:1].expand(len(table), -1, -1)
        “All your heads use the numbers of head 0.”
    """,
    also_right="""
    cell by cell:
        farthest, places = table.shape[1] // 2, range(length)
        columns = [[max(-farthest, min(farthest, key - query)) + farthest for key in places] for query in places]
        return table[:, torch.tensor(columns)]
    gather:
        return table[:, offsets.clamp(-farthest, farthest) + farthest] ⇒
            columns = offsets.clamp(-farthest, farthest) + farthest
            return table.gather(1, columns.flatten().expand(len(table), -1)).unflatten(1, columns.shape)
    clipped at the columns: offsets.clamp(-farthest, farthest) + farthest ⇒ (offsets + farthest).clamp(0, 2 * farthest)
    """,
    hints="""
    - First make the table of all offsets, (query, key): for 3 words its rows are 0 1 2, then −1 0 1, then −2 −1 0. Next
      find which column belongs to which offset.
    - `positions[None, :] - positions[:, None]` makes the offsets. `table.shape[1] // 2` is the farthest offset, and
      also the column of the offset 0.
    - `offsets.clamp(-farthest, farthest) + farthest` are the columns; `table[:, columns]` looks all of them up for
      every head.
    """,
    explanation="""
    Each diagonal holds one number: nothing depends on where in the text a pair is. And since far offsets share a
    number, a text longer than any in training still finds all of its numbers. In T5, far offsets share wider and wider
    buckets.
    """,
)
