"""Layers: sub-layers and norms as functions with a name, and cases made of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn import functional as F

from anatomy_course.content.writing import Cases, Draw, Generator, normal


@dataclass(frozen=True)
class Function:
    """A function that shows its name, not its address.

    Attributes:
        probed: what it is called with is the learner's choice, so no call is compared with a right solution's.
    """

    name: str
    function: Callable[..., Any]
    probed: bool = False

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self.function(*given, **named)

    def __repr__(self) -> str:
        return self.name


RELU, GELU, TANH = Function("relu", F.relu), Function("gelu", F.gelu), Function("tanh", torch.tanh)


def sublayer(generator: torch.Generator, d_model: int, name: str = "a sub-layer") -> Function:
    """Mixes features and positions, as attention and a feed-forward network together would."""
    weight, shift = normal(generator, d_model, d_model) * d_model**-0.5, 0.5 * normal(generator, d_model)
    return Function(name, lambda states: (states @ weight).tanh() + 0.7 * states.mean(-2, keepdim=True) + shift)


def norm(generator: torch.Generator, d_model: int, name: str = "a norm") -> Function:
    """A layer norm that has learned something. Its large ε makes it notice a factor in front of what it gets."""
    weight, bias = 1 + 0.5 * normal(generator, d_model), 0.5 * normal(generator, d_model)
    return Function(name, lambda states: F.layer_norm(states, (d_model,), weight, bias, eps=0.5))


def layer_cases(**parts: str) -> Callable[[Generator], Cases]:
    """Cases of a layer: hidden states and the parts, all of them different.

    Args:
        parts: argument → the name that it shows; one whose argument ends in "norm" is a norm, any other a sub-layer.
    """

    def cases(generator: Generator) -> Cases:
        for kind in ("one text", "a batch of texts", "a batch of texts"):
            draw = Draw(generator, "batch position d_model", (3, 5, 7), kind)
            arguments: dict[str, object] = {"hidden_states": 2 * draw("batch position d_model")}
            for argument, name in parts.items():
                make = norm if argument.endswith("norm") else sublayer
                arguments[argument] = make(generator, draw["d_model"], name)
            yield draw.case(**arguments)

    return cases
