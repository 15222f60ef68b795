"""A Llama layer in parts: the cases of `llama_layer`."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from anatomy_course.content.encoder.shared import Function, norm
from anatomy_course.content.sizes import normal, primes
from anatomy_course.judge.definition import Case
from anatomy_utils.functional import masks
from anatomy_utils.functional.attention import scaled_dot_product_attention
from anatomy_utils.functional.layers import Part
from anatomy_utils.nn.positions import RotaryPositions


def _projections(weights: Tensor) -> Function:
    """States → query, key and value of all heads, for weights (3, heads, d_model, d_head)."""
    return Function("three projections", lambda states: tuple(states[:, None] @ weight for weight in weights))


def _causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return scaled_dot_product_attention(query, key, value, masks.causal(query.shape[-2])).context


def _merged(context: Tensor) -> Tensor:
    """(batch, heads, position, d_head) → (batch, position, heads · d_head)."""
    return torch.cat(context.unbind(1), dim=-1)


def _linear(generator: torch.Generator, d_model: int) -> Part:
    weight = normal(generator, d_model, d_model) * d_model**-0.5
    return lambda states: states @ weight


def _feed(generator: torch.Generator, d_model: int) -> Part:
    expand, contract = _linear(generator, d_model), _linear(generator, d_model)
    return lambda states: contract(expand(states).relu())


def whole_layer_cases(generator: torch.Generator) -> Iterator[Case]:
    """Layers of unequal sizes, in parts."""
    for kind in ("one text", "a batch of texts"):
        batch, heads, position = primes(generator, 3, (2, 3, 5, 7))
        batch, d_head = 1 if kind == "one text" else batch, 4
        d_model = heads * d_head
        arguments = {
            "hidden_states": 2 * normal(generator, batch, position, d_model),
            "attention_norm": norm(generator, d_model, "its norm"),
            "project": _projections(1.5 * normal(generator, 3, heads, d_model, d_head) * d_model**-0.5),
            "rotate": Function("a rotation", RotaryPositions(d_head)(torch.arange(position))),
            "attend": Function("causal attention", _causal_attention),
            "merge_heads": Function("the heads side by side", _merged),
            "to_output": Function("a projection", _linear(generator, d_model)),
            "feed_forward_norm": norm(generator, d_model, "its norm"),
            "feed_forward": Function("a feed-forward network", _feed(generator, d_model)),
        }
        sizes = {"batch": batch, "heads": heads, "position": position, "d_model": d_model}
        yield Case(arguments, kind, sizes)
