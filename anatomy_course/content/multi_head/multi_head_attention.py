"""Notebook 02: multi-head attention as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from anatomy_course.content.attention.shared import attend, dots
from anatomy_course.content.multi_head import shared  # noqa: F401 (variants use it)
from anatomy_course.content.multi_head.shared import in_heads, lift_weights, merge, split  # noqa: F401 (variants use it)
from anatomy_course.content.sizes import and_short, batch_and_primes, normal
from anatomy_course.judge.definition import Case
from anatomy_course.judge.form import written


# fmt: off
def multi_head_attention(
    hidden_states: Tensor, query_weight: Tensor, key_weight: Tensor, value_weight: Tensor,
    output_weight: Tensor, num_heads: int,
) -> Tensor:
    """hidden_states (batch, position, d_model), four weights (d_model, d_model): W_Q, W_K, W_V and W_O
    → output (batch, position, d_model). No biases, no mask.
    """
    projected = (hidden_states @ weight for weight in (query_weight, key_weight, value_weight))
    query, key, value = (each.unflatten(-1, (num_heads, -1)).transpose(1, 2) for each in projected)
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    context = scores.softmax(dim=-1) @ value
    return context.transpose(1, 2).flatten(2) @ output_weight
# fmt: on


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


EXERCISE = written(
    multi_head_attention,
    same_as="anatomy_utils.functional.multi_head.multi_head_attention",
    title="Multi-head attention, the whole of it",
    task="Project into queries, keys and values, split them into heads, attend in each, merge, and mix with W_O.",
    level="hard, 8 minutes",
    returns="output: position d_model",
    cases=and_short(_cases, "position", "a single word"),
    stages=_steps,
    mistakes="""
    one_wide_head: in_heads(*_projected(hidden_states, query_weight, key_weight, value_weight), 1) @ output_weight
        “Your output is that of a single head, as wide as d_model: num_heads plays no part in it.”
    scaled_by_d_model:
        return (
            in_heads(
                *_projected(hidden_states, query_weight, key_weight, value_weight),
                num_heads,
                scale=hidden_states.shape[-1] ** -0.5,
            )
            @ output_weight
        )
        “Your scores were divided by √d_model, but each dot product here runs over the d_head features of one head: your
        weights are too even.”
    not_scaled:
        return (
            in_heads(*_projected(hidden_states, query_weight, key_weight, value_weight), num_heads, scale=1.0)
            @ output_weight
        )
        “Your weights are too sharp: the scores of your heads went into the softmax as bare dot products.”
    not_mixed: in_heads(*_projected(hidden_states, query_weight, key_weight, value_weight), num_heads)
        “You have the contexts of all heads side by side; they have not gone through W_O yet.”
    output_turned:
        in_heads(*_projected(hidden_states, query_weight, key_weight, value_weight), num_heads) @ output_weight.T
        “Everything is right up to the last step, but there the transpose of W_O was used.”
    all_turned:
        return (
            in_heads(*_projected(hidden_states, query_weight.T, key_weight.T, value_weight.T), num_heads)
            @ output_weight.T
        )
        “All four weights were used as their transposes. nn.Linear stores them that way; these are the matrices
        themselves.”
    view_alone:
        return (
            in_heads(
                *_projected(hidden_states, query_weight, key_weight, value_weight),
                num_heads,
                cut=shared.split_scrambled,
                join=shared.merge_scrambled,
            )
            @ output_weight
        )
        “Each of your heads sees pieces of a few neighboring words, not all words: the sentence was cut into heads, not
        the vectors.”
    merged_without_moving:
        return (
            in_heads(
                *_projected(hidden_states, query_weight, key_weight, value_weight),
                num_heads,
                join=shared.merge_scrambled,
            )
            @ output_weight
        )
        “Your heads are right. On the way back, it is as if no axes changed places: each row that goes into W_O holds
        several positions of one head.”
    interleaved:
        return (
            in_heads(
                *_projected(hidden_states, query_weight, key_weight, value_weight),
                num_heads,
                cut=shared.split_interleaved,
                join=shared.merge_interleaved,
            )
            @ output_weight
        )
        “The features of your heads are num_heads apart; those of one head should be neighbors.”
    positions_never_meet:
        query, key, value = (
            part.unflatten(-1, (num_heads, -1))
            for part in _projected(hidden_states, query_weight, key_weight, value_weight)
        )
        return attend(query, key, value, query.shape[-1] ** -0.5)[0].flatten(2) @ output_weight
        “In your attention each word is alone, and its heads attend to one another, as if the heads still came after the
        positions.”
    over_the_heads:
        query, key, value = (
            split(part, num_heads) for part in _projected(hidden_states, query_weight, key_weight, value_weight)
        )
        return merge((dots(query, key) * query.shape[-1] ** -0.5).softmax(1) @ value) @ output_weight
        “Your weights sum to 1 over the heads; they should sum to 1 over the keys, in each head.”
    input_added:
        return (
            hidden_states
            + in_heads(*_projected(hidden_states, query_weight, key_weight, value_weight), num_heads) @ output_weight
        )
        “You have added the input to the output. A block does that too, but outside of its attention (notebook 03).”
    """,
    also_right="""
    in steps: in_heads(*_projected(hidden_states, query_weight, key_weight, value_weight), num_heads) @ output_weight
    head by head: _head_by_head(hidden_states, query_weight, key_weight, value_weight, output_weight, num_heads)
    a sum of heads:
        query, key, value = (
            split(part, num_heads) for part in _projected(hidden_states, query_weight, key_weight, value_weight)
        )
        context = attend(query, key, value, query.shape[-1] ** -0.5)[0]
        return (context @ output_weight.unflatten(0, (num_heads, -1))).sum(1)
    einsum:
        query, key, value = (
            torch.einsum("bpm,mhd->bhpd", hidden_states, w.unflatten(1, (num_heads, -1)))
            for w in (query_weight, key_weight, value_weight)
        )
        weights = torch.einsum("bhqd,bhkd->bhqk", query, key).div(query.shape[-1] ** 0.5).softmax(-1)
        return torch.einsum("bhqk,bhkd,hdm->bqm", weights, value, output_weight.unflatten(0, (num_heads, -1)))
    fused kernel:
        query, key, value = (
            split(part, num_heads) for part in _projected(hidden_states, query_weight, key_weight, value_weight)
        )
        return merge(F.scaled_dot_product_attention(query, key, value)) @ output_weight
    heads in the batch:
        query, key, value = (
            split(part, num_heads).flatten(0, 1)
            for part in _projected(hidden_states, query_weight, key_weight, value_weight)
        )
        context = torch.bmm((torch.bmm(query, key.mT) * query.shape[-1] ** -0.5).softmax(-1), value)
        return merge(context.unflatten(0, (len(hidden_states), num_heads))) @ output_weight
    """,
    hints="""
    - Five steps: project three times, split, attend, merge, project. You may call `split_heads` and `merge_heads`.
    - `hidden_states @ query_weight` makes the queries of all heads at once. Split queries, keys and values alike. The
      scores of one head are divided by the root of a width. Which one?
    - After the split, d_head is the last axis of `query`. Scores, softmax over the last axis, times `value`; then
      `.transpose(1, 2).flatten(2)`, and `@ output_weight`.
    """,
    explanation="""
    Section 3.2.2 of the 2017 paper. The attention in the middle is the one of notebook 01, unchanged. Only the split
    and the merge know about heads.
    """,
)
