"""Sub-layers, norms and activations as functions with a name: what cases give to an answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from anatomy_utils.exercises.catalogue.sizes import normal


@dataclass(frozen=True)
class Function:
    """A function that shows its name, not its address."""

    name: str
    function: Callable[[Tensor], Tensor]

    def __call__(self, states: Tensor) -> Tensor:
        return self.function(states)

    def __repr__(self) -> str:
        return self.name


RELU, GELU, TANH = Function("relu", F.relu), Function("gelu", F.gelu), Function("tanh", torch.tanh)


def sublayer(generator: torch.Generator, d_model: int, name: str = "a sub-layer") -> Function:
    """Mixes features and positions, as attention and a feed-forward network together would."""
    weight, shift = normal(generator, d_model, d_model) * d_model**-0.5, 0.5 * normal(generator, d_model)
    return Function(name, lambda states: (states @ weight).tanh() + 0.7 * states.mean(-2, keepdim=True) + shift)


def norm(generator: torch.Generator, d_model: int, name: str = "a norm") -> Function:
    """A layer norm that has learnt something. Its large ε makes it notice a factor in front of what it gets."""
    weight, bias = 1 + 0.5 * normal(generator, d_model), 0.5 * normal(generator, d_model)
    return Function(name, lambda states: F.layer_norm(states, (d_model,), weight, bias, eps=0.5))
