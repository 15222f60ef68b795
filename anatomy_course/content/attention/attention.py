"""Notebook 01: attention for all words at once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: F401 (variants use it)

from anatomy_course.content.attention.shared import WITH_HEADS, attend, dots, lift  # noqa: F401 (variants use it)
from anatomy_course.content.sizes import normal, primes
from anatomy_course.judge.definition import Case
from anatomy_course.judge.form import written


def attend_all_words(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    """query (…, query, d_head), key (…, key, d_head), value (…, key, d_value)
    → context (…, query, d_value), weights (…, query, key).
    """
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    weights = scores.softmax(dim=-1)
    return weights @ value, weights


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


def _wrong_weights(query: Tensor, key: Tensor, value: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
    return weights @ value, weights


EXERCISE = written(
    attend_all_words,
    same_as="anatomy_utils.functional.attention.scaled_dot_product_attention",
    title="Attention, all words at once",
    task="Write softmax(query · key transposed / √d_head) · value, and return the context together with the weights.",
    level="medium, 5 minutes",
    returns="context: query d_value; weights: query key",
    cases=_attention_cases,
    look_first="weights context",
    stages=_attention_steps,
    mistakes="""
    no_scale: attend(query, key, value, 1.0)
        “Your weights are too sharp: the scores went into the softmax as bare dot products.”
    no_root: attend(query, key, value, 1 / query.shape[-1])
        “Your weights are too even: the scores were divided by d_head itself.”
    root_of_values: attend(query, key, value, value.shape[-1] ** -0.5)
        “Your scores were divided by the root of the values' width, but values take no part in a score.”
    root_of_keys: attend(query, key, value, key.shape[-2] ** -0.5)
        “Your scores were divided by the root of the number of keys; now the weights depend on the sentence's length.”
    wrong_axis: _wrong_weights(query, key, value, _attention_steps(query, key, value)["scaled scores"].softmax(-2))
        “Your columns sum to 1: the softmax ran over the queries.”
    scaled_afterwards: _wrong_weights(query, key, value, dots(query, key).softmax(-1) / query.shape[-1] ** 0.5)
        “Your rows sum to 1/√d_head: the division came after the softmax.”
    no_softmax: _wrong_weights(query, key, value, _attention_steps(query, key, value)["scaled scores"])
        “Your weights are still the scaled scores; some are negative, and no row sums to 1.”
    scores_returned:
        return (
            attend(query, key, value, query.shape[-1] ** -0.5)[0],
            _attention_steps(query, key, value)["scaled scores"],
        )
        “Your context is right, but where the weights belong you return the scaled scores.”
    order: attend(query, key, value, query.shape[-1] ** -0.5)[::-1]
        “Both results are right, but in the wrong order.”
    """,
    also_right="""
    in three lines: attend(query, key, value, query.shape[-1] ** -0.5)
    einsum:
        return _wrong_weights(
            query,
            key,
            value,
            torch.softmax(torch.einsum("...qd,...kd->...qk", query, key) / math.sqrt(key.shape[-1]), dim=-1),
        )
    fused kernel:
        identity = torch.eye(key.shape[-2]).expand(*key.shape[:-1], -1)
        return F.scaled_dot_product_attention(query, key, value), F.scaled_dot_product_attention(query, key, identity)
    scaled query first: _wrong_weights(query, key, value, ((query * query.shape[-1] ** -0.5) @ key.mT).softmax(-1))
    float64 inside:
        return tuple(
            part.float() for part in attend(query.double(), key.double(), value.double(), query.shape[-1] ** -0.5)
        )
    """,
    hints="""
    - You have written every piece: the scaled scores, the softmax over the keys, the weighted average. Put them one
      after the other.
    - scores: (…, query, key). Softmax over the last axis makes the weights. `weights @ value` makes the context.
    - Three lines: `scores = query @ key.transpose(-2, -1) / …`, `weights = scores.softmax(dim=-1)`, `return … ,
      weights`.
    """,
    explanation="""
    Equation 1 of the 2017 paper. Each row of the weights says how much each key counts for one query; the matrix
    product with the values makes all the weighted averages at once.
    """,
)
