"""Notebook 04: grouped queries, several query heads on one head of keys and values."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from anatomy_course.content.sizes import batch_and_primes, normal
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in (
        "groups of query heads",
        "a single key head",
        "a key head for each query head",
        "one text",
    ):
        batch, kv_heads, group, position, d_head = batch_and_primes(generator, kind, 5, (2, 3, 5, 7, 11))
        kv_heads = 1 if kind == "a single key head" else kv_heads
        group = 1 if kind == "a key head for each query head" else group
        arguments = {"vectors": normal(generator, batch, kv_heads, position, d_head), "num_heads": kv_heads * group}
        sizes = {"batch": batch, "kv_heads": kv_heads, "group": group, "position": position, "d_head": d_head}
        yield Case(arguments, kind, sizes)


def _group(vectors: Tensor, num_heads: int) -> int:
    return num_heads // vectors.shape[1]


def _head_by_head(vectors: Tensor, num_heads: int) -> Tensor:
    return torch.stack([vectors[:, head // _group(vectors, num_heads)] for head in range(num_heads)], dim=1)


EXERCISE = Exercise(
    id="decoder.share_heads",
    title="Shared keys and values",
    task="Give each of num_heads query heads its key head, where neighboring query heads share one.",
    difficulty="medium",
    minutes=4,
    signature="share_heads(vectors: Tensor, num_heads: int) -> Tensor",
    docstring="Keys (or values) (batch, kv_heads, position, d_head) → (batch, num_heads, position, d_head).\n"
    "With 2 key heads for 6 query heads, query heads 0, 1, 2 use key head 0, and 3, 4, 5 use key head 1.",
    reference="anatomy_utils.functional.multi_head.share_heads",
    returns=(Output("vectors", "heads position d_head"),),
    cases=_cases,
    mistakes=(
        Mistake(
            "in_turn",
            lambda vectors, num_heads: vectors.repeat(1, _group(vectors, num_heads), 1, 1),
            "Your key heads follow each other in turn: 0, 1, 0, 1 and so on. Neighboring query heads should share one.",
        ),
        Mistake(
            "unchanged",
            lambda vectors, num_heads: vectors,
            "You still have kv_heads heads; most of the query heads would find no keys.",
        ),
        Mistake(
            "positions_repeated",
            lambda vectors, num_heads: vectors.repeat_interleave(_group(vectors, num_heads), dim=2),
            "Your positions are repeated, not your heads: every word is there several times.",
        ),
        Mistake(
            "batch_repeated",
            lambda vectors, num_heads: vectors.repeat_interleave(_group(vectors, num_heads), dim=0),
            "Your sentences are repeated, not your heads: the batch has grown.",
        ),
        Mistake(
            "wider",
            lambda vectors, num_heads: vectors.repeat(1, 1, 1, _group(vectors, num_heads)),
            "Your key heads have become wider; there should be more of them, as wide as before.",
        ),
        Mistake(
            "repeated_num_heads_times",
            lambda vectors, num_heads: vectors.repeat_interleave(num_heads, dim=1),
            "Each of your key heads is there num_heads times; it should be there once for every query head that "
            "shares it.",
        ),
        Mistake(
            "all_the_first",
            lambda vectors, num_heads: vectors[:, :1].expand(-1, num_heads, -1, -1),
            "All your query heads share key head 0; that is right only where there is no other.",
        ),
        Mistake(
            "axis_left",
            lambda vectors, num_heads: vectors[:, :, None].expand(-1, -1, _group(vectors, num_heads), -1, -1),
            "The copies are right, but they have an axis of their own: kv_heads and the group are still two axes.",
        ),
        Mistake(
            "averaged",
            lambda vectors, num_heads: vectors.mean(1, keepdim=True).expand(-1, num_heads, -1, -1),
            "Your query heads all share the average of the key heads. A trained model's heads are merged like that "
            "before training goes on; here each group keeps its own.",
        ),
    ),
    also_right={
        "repeat_interleave": lambda vectors, num_heads: torch.repeat_interleave(
            vectors, _group(vectors, num_heads), dim=1
        ),
        "expand and flatten": lambda vectors, num_heads: (
            vectors[:, :, None].expand(-1, -1, _group(vectors, num_heads), -1, -1).flatten(1, 2)
        ),
        "index": lambda vectors, num_heads: vectors[:, torch.arange(num_heads) // _group(vectors, num_heads)],
        "head by head": _head_by_head,
    },
    hints=(
        "How many query heads share one key head? Then each key head must be there that many times, one copy beside "
        "the other.",
        "`repeat` writes the whole row of heads again and again (0, 1, 0, 1); `repeat_interleave` repeats each head "
        "(0, 0, 1, 1). Both need to know the axis.",
        "`group = num_heads // vectors.shape[1]`, then repeat along axis 1.",
    ),
    solution="group = num_heads // vectors.shape[1]\nreturn vectors.repeat_interleave(group, dim=1)",
    explanation="After this, attention goes on as always: it does not know that some of its key heads are the same. "
    "What is saved is most of the cache, and the weights that would make the missing keys and values.",
)
