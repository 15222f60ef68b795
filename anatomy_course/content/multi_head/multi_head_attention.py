"""Notebook 02: multi-head attention as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor
from torch.nn import functional as F

from anatomy_course.content.attention.shared import attend, dots
from anatomy_course.content.multi_head import shared
from anatomy_course.content.multi_head.shared import in_heads, lift_weights, merge, split
from anatomy_course.content.sizes import and_short, batch_and_primes, normal
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("a batch of sentences", "one sentence", "a batch of sentences", "strong matches"):
        batch, position, heads, d_head = batch_and_primes(generator, kind, 4, (2, 3, 5, 7))
        d_model = heads * d_head
        arguments = {"hidden_states": normal(generator, batch, position, d_model)}
        for role in ("query", "key", "value", "output"):
            arguments[f"{role}_weight"] = normal(generator, d_model, d_model) * d_model**-0.5
        if kind == "strong matches":
            arguments["hidden_states"][..., 0] = 12.0
            lift_weights(arguments["query_weight"], arguments["key_weight"], d_head)
        sizes = {"batch": batch, "position": position, "heads": heads, "d_head": d_head}
        yield Case({**arguments, "num_heads": heads}, kind, sizes)


def _projected(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return x @ q, x @ k, x @ v


def _over_the_heads(x: Tensor, q: Tensor, k: Tensor, v: Tensor, o: Tensor, n: int) -> Tensor:
    query, key, value = (split(part, n) for part in _projected(x, q, k, v))
    return merge((dots(query, key) * query.shape[-1] ** -0.5).softmax(1) @ value) @ o


def _positions_never_meet(x: Tensor, q: Tensor, k: Tensor, v: Tensor, o: Tensor, n: int) -> Tensor:
    """Heads split off, but not moved: in each position the heads attend to each other."""
    query, key, value = (part.unflatten(-1, (n, -1)) for part in _projected(x, q, k, v))
    return attend(query, key, value, query.shape[-1] ** -0.5)[0].flatten(2) @ o


def _steps(x: Tensor, q: Tensor, k: Tensor, v: Tensor, o: Tensor, n: int) -> Mapping[str, Tensor]:
    query, key, value = (split(part, n) for part in _projected(x, q, k, v))
    context, weights = attend(query, key, value, query.shape[-1] ** -0.5)
    return {
        "queries": x @ q,
        "queries of each head": query,
        "keys of each head": key,
        "scores": dots(query, key) * query.shape[-1] ** -0.5,
        "weights": weights,
        "contexts of each head": context,
        "contexts, side by side": merge(context),
    }


def _head_by_head(x: Tensor, q: Tensor, k: Tensor, v: Tensor, o: Tensor, n: int) -> Tensor:
    contexts = []
    for query_weight, key_weight, value_weight in zip(q.chunk(n, 1), k.chunk(n, 1), v.chunk(n, 1), strict=True):
        query, key, value = x @ query_weight, x @ key_weight, x @ value_weight
        contexts.append((query @ key.mT / query.shape[-1] ** 0.5).softmax(-1) @ value)
    return torch.cat(contexts, -1) @ o


def _sum_of_heads(x: Tensor, q: Tensor, k: Tensor, v: Tensor, o: Tensor, n: int) -> Tensor:
    query, key, value = (split(part, n) for part in _projected(x, q, k, v))
    context = attend(query, key, value, query.shape[-1] ** -0.5)[0]
    return (context @ o.unflatten(0, (n, -1))).sum(1)


def _einsum(x: Tensor, q: Tensor, k: Tensor, v: Tensor, o: Tensor, n: int) -> Tensor:
    query, key, value = (torch.einsum("bpm,mhd->bhpd", x, w.unflatten(1, (n, -1))) for w in (q, k, v))
    weights = torch.einsum("bhqd,bhkd->bhqk", query, key).div(query.shape[-1] ** 0.5).softmax(-1)
    return torch.einsum("bhqk,bhkd,hdm->bqm", weights, value, o.unflatten(0, (n, -1)))


def _fused(x: Tensor, q: Tensor, k: Tensor, v: Tensor, o: Tensor, n: int) -> Tensor:
    query, key, value = (split(part, n) for part in _projected(x, q, k, v))
    return merge(F.scaled_dot_product_attention(query, key, value)) @ o


def _heads_in_the_batch(x: Tensor, q: Tensor, k: Tensor, v: Tensor, o: Tensor, n: int) -> Tensor:
    query, key, value = (split(part, n).flatten(0, 1) for part in _projected(x, q, k, v))
    context = torch.bmm((torch.bmm(query, key.mT) * query.shape[-1] ** -0.5).softmax(-1), value)
    return merge(context.unflatten(0, (len(x), n))) @ o


EXERCISE = Exercise(
    id="multi_head.multi_head_attention",
    title="Multi-head attention, the whole of it",
    task="Project into queries, keys and values, split them into heads, attend in each, merge, and mix with W_O.",
    difficulty="hard",
    minutes=8,
    signature="multi_head_attention(\n"
    "    hidden_states: Tensor, query_weight: Tensor, key_weight: Tensor, value_weight: Tensor,\n"
    "    output_weight: Tensor, num_heads: int,\n"
    ") -> Tensor",
    docstring="hidden_states (batch, position, d_model), four weights (d_model, d_model): W_Q, W_K, W_V and W_O\n"
    "→ output (batch, position, d_model). No biases, no mask.",
    reference="anatomy_utils.functional.multi_head.multi_head_attention",
    returns=(Output("output", "position d_model"),),
    cases=and_short(_cases, "position", "a single word"),
    mistakes=(
        Mistake(
            "one_wide_head",
            lambda x, q, k, v, o, n: in_heads(*_projected(x, q, k, v), 1) @ o,
            "Your output is that of a single head, as wide as d_model: num_heads plays no part in it.",
        ),
        Mistake(
            "scaled_by_d_model",
            lambda x, q, k, v, o, n: in_heads(*_projected(x, q, k, v), n, scale=x.shape[-1] ** -0.5) @ o,
            "Your scores were divided by √d_model, but each dot product here runs over the d_head features of one "
            "head: your weights are too even.",
        ),
        Mistake(
            "not_scaled",
            lambda x, q, k, v, o, n: in_heads(*_projected(x, q, k, v), n, scale=1.0) @ o,
            "Your weights are too sharp: the scores of your heads went into the softmax as bare dot products.",
        ),
        Mistake(
            "not_mixed",
            lambda x, q, k, v, o, n: in_heads(*_projected(x, q, k, v), n),
            "You have the contexts of all heads side by side; they have not gone through W_O yet.",
        ),
        Mistake(
            "output_turned",
            lambda x, q, k, v, o, n: in_heads(*_projected(x, q, k, v), n) @ o.T,
            "Everything is right up to the last step, but there the transpose of W_O was used.",
        ),
        Mistake(
            "all_turned",
            lambda x, q, k, v, o, n: in_heads(*_projected(x, q.T, k.T, v.T), n) @ o.T,
            "All four weights were used as their transposes. nn.Linear stores them that way; these are the matrices "
            "themselves.",
        ),
        Mistake(
            "view_alone",
            lambda x, q, k, v, o, n: (
                in_heads(*_projected(x, q, k, v), n, cut=shared.split_scrambled, join=shared.merge_scrambled) @ o
            ),
            "Each of your heads sees pieces of a few neighboring words, not all words: the sentence was cut into "
            "heads, not the vectors.",
        ),
        Mistake(
            "merged_without_moving",
            lambda x, q, k, v, o, n: in_heads(*_projected(x, q, k, v), n, join=shared.merge_scrambled) @ o,
            "Your heads are right. On the way back, it is as if no axes changed places: each row that goes into W_O "
            "holds several positions of one head.",
        ),
        Mistake(
            "interleaved",
            lambda x, q, k, v, o, n: (
                in_heads(*_projected(x, q, k, v), n, cut=shared.split_interleaved, join=shared.merge_interleaved) @ o
            ),
            "The features of your heads are num_heads apart; those of one head should be neighbors.",
        ),
        Mistake(
            "positions_never_meet",
            _positions_never_meet,
            "In your attention each word is alone, and its heads attend to one another, as if the heads still came "
            "after the positions.",
        ),
        Mistake(
            "over_the_heads",
            _over_the_heads,
            "Your weights sum to 1 over the heads; they should sum to 1 over the keys, in each head.",
        ),
        Mistake(
            "input_added",
            lambda x, q, k, v, o, n: x + in_heads(*_projected(x, q, k, v), n) @ o,
            "You have added the input to the output. A block does that too, but outside of its attention (notebook "
            "03).",
        ),
    ),
    also_right={
        "in steps": lambda x, q, k, v, o, n: in_heads(*_projected(x, q, k, v), n) @ o,
        "head by head": _head_by_head,
        "a sum of heads": _sum_of_heads,
        "einsum": _einsum,
        "fused kernel": _fused,
        "heads in the batch": _heads_in_the_batch,
    },
    hints=(
        "Five steps: project three times, split, attend, merge, project. You may call `split_heads` and `merge_heads`.",
        "`hidden_states @ query_weight` makes the queries of all heads at once. Split queries, keys and values alike. "
        "The scores of one head are divided by the root of a width. Which one?",
        "After the split, d_head is the last axis of `query`. Scores, softmax over the last axis, times `value`; then "
        "`.transpose(1, 2).flatten(2)`, and `@ output_weight`.",
    ),
    solution="projected = (hidden_states @ weight for weight in (query_weight, key_weight, value_weight))\n"
    "query, key, value = (each.unflatten(-1, (num_heads, -1)).transpose(1, 2) for each in projected)\n"
    "scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5\n"
    "context = scores.softmax(dim=-1) @ value\n"
    "return context.transpose(1, 2).flatten(2) @ output_weight",
    explanation="Section 3.2.2 of the 2017 paper. The attention in the middle is the one of notebook 01, "
    "unchanged. Only the split and the merge know about heads.",
    stages=_steps,
)
