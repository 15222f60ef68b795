"""Notebook 04: attention with a key/value cache."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from anatomy_course.content.attention.shared import lift
from anatomy_course.content.sizes import batch_and_primes, normal
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output

Three = tuple[Tensor, Tensor, Tensor]


LATER, FIRST = "a later position that matches best", "the first position of all"
ZERO = "a key of zeros"
"""Its score is 0, and e⁰ is a weight like any other: 0 must not stand for what is forbidden."""


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("one new position", "several new positions", "an empty cache", "one text", LATER, FIRST, ZERO):
        batch, heads, past, new, d_head = batch_and_primes(generator, kind, 5, (2, 3, 5, 7, 11))
        past, new = (new, past) if new == 2 else (past, new)  # with two new ones, "sees the next" is "sees all"
        new = 1 if kind in ("one new position", FIRST) else new
        past = 0 if kind in ("an empty cache", FIRST) else past
        arguments = {name: normal(generator, batch, heads, new, d_head) for name in ("query", "key", "value")}
        for name in ("past_keys", "past_values"):
            arguments[name] = normal(generator, batch, heads, past, d_head)
        if kind == LATER:
            lift(arguments["query"], arguments["past_keys"], -144.0)
            lift(arguments["query"], arguments["key"], -144.0 * (torch.arange(new) < new - 1))
        if kind == ZERO:
            arguments["past_keys"][:, :, 0] = 0
        sizes = {"batch": batch, "heads": heads, "past": past, "new": new, "d_head": d_head}
        yield Case(arguments, kind, sizes)


def _behind(past: Tensor, new: Tensor) -> Tensor:
    return torch.cat([past, new], 2)


def _context(query: Tensor, keys: Tensor, values: Tensor, last: int | None, scale: float | None = None) -> Tensor:
    """Query i attends to keys 0 to i + last; to all where `last` is None."""
    scores = query @ keys.mT * (query.shape[-1] ** -0.5 if scale is None else scale)
    if last is not None:
        allowed = torch.arange(keys.shape[2]) <= torch.arange(query.shape[2])[:, None] + last
        scores = scores.masked_fill(~allowed, -torch.inf)
    return scores.softmax(-1) @ values


def _all(query: Tensor, key: Tensor, value: Tensor, pk: Tensor, pv: Tensor, **change: Any) -> Three:
    keys, values = _behind(pk, key), _behind(pv, value)
    return _context(query, keys, values, **{"last": pk.shape[2], **change}), keys, values


def _in_front(query: Tensor, key: Tensor, value: Tensor, pk: Tensor, pv: Tensor) -> Three:
    keys, values = _behind(key, pk), _behind(value, pv)
    return _context(query, keys, values, pk.shape[2]), keys, values


def _zeros_forbidden(query: Tensor, key: Tensor, value: Tensor, pk: Tensor, pv: Tensor) -> Three:
    keys, values = _behind(pk, key), _behind(pv, value)
    scores = (query @ keys.mT * query.shape[-1] ** -0.5).tril(pk.shape[2])
    return scores.masked_fill(scores == 0, -torch.inf).softmax(-1) @ values, keys, values


def _new_only(query: Tensor, key: Tensor, value: Tensor, pk: Tensor, pv: Tensor) -> Three:
    return _context(query, key, value, 0), _behind(pk, key), _behind(pv, value)


def _one_by_one(query: Tensor, key: Tensor, value: Tensor, pk: Tensor, pv: Tensor) -> Three:
    contexts = []
    for place in range(query.shape[2]):
        here = slice(place, place + 1)
        pk, pv = _behind(pk, key[:, :, here]), _behind(pv, value[:, :, here])
        contexts.append(_context(query[:, :, here], pk, pv, None))
    return torch.cat(contexts, 2), pk, pv


def _fused(query: Tensor, key: Tensor, value: Tensor, pk: Tensor, pv: Tensor) -> Three:
    keys, values = _behind(pk, key), _behind(pv, value)
    mask = torch.ones(query.shape[2], keys.shape[2], dtype=torch.bool).tril(pk.shape[2])
    return F.scaled_dot_product_attention(query, keys, values, mask), keys, values


def _added(query: Tensor, key: Tensor, value: Tensor, pk: Tensor, pv: Tensor) -> Three:
    keys, values = _behind(pk, key), _behind(pv, value)
    forbidden = torch.full((query.shape[2], keys.shape[2]), -1e9).triu(pk.shape[2] + 1)
    weights = (torch.einsum("bhqd,bhkd->bhqk", query, keys) / query.shape[-1] ** 0.5 + forbidden).softmax(-1)
    return torch.einsum("bhqk,bhkd->bhqd", weights, values), keys, values


def _steps(query: Tensor, key: Tensor, value: Tensor, pk: Tensor, pv: Tensor) -> Mapping[str, Tensor]:
    keys = _behind(pk, key)
    mask = torch.ones(query.shape[2], keys.shape[2], dtype=torch.bool).tril(pk.shape[2])
    scores = query @ keys.mT * query.shape[-1] ** -0.5
    return {"mask": mask, "scores": scores, "weights": scores.masked_fill(~mask, -torch.inf).softmax(-1)}


EXERCISE = Exercise(
    id="decoder.attend_with_cache",
    title="Attention with a cache",
    task="Append the new keys and values to the remembered ones and attend to all of them, but to nothing that comes "
    "later; return the longer cache too.",
    difficulty="hard",
    minutes=8,
    signature="attend_with_cache(\n"
    "    query: Tensor, key: Tensor, value: Tensor, past_keys: Tensor, past_values: Tensor\n"
    ") -> tuple[Tensor, Tensor, Tensor]",
    docstring="query, key, value (batch, heads, new, d_head); past_keys, past_values (batch, heads, past, d_head),\n"
    "past may be 0 → context (batch, heads, new, d_head), keys and values (batch, heads, past + new, d_head).",
    reference="anatomy_utils.functional.attention.attend_with_cache",
    returns=(
        Output("context", "heads new d_head"),
        Output("keys", "heads position d_head"),
        Output("values", "heads position d_head"),
    ),
    cases=_cases,
    mistakes=(
        Mistake(
            "no_mask",
            lambda q, k, v, pk, pv: _all(q, k, v, pk, pv, last=None),
            "Your cache is right, and so is a single new position. Where there are several, they see what comes after "
            "them.",
        ),
        Mistake(
            "mask_from_the_start",
            lambda q, k, v, pk, pv: _all(q, k, v, pk, pv, last=0),
            "Your cache is right, but your mask counts from the beginning: the first new position sees one key, as if "
            "there were no past.",
        ),
        Mistake(
            "sees_the_next",
            lambda q, k, v, pk, pv: _all(q, k, v, pk, pv, last=pk.shape[2] + 1),
            "Your cache is right, but each new position sees one that comes after it.",
        ),
        Mistake(
            "not_itself",
            lambda q, k, v, pk, pv: _all(q, k, v, pk, pv, last=pk.shape[2] - 1),
            "Your cache is right, but no position sees itself; with an empty cache the first one sees nothing at all "
            "(NaN).",
        ),
        Mistake(
            "new_only",
            _new_only,
            "Your cache is right, but the new positions attend to new ones only: the past is remembered and not used.",
        ),
        Mistake(
            "zeros_forbidden",
            _zeros_forbidden,
            "Your cache is right, but a score of exactly 0 counts as forbidden in yours. A key of zeros has such "
            "scores, and should get its share.",
        ),
        Mistake(
            "in_front",
            _in_front,
            "Your new keys and values come before the remembered ones; they belong after them.",
        ),
        Mistake(
            "not_extended",
            lambda q, k, v, pk, pv: (_all(q, k, v, pk, pv)[0], pk, pv),
            "Your context is right, but the cache that you return has not grown: the next step would not know these "
            "positions.",
        ),
        Mistake(
            "past_forgotten",
            lambda q, k, v, pk, pv: (_all(q, k, v, pk, pv)[0], k, v),
            "Your context is right, but the cache that you return holds the new positions alone: the next step would "
            "not know the past.",
        ),
        Mistake(
            "cache_swapped",
            lambda q, k, v, pk, pv: (_all(q, k, v, pk, pv)[0], _behind(pv, v), _behind(pk, k)),
            "Your context is right, but keys and values are swapped in the cache that you return.",
        ),
        Mistake(
            "not_scaled",
            lambda q, k, v, pk, pv: _all(q, k, v, pk, pv, scale=1.0),
            "Your cache is right, but your scores are not divided by √d_head.",
        ),
        Mistake(
            "keys_for_values",
            lambda q, k, v, pk, pv: (
                _context(q, _behind(pk, k), _behind(pk, k), pk.shape[2]),
                _behind(pk, k),
                _behind(pv, v),
            ),
            "Your cache is right, but your weights average the keys, not the values.",
        ),
    ),
    also_right={
        "torch's attention": _fused,
        "one position after the other": _one_by_one,
        "a mask that is added": _added,
        "compared positions": _all,
    },
    hints=(
        "`torch.cat` along the position axis makes the longer keys and values. What follows is the attention of "
        "notebook 01; only its mask is new.",
        "New position i is at place past + i: it sees that many keys and itself. So the mask, (new, past + new), "
        "is True in all columns of the past, and a triangle after them.",
        "`torch.ones(new, past + new, dtype=torch.bool).tril(past)`: the number moves the diagonal to the right.",
    ),
    solution="keys = torch.cat([past_keys, key], dim=2)\n"
    "values = torch.cat([past_values, value], dim=2)\n"
    "past, new = past_keys.shape[2], query.shape[2]\n"
    "mask = torch.ones(new, past + new, dtype=torch.bool).tril(past)\n"
    "scores = query @ keys.transpose(-2, -1) / query.shape[-1] ** 0.5\n"
    "weights = scores.masked_fill(~mask, float('-inf')).softmax(dim=-1)\n"
    "return weights @ values, keys, values",
    explanation="Keys and values of the past never change, because no position sees what comes after it. So each "
    "token is computed once, and a step costs one row of scores. The queries are not kept.",
    stages=_steps,
    look_first=("keys", "values", "context"),
)
