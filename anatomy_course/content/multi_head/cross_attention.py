"""Notebook 02: cross-attention, with keys and values from another sequence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial  # noqa: F401 (variants use it)

import torch
from torch import Tensor

from anatomy_course.content.attention.shared import dots
from anatomy_course.content.multi_head import shared  # noqa: F401 (variants use it)
from anatomy_course.content.multi_head.shared import in_heads, lift_weights, merge, split  # noqa: F401 (variants use it)
from anatomy_course.content.sizes import and_short, batch_and_primes, normal
from anatomy_course.judge.definition import Case
from anatomy_course.judge.form import written


# fmt: off
def cross_attention(
    hidden_states: Tensor, memory: Tensor, query_weight: Tensor, key_weight: Tensor, value_weight: Tensor,
    output_weight: Tensor, num_heads: int,
) -> Tensor:
    """hidden_states (batch, query, d_model), memory (batch, key, d_model), four weights (d_model, d_model)
    → output (batch, query, d_model): one vector for each that asks.
    """
    projected = (hidden_states @ query_weight, memory @ key_weight, memory @ value_weight)
    query, key, value = (each.unflatten(-1, (num_heads, -1)).transpose(1, 2) for each in projected)
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    context = scores.softmax(dim=-1) @ value
    return context.transpose(1, 2).flatten(2) @ output_weight
# fmt: on


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


EXERCISE = written(
    cross_attention,
    same_as="anatomy_utils.functional.multi_head.cross_attention",
    title="Cross-attention",
    task="Let the hidden states attend to a memory: they ask, and keys and values come from the memory.",
    level="medium, 4 minutes",
    returns="output: query d_model",
    cases=and_short(_cases, "query", "a single vector that asks"),
    stages=_steps,
    mistakes="""
    memory_asks:
        return (
            in_heads(memory @ query_weight, hidden_states @ key_weight, hidden_states @ value_weight, num_heads)
            @ output_weight
        )
        “You have one output for each vector of the memory: the memory asks, and the hidden states answer.”
    memory_unused:
        return (
            in_heads(hidden_states @ query_weight, hidden_states @ key_weight, hidden_states @ value_weight, num_heads)
            @ output_weight
        )
        “Your hidden states attend to themselves; the memory plays no part.”
    memory_alone: in_heads(memory @ query_weight, memory @ key_weight, memory @ value_weight, num_heads) @ output_weight
        “Your memory attends to itself; the hidden states play no part.”
    both_are_asked:
        return (
            in_heads(
                hidden_states @ query_weight,
                torch.cat((hidden_states, memory), 1) @ key_weight,
                torch.cat((hidden_states, memory), 1) @ value_weight,
                num_heads,
            )
            @ output_weight
        )
        “Your hidden states attend to the memory and to themselves as well; only the memory should be asked.”
    keys_and_values_swapped:
        return (
            in_heads(hidden_states @ query_weight, memory @ value_weight, memory @ key_weight, num_heads)
            @ output_weight
        )
        “Your keys and values have changed places: you match with W_V and average with W_K.”
    not_mixed: in_heads(hidden_states @ query_weight, memory @ key_weight, memory @ value_weight, num_heads)
        “You have the contexts of all heads side by side; they have not gone through W_O yet.”
    one_wide_head: in_heads(hidden_states @ query_weight, memory @ key_weight, memory @ value_weight, 1) @ output_weight
        “The right ones ask and the right ones answer, but in a single head, as wide as d_model.”
    keys_unprojected: in_heads(hidden_states @ query_weight, memory, memory, num_heads) @ output_weight
        “Your keys and values are the memory's vectors just as they came: W_K and W_V have no effect.”
    scaled_by_d_model:
        return (
            in_heads(
                hidden_states @ query_weight,
                memory @ key_weight,
                memory @ value_weight,
                num_heads,
                scale=hidden_states.shape[-1] ** -0.5,
            )
            @ output_weight
        )
        “The right ones ask and answer, but your scores were divided by √d_model: a head's dot products run over d_head
        features.”
    view_alone:
        return (
            in_heads(
                hidden_states @ query_weight,
                memory @ key_weight,
                memory @ value_weight,
                num_heads,
                cut=shared.split_scrambled,
                join=shared.merge_scrambled,
            )
            @ output_weight
        )
        “The right ones ask and answer, but the heads were cut out of the sentences, not out of the vectors.”
    input_added:
        return (
            hidden_states
            + in_heads(hidden_states @ query_weight, memory @ key_weight, memory @ value_weight, num_heads)
            @ output_weight
        )
        “You have added the hidden states to the output. A block does that, but outside of its attention.”
    """,
    also_right="""
    in steps:
        return (
            in_heads(hidden_states @ query_weight, memory @ key_weight, memory @ value_weight, num_heads)
            @ output_weight
        )
    head by head:
        contexts = []
        for query, key, value in zip(
            (hidden_states @ query_weight).chunk(num_heads, -1),
            (memory @ key_weight).chunk(num_heads, -1),
            (memory @ value_weight).chunk(num_heads, -1),
            strict=True,
        ):
            contexts.append((query @ key.mT * query.shape[-1] ** -0.5).softmax(-1) @ value)
        return torch.cat(contexts, -1) @ output_weight
    fused kernel:
        return (
            merge(
                F.scaled_dot_product_attention(
                    split(hidden_states @ query_weight, num_heads),
                    split(memory @ key_weight, num_heads),
                    split(memory @ value_weight, num_heads),
                )
            )
            @ output_weight
        )
    torch's own:
        turned = partial(torch.transpose, dim0=0, dim1=1)  # torch's function has the positions in front of the batch
        output, _ = F.multi_head_attention_forward(
            turned(hidden_states), turned(memory), turned(memory), hidden_states.shape[-1], num_heads, torch.cat((query_weight, key_weight, value_weight), 1).T, None, None, None, False, 0.0, output_weight.T,
            None, need_weights=False,
        )  # fmt: skip
        assert isinstance(output, Tensor)
        return turned(output)
    """,
    hints="""
    - Take your multi-head attention. Three products make query, key and value: which of them should change?
    - Only the queries come from `hidden_states`. You need not know the two lengths: the table of scores is (query,
      key), and does not have to be square.
    - `hidden_states @ query_weight`, but `memory @ key_weight` and `memory @ value_weight`. The rest stays.
    """,
    explanation="""
    Self-attention is the case in which memory and hidden states are the same. In a translator the memory is what the
    encoder made of the sentence to translate (notebook 05).
    """,
)
