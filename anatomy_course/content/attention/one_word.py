"""Notebook 01: attention for one word, step by step."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from anatomy_course.content.attention.shared import lift
from anatomy_course.content.draw import Draw
from anatomy_course.content.sizes import and_short
from anatomy_course.judge.definition import Case
from anatomy_course.judge.form import written


def attend_one_word(query_i: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """query_i (d_head), key (position, d_head), value (position, d_value) → context (d_value)."""
    scores = key @ query_i
    scaled_scores = scores / len(query_i) ** 0.5
    weights = scaled_scores.softmax(dim=-1)
    return weights @ value


def cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("a sentence", "values of a single number", "a sentence with strong matches"):
        draw = Draw(generator, "position d_head d_value")
        if kind == "values of a single number":
            draw.sizes["d_value"] = 1  # a bare squeeze would lose the axis
        query_i, key, value = draw("d_head"), draw("position d_head"), draw("position d_value")
        if kind == "a sentence with strong matches":
            query_i *= 3
            lift(query_i, key, 144.0)
        yield Case({"query_i": query_i, "key": key, "value": value}, kind, draw.sizes)


EXERCISE = written(
    attend_one_word,
    title="Attention for one word",
    task="Take one word's query through the steps: score, scale, softmax, weight the values, sum.",
    level="medium, 6 minutes",
    returns="context: d_value",
    cases=and_short(cases, "position", "a sentence of one word"),
    stages="""
    scores
    scaled_scores
    weights
    weighted values: weights[:, None] * value
    """,
    mistakes="""
    no_scale: / len(query_i) ** 0.5 ⇒
        “Your context comes from weights that are too sharp: the scores went into the softmax as bare dot products.”
    no_root: ** 0.5 ⇒
        “Your context comes from weights that are too even: the scores were divided by d_head itself.”
    root_of_positions: len(query_i) ⇒ len(key)
        “Your scores were divided by the root of the number of words.”
    no_softmax: .softmax(dim=-1) ⇒
        “The values were weighted by the scaled scores themselves. Those are not weights: some are negative.”
    keys_averaged: weights @ value ⇒ weights @ key
        “You have the weighted average of the keys; it is as wide as a key.”
    not_summed: weights @ value ⇒ weights[:, None] * value
        “You have one weighted value per word; they are not summed yet.”
    divided_again: result / len(key)
        “Your context is too small by the number of words: the weights already sum to 1.”
    hard: weights @ value ⇒ value[weights.argmax()]
        “Your context is the value of the best match alone; the other words have no part in it.”
    """,
    also_right="""
    word by word:
        scores = [torch.dot(query_i, key_j) / len(query_i) ** 0.5 for key_j in key]
        weights = torch.softmax(torch.stack(scores), 0)
        context = torch.zeros(value.shape[1])
        for weight, value_j in zip(weights, value, strict=True):
            context += weight * value_j
        return context
    einsum: torch.einsum("k,kv->v", (torch.einsum("d,kd->k", query_i, key) / len(query_i) ** 0.5).softmax(0), value)
    scaled query:
        key @ query_i ⇒ key @ (query_i / len(query_i) ** 0.5)
        scores / len(query_i) ** 0.5 ⇒ scores
    fused kernel: F.scaled_dot_product_attention(query_i[None, None], key[None], value[None])[0, 0]
    multiply and sum:
        key @ query_i ⇒ (key * query_i).sum(-1)
        weights @ value ⇒ (weights.unsqueeze(1) * value).sum(0)
    float64 inside:
        key @ query_i ⇒ key.double() @ query_i.double()
        weights @ value ⇒ (weights @ value.double()).float()
    """,
    hints="""
    - `key @ query_i` gives one score per word: the dot product of its key with the query.
    - Divide the scores by the root of the query's width, then `.softmax(dim=-1)`: now there is one weight per word.
    - `weights @ value` weights the values and sums them in one step.
    """,
    explanation="""
    One score per word, one weight per word, one vector in the end: the weighted average of the values. The keys only
    decide the weights; none of their numbers reaches the result.
    """,
)
