"""Notebook 01: the scores of all queries against all keys."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch.nn import functional as F

from anatomy_course.content.attention.shared import WITH_HEADS, dots
from anatomy_course.content.sizes import normal, primes
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output


def _query_key_cases(generator: torch.Generator) -> Iterator[Case]:
    for kind, lead in WITH_HEADS:
        query, key, d_head = primes(generator, 3)
        arguments = {"query": normal(generator, *lead, query, d_head), "key": normal(generator, *lead, key, d_head)}
        yield Case(arguments, kind, {"query": query, "key": key, "d_head": d_head})


EXERCISE = Exercise(
    id="attention.scores",
    title="Scaled scores",
    task="Score every query against every key: the dot product, divided by √d_head.",
    difficulty="medium",
    minutes=4,
    signature="attention_scores(query: Tensor, key: Tensor) -> Tensor",
    docstring="How well each query matches each key, scaled.\n\n"
    "query (…, query, d_head), key (…, key, d_head) → scores (…, query, key).",
    reference="anatomy_utils.functional.attention.scores",
    returns=(Output("scores", "query key"),),
    cases=_query_key_cases,
    mistakes=(
        Mistake("no_scale", dots, "You have the bare dot products: the larger d_head, the larger they grow."),
        Mistake(
            "no_root",
            lambda query, key: dots(query, key) / query.shape[-1],
            "Your dot products were divided by d_head itself, so they are too small.",
        ),
        Mistake(
            "root_of_keys",
            lambda query, key: dots(query, key) / math.sqrt(key.shape[-2]),
            "Your dot products were divided by the root of the number of keys, so your scores change with "
            "the sentence's length.",
        ),
        Mistake(
            "multiplied",
            lambda query, key: dots(query, key) * math.sqrt(query.shape[-1]),
            "Your dot products were multiplied by √d_head: they are even larger than the bare ones.",
        ),
        Mistake(
            "keys_ask",
            lambda query, key: dots(key, query) / math.sqrt(query.shape[-1]),
            "Your table has one row per key and one column per query: it is transposed.",
        ),
        Mistake(
            "softmax_too",
            lambda query, key: (dots(query, key) / math.sqrt(query.shape[-1])).softmax(-1),
            "You went one step too far: these are already weights, each row sums to 1.",
        ),
        Mistake(
            "cosine",
            lambda query, key: dots(F.normalize(query, dim=-1), F.normalize(key, dim=-1)),
            "You have cosine similarities: the lengths of queries and keys have been divided out.",
        ),
    ),
    also_right={
        "einsum": lambda query, key: torch.einsum("...qd,...kd->...qk", query, key) / query.shape[-1] ** 0.5,
        "mT": lambda query, key: query @ key.mT * query.shape[-1] ** -0.5,
        "scaled query first": lambda query, key: (query / math.sqrt(query.shape[-1])) @ key.transpose(-1, -2),
        "multiply and sum": lambda query, key: (
            (query[..., :, None, :] * key[..., None, :, :]).sum(-1) / math.sqrt(key.shape[-1])
        ),
        "in place on an own tensor": lambda query, key: dots(query, key).div_(
            torch.tensor(float(query.shape[-1])).sqrt()
        ),
        "float64 inside": lambda query, key: (dots(query.double(), key.double()) / math.sqrt(query.shape[-1])).float(),
    },
    hints=(
        "A dot product multiplies two vectors and adds up over d_head. The result has one row per query and "
        "one column per key.",
        "`@` sums over the last axis of the left and the last but one of the right: the last two axes of "
        "`key` must swap places.",
        "`key.transpose(-2, -1)` swaps them, with or without a batch in front. Then divide by "
        "`query.shape[-1] ** 0.5`.",
    ),
    solution="return query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5",
    explanation="Every query meets every key: a table of dot products. Their variance grows with d_head; "
    "dividing by √d_head brings the variance back to about 1, so that the softmax does not saturate.",
    stages=lambda query, key: {"dot products": dots(query, key)},
)
