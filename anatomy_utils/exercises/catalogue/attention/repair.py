"""Notebook 01's case: find out what is wrong with `almost_right_attention`, and write it right."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional as F

from anatomy_utils.exercises.cases.attention import almost_right_attention
from anatomy_utils.exercises.catalogue.attention.attended import attend
from anatomy_utils.exercises.catalogue.sizes import normal, primes
from anatomy_utils.exercises.definition import Case, Exercise, Mistake, Output


def _cases(generator: torch.Generator) -> list[Case]:
    cases = []
    for kind, lead, long in (
        ("a short sentence", (), 1),
        ("a batch of sentences", (2,), 1),
        ("a long sentence", (), 4),
        ("a batch with heads", (2, 3), 1),
    ):
        query, key, d_head, d_value = primes(generator, 4)
        key = key * long + (long > 1)
        arguments = {
            "query": 2 * normal(generator, *lead, query, d_head),
            "key": normal(generator, *lead, key, d_head),
            "value": normal(generator, *lead, key, d_value),
        }
        cases.append(Case(arguments, kind, {"query": query, "key": key, "d_head": d_head, "d_value": d_value}))
    return cases


def _in_two_lines(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    weights = torch.softmax(query @ key.mT / math.sqrt(query.shape[-1]), dim=-1)
    return torch.matmul(weights, value), weights


def _through_the_patient(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    return almost_right_attention(query * (key.shape[-2] / key.shape[-1]) ** 0.5, key, value)


def _normalised(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    weights = (F.normalize(query, dim=-1) @ F.normalize(key, dim=-1).mT).softmax(-1)
    return weights @ value, weights


REPAIR = Exercise(
    id="attention.repair",
    title="The case: almost right",
    task="Write the attention that `almost_right_attention` should have been.",
    difficulty="medium",
    minutes=8,
    signature="repaired_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]",
    docstring="query (…, query, d_head), key (…, key, d_head), value (…, key, d_value)\n"
    "→ context (…, query, d_value), weights (…, query, key).",
    reference="anatomy_utils.attention.scaled_dot_product_attention",
    returns=(Output("context", "query d_value"), Output("weights", "query key")),
    look_first=("weights", "context"),
    cases=_cases,
    mistakes=(
        Mistake(
            "unchanged",
            almost_right_attention,
            "These are the patient's own weights: still too even in long sentences and too sharp in short ones.",
        ),
        Mistake(
            "wrong_direction",
            lambda q, k, v: attend(q, k, v, k.shape[-2] ** 0.5),
            "Now the longer the sentence, the sharper your weights: the number of keys still has a say.",
        ),
        Mistake(
            "no_scale",
            lambda q, k, v: attend(q, k, v, 1.0),
            "The sentence's length no longer matters, but your weights are too sharp: nothing is divided any more.",
        ),
        Mistake(
            "no_root",
            lambda q, k, v: attend(q, k, v, 1 / q.shape[-1]),
            "The sentence's length no longer matters, but your weights are too even: d_head divides without its root.",
        ),
        Mistake(
            "both",
            lambda q, k, v: attend(q, k, v, (k.shape[-2] * q.shape[-1]) ** -0.5),
            "Your scores are now divided twice: the patient's division is still in there.",
        ),
        Mistake(
            "root_of_values",
            lambda q, k, v: attend(q, k, v, v.shape[-1] ** -0.5),
            "The sentence's length no longer matters, but your weights depend on the width of the values.",
        ),
        Mistake("cosine", _normalised, "Your scores are cosines now: the lengths of queries and keys are lost."),
    ),
    alternatives={
        "in two lines": _in_two_lines,
        "with a factor": lambda q, k, v: attend(q, k, v, q.shape[-1] ** -0.5),
        "undoing the harm": _through_the_patient,
        "einsum": lambda q, k, v: (lambda weights: (torch.einsum("...qk,...kv->...qv", weights, v), weights))(
            (torch.einsum("...qd,...kd->...qk", q, k) * k.shape[-1] ** -0.5).softmax(-1)
        ),
    },
    hints=(
        "Look down the table of symptoms: d_head stays the same. What changes from row to row, and what "
        "changes with it?",
        "The favourites are right and the rows sum to 1, so softmax and dot products are fine. Only their "
        "scale can be wrong.",
        "Where the sentence has exactly d_head words, patient and healthy agree. So which number stands "
        "under the root?",
    ),
    solution="scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5\n"
    "weights = scores.softmax(dim=-1)\nreturn weights @ value, weights",
    explanation="The patient divides by the root of the number of keys: `key.shape[-2]` where "
    "`key.shape[-1]` should stand. "
    "One index, no error message, and a picture that looks fine.",
)
