"""Notebook 02: cross-attention, with keys and values from another sequence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import torch
from torch import Tensor
from torch.nn import functional as F

from anatomy_course.content.attention.shared import dots
from anatomy_course.content.multi_head import shared
from anatomy_course.content.multi_head.shared import in_heads, lift_weights, merge, split
from anatomy_course.content.sizes import and_short, batch_and_primes, normal
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("a batch of sentences", "one sentence", "a memory of a single vector", "strong matches"):
        batch, query, key, heads, d_head = batch_and_primes(generator, kind, 5, (2, 3, 5, 7, 11))
        key = 1 if kind == "a memory of a single vector" else key
        d_model = heads * d_head
        arguments = {
            "hidden_states": normal(generator, batch, query, d_model),
            "memory": normal(generator, batch, key, d_model),
        }
        if kind == "a batch of sentences":
            arguments["memory"][0, 0] = 0.0  # a vector of zeros is no padding: it is asked, too
        for role in ("query", "key", "value", "output"):
            arguments[f"{role}_weight"] = normal(generator, d_model, d_model) * d_model**-0.5
        if kind == "strong matches":
            arguments["hidden_states"][..., 0] = arguments["memory"][..., 0] = 12.0
            lift_weights(arguments["query_weight"], arguments["key_weight"], d_head)
        sizes = {"batch": batch, "query": query, "key": key, "heads": heads, "d_head": d_head}
        yield Case({**arguments, "num_heads": heads}, kind, sizes)


def _steps(x: Tensor, m: Tensor, q: Tensor, k: Tensor, v: Tensor, o: Tensor, n: int) -> Mapping[str, Tensor]:
    query, key = split(x @ q, n), split(m @ k, n)
    scores = dots(query, key) * query.shape[-1] ** -0.5
    return {
        "queries": x @ q,
        "keys": m @ k,
        "values": m @ v,
        "scores": scores,
        "weights": scores.softmax(-1),
        "contexts, side by side": in_heads(x @ q, m @ k, m @ v, n),
    }


def _head_by_head(x: Tensor, m: Tensor, q: Tensor, k: Tensor, v: Tensor, o: Tensor, n: int) -> Tensor:
    contexts = []
    for query, key, value in zip((x @ q).chunk(n, -1), (m @ k).chunk(n, -1), (m @ v).chunk(n, -1), strict=True):
        contexts.append((query @ key.mT * query.shape[-1] ** -0.5).softmax(-1) @ value)
    return torch.cat(contexts, -1) @ o


def _fused(x: Tensor, m: Tensor, q: Tensor, k: Tensor, v: Tensor, o: Tensor, n: int) -> Tensor:
    return merge(F.scaled_dot_product_attention(split(x @ q, n), split(m @ k, n), split(m @ v, n))) @ o


def _torchs_own(x: Tensor, m: Tensor, q: Tensor, k: Tensor, v: Tensor, o: Tensor, n: int) -> Tensor:
    turned = partial(torch.transpose, dim0=0, dim1=1)  # torch's function has the positions in front of the batch
    output, _ = F.multi_head_attention_forward(
        turned(x), turned(m), turned(m), x.shape[-1], n, torch.cat((q, k, v), 1).T, None, None, None, False, 0.0, o.T,
        None, need_weights=False,
    )  # fmt: skip
    assert isinstance(output, Tensor)
    return turned(output)


EXERCISE = Exercise(
    id="multi_head.cross_attention",
    title="Cross-attention",
    task="Let the hidden states attend to a memory: they ask, and keys and values come from the memory.",
    difficulty="medium",
    minutes=4,
    signature="cross_attention(\n"
    "    hidden_states: Tensor, memory: Tensor, query_weight: Tensor, key_weight: Tensor, value_weight: Tensor,\n"
    "    output_weight: Tensor, num_heads: int,\n"
    ") -> Tensor",
    docstring="hidden_states (batch, query, d_model), memory (batch, key, d_model), four weights (d_model, d_model)\n"
    "→ output (batch, query, d_model): one vector for each that asks.",
    reference="anatomy_utils.functional.multi_head.cross_attention",
    returns=(Output("output", "query d_model"),),
    cases=and_short(_cases, "query", "a single vector that asks"),
    mistakes=(
        Mistake(
            "memory_asks",
            lambda x, m, q, k, v, o, n: in_heads(m @ q, x @ k, x @ v, n) @ o,
            "You have one output for each vector of the memory: the memory asks, and the hidden states answer.",
        ),
        Mistake(
            "memory_unused",
            lambda x, m, q, k, v, o, n: in_heads(x @ q, x @ k, x @ v, n) @ o,
            "Your hidden states attend to themselves; the memory plays no part.",
        ),
        Mistake(
            "memory_alone",
            lambda x, m, q, k, v, o, n: in_heads(m @ q, m @ k, m @ v, n) @ o,
            "Your memory attends to itself; the hidden states play no part.",
        ),
        Mistake(
            "both_are_asked",
            lambda x, m, q, k, v, o, n: in_heads(x @ q, torch.cat((x, m), 1) @ k, torch.cat((x, m), 1) @ v, n) @ o,
            "Your hidden states attend to the memory and to themselves as well; only the memory should be asked.",
        ),
        Mistake(
            "keys_and_values_swapped",
            lambda x, m, q, k, v, o, n: in_heads(x @ q, m @ v, m @ k, n) @ o,
            "Your keys and values have changed places: you match with W_V and average with W_K.",
        ),
        Mistake(
            "not_mixed",
            lambda x, m, q, k, v, o, n: in_heads(x @ q, m @ k, m @ v, n),
            "You have the contexts of all heads side by side; they have not gone through W_O yet.",
        ),
        Mistake(
            "one_wide_head",
            lambda x, m, q, k, v, o, n: in_heads(x @ q, m @ k, m @ v, 1) @ o,
            "The right ones ask and the right ones answer, but in a single head, as wide as d_model.",
        ),
        Mistake(
            "keys_unprojected",
            lambda x, m, q, k, v, o, n: in_heads(x @ q, m, m, n) @ o,
            "Your keys and values are the memory's vectors just as they came: W_K and W_V have no effect.",
        ),
        Mistake(
            "scaled_by_d_model",
            lambda x, m, q, k, v, o, n: in_heads(x @ q, m @ k, m @ v, n, scale=x.shape[-1] ** -0.5) @ o,
            "The right ones ask and answer, but your scores were divided by √d_model: a head's dot products run over "
            "d_head features.",
        ),
        Mistake(
            "view_alone",
            lambda x, m, q, k, v, o, n: (
                in_heads(x @ q, m @ k, m @ v, n, cut=shared.split_scrambled, join=shared.merge_scrambled) @ o
            ),
            "The right ones ask and answer, but the heads were cut out of the sentences, not out of the vectors.",
        ),
        Mistake(
            "input_added",
            lambda x, m, q, k, v, o, n: x + in_heads(x @ q, m @ k, m @ v, n) @ o,
            "You have added the hidden states to the output. A block does that, but outside of its attention.",
        ),
    ),
    also_right={
        "in steps": lambda x, m, q, k, v, o, n: in_heads(x @ q, m @ k, m @ v, n) @ o,
        "head by head": _head_by_head,
        "fused kernel": _fused,
        "torch's own": _torchs_own,
    },
    hints=(
        "Take your multi-head attention. Three products make query, key and value: which of them should change?",
        "Only the queries come from `hidden_states`. You need not know the two lengths: the table of scores is "
        "(query, key), and does not have to be square.",
        "`hidden_states @ query_weight`, but `memory @ key_weight` and `memory @ value_weight`. The rest stays.",
    ),
    solution="projected = (hidden_states @ query_weight, memory @ key_weight, memory @ value_weight)\n"
    "query, key, value = (each.unflatten(-1, (num_heads, -1)).transpose(1, 2) for each in projected)\n"
    "scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5\n"
    "context = scores.softmax(dim=-1) @ value\n"
    "return context.transpose(1, 2).flatten(2) @ output_weight",
    explanation="Self-attention is the case in which memory and hidden states are the same. In a translator the memory "
    "is what the encoder made of the sentence to translate (notebook 05).",
    stages=_steps,
)
