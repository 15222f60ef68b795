"""A whole layer in parts: what cases give to an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from anatomy_utils.exercises.catalogue.encoder.shared import Function, norm
from anatomy_utils.exercises.catalogue.sizes import normal, primes
from anatomy_utils.exercises.definition import Case
from anatomy_utils.functional import masks
from anatomy_utils.functional.attention import scaled_dot_product_attention
from anatomy_utils.nn.positions import RotaryPositions

Part = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Projections:
    """States → query, key and value of all heads.

    Args:
        weights: (3, heads, d_model, d_head).
    """

    weights: Tensor

    def __call__(self, states: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        query, key, value = (states[:, None] @ weight for weight in self.weights)
        return query, key, value

    def __repr__(self) -> str:
        return "three projections"


@dataclass(frozen=True)
class CausalAttention:
    """(query, key, value) → context, each position from itself and those before it."""

    def __call__(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return scaled_dot_product_attention(query, key, value, masks.causal(query.shape[-2])).context

    def __repr__(self) -> str:
        return "causal attention"


def merged(context: Tensor) -> Tensor:
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
            "project": Projections(1.5 * normal(generator, 3, heads, d_model, d_head) * d_model**-0.5),
            "rotate": Function("a rotation", RotaryPositions(d_head)(torch.arange(position))),
            "attend": CausalAttention(),
            "merge_heads": Function("the heads side by side", merged),
            "to_output": Function("a projection", _linear(generator, d_model)),
            "feed_forward_norm": norm(generator, d_model, "its norm"),
            "feed_forward": Function("a feed-forward network", _feed(generator, d_model)),
        }
        sizes = {"batch": batch, "heads": heads, "position": position, "d_model": d_model}
        yield Case(arguments, kind, sizes)
