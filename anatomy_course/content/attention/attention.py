"""Notebook 01: attention for all words at once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import torch
from torch import Tensor
from torch.nn import functional as F

from anatomy_course.content.attention.shared import WITH_HEADS, attend, dots, lift
from anatomy_course.content.sizes import normal, primes
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output


def _attention_cases(generator: torch.Generator) -> Iterator[Case]:
    for kind, lead in (*WITH_HEADS, ("strong matches", ())):
        query, key, d_head, d_value = primes(generator, 4)
        arguments = {
            "query": 2 * normal(generator, *lead, query, d_head),
            "key": normal(generator, *lead, key, d_head),
            "value": normal(generator, *lead, key, d_value),
        }
        if kind == "strong matches":
            lift(arguments["query"], arguments["key"], 144.0)
            arguments["query"][1, 0] = 1.0  # 132 less: the largest score of the table leaves nothing of this row
        yield Case(arguments, kind, {"query": query, "key": key, "d_head": d_head, "d_value": d_value})


def _attention_steps(query: Tensor, key: Tensor, value: Tensor) -> Mapping[str, Tensor]:
    bare = dots(query, key)
    scaled = bare / math.sqrt(query.shape[-1])
    return {"scores": bare, "scaled scores": scaled, "weights": scaled.softmax(-1)}


def _fused(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    identity = torch.eye(key.shape[-2]).expand(*key.shape[:-1], -1)
    return F.scaled_dot_product_attention(query, key, value), F.scaled_dot_product_attention(query, key, identity)


def _wrong_weights(query: Tensor, key: Tensor, value: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
    return weights @ value, weights


EXERCISE = Exercise(
    id="attention.attention",
    title="Attention, all words at once",
    task="Write softmax(query · key transposed / √d_head) · value, and return the context together with the weights.",
    difficulty="medium",
    minutes=5,
    signature="attend_all_words(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]",
    docstring="query (…, query, d_head), key (…, key, d_head), value (…, key, d_value)\n"
    "→ context (…, query, d_value), weights (…, query, key).",
    reference="anatomy_utils.functional.attention.scaled_dot_product_attention",
    returns=(Output("context", "query d_value"), Output("weights", "query key")),
    look_first=("weights", "context"),
    cases=_attention_cases,
    mistakes=(
        Mistake(
            "no_scale",
            lambda q, k, v: attend(q, k, v, 1.0),
            "Your weights are too sharp: the scores went into the softmax as bare dot products.",
        ),
        Mistake(
            "no_root",
            lambda q, k, v: attend(q, k, v, 1 / q.shape[-1]),
            "Your weights are too even: the scores were divided by d_head itself.",
        ),
        Mistake(
            "root_of_values",
            lambda q, k, v: attend(q, k, v, v.shape[-1] ** -0.5),
            "Your scores were divided by the root of the values' width, but values take no part in a score.",
        ),
        Mistake(
            "root_of_keys",
            lambda q, k, v: attend(q, k, v, k.shape[-2] ** -0.5),
            "Your scores were divided by the root of the number of keys; now the weights depend on the "
            "sentence's length.",
        ),
        Mistake(
            "wrong_axis",
            lambda q, k, v: _wrong_weights(q, k, v, _attention_steps(q, k, v)["scaled scores"].softmax(-2)),
            "Your columns sum to 1: the softmax ran over the queries.",
        ),
        Mistake(
            "scaled_afterwards",
            lambda q, k, v: _wrong_weights(q, k, v, dots(q, k).softmax(-1) / q.shape[-1] ** 0.5),
            "Your rows sum to 1/√d_head: the division came after the softmax.",
        ),
        Mistake(
            "no_softmax",
            lambda q, k, v: _wrong_weights(q, k, v, _attention_steps(q, k, v)["scaled scores"]),
            "Your weights are still the scaled scores; some are negative, and no row sums to 1.",
        ),
        Mistake(
            "scores_returned",
            lambda q, k, v: (attend(q, k, v, q.shape[-1] ** -0.5)[0], _attention_steps(q, k, v)["scaled scores"]),
            "Your context is right, but where the weights belong you return the scaled scores.",
        ),
        Mistake(
            "order",
            lambda q, k, v: attend(q, k, v, q.shape[-1] ** -0.5)[::-1],
            "Both results are right, but in the wrong order.",
        ),
    ),
    also_right={
        "in three lines": lambda q, k, v: attend(q, k, v, q.shape[-1] ** -0.5),
        "einsum": lambda q, k, v: _wrong_weights(
            q, k, v, torch.softmax(torch.einsum("...qd,...kd->...qk", q, k) / math.sqrt(k.shape[-1]), dim=-1)
        ),
        "fused kernel": _fused,
        "scaled query first": lambda q, k, v: _wrong_weights(q, k, v, ((q * q.shape[-1] ** -0.5) @ k.mT).softmax(-1)),
        "float64 inside": lambda q, k, v: tuple(
            part.float() for part in attend(q.double(), k.double(), v.double(), q.shape[-1] ** -0.5)
        ),
    },
    hints=(
        "You have written every piece: the scaled scores, the softmax over the keys, the weighted average. "
        "Put them one after the other.",
        "scores: (…, query, key). Softmax over the last axis makes the weights. `weights @ value` makes the context.",
        "Three lines: `scores = query @ key.transpose(-2, -1) / …`, `weights = scores.softmax(dim=-1)`, "
        "`return … , weights`.",
    ),
    solution="scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5\n"
    "weights = scores.softmax(dim=-1)\nreturn weights @ value, weights",
    explanation="Equation 1 of the 2017 paper. Each row of the weights says how much each key counts for one query; "
    "the matrix product with the values makes all the weighted averages at once.",
    stages=_attention_steps,
)
