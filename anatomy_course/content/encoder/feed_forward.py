"""Notebook 03: the feed-forward network, the same at every position."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import torch
from torch import Tensor
from torch.nn import functional as F

from anatomy_course.content.encoder.shared import GELU, RELU, TANH
from anatomy_course.content.sizes import normal, primes
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output

Activation = Callable[[Tensor], Tensor]


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind, activation in (("ReLU", RELU), ("GELU", GELU), ("tanh", TANH)):
        batch, position, d_model, d_ff = primes(generator, 4, (2, 3, 5, 7))
        batch = 1 if kind == "tanh" else batch
        arguments = {
            "hidden_states": normal(generator, batch, position, d_model),
            "expand_weight": normal(generator, d_model, d_ff),
            "expand_bias": normal(generator, d_ff),
            "contract_weight": normal(generator, d_ff, d_model),
            "contract_bias": normal(generator, d_model),
            "activation": activation,
        }
        sizes = {"batch": batch, "position": position, "d_model": d_model, "d_ff": d_ff}
        yield Case(arguments, kind, sizes)


def _feed(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor, f: Activation) -> Tensor:
    return f(x @ w1 + b1) @ w2 + b2


def _position_by_position(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor, f: Activation) -> Tensor:
    return torch.stack([_feed(vectors, w1, b1, w2, b2, f) for vectors in x.unbind(1)], dim=1)


def _steps(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor, f: Activation) -> Mapping[str, Tensor]:
    return {
        "expanded": x @ w1,
        "expanded, with bias": x @ w1 + b1,
        "hidden features": f(x @ w1 + b1),
        "contracted": f(x @ w1 + b1) @ w2,
    }


EXERCISE = Exercise(
    id="encoder.feed_forward",
    title="Feed-forward",
    task="Apply two layers to each word's vector: expand it, apply the activation, contract it again.",
    difficulty="easy",
    minutes=3,
    signature="feed_forward(\n"
    "    hidden_states: Tensor, expand_weight: Tensor, expand_bias: Tensor,\n"
    "    contract_weight: Tensor, contract_bias: Tensor, activation,\n"
    ") -> Tensor",
    docstring="hidden_states (batch, position, d_model), expand_weight (d_model, d_ff), contract_weight\n"
    "(d_ff, d_model), a bias for each; activation is a function such as relu → output, as hidden_states.",
    reference="anatomy_utils.functional.feed_forward.feed_forward",
    returns=(Output("output", "position d_model"),),
    cases=_cases,
    mistakes=(
        Mistake(
            "no_activation",
            lambda x, w1, b1, w2, b2, f: (x @ w1 + b1) @ w2 + b2,
            "No activation acts on your features: two linear layers without one are no more than one linear layer.",
        ),
        Mistake(
            "activation_twice",
            lambda x, w1, b1, w2, b2, f: f(_feed(x, w1, b1, w2, b2, f)),
            "You apply the activation after the second layer as well; it belongs between the two, and only there.",
        ),
        Mistake(
            "activation_last",
            lambda x, w1, b1, w2, b2, f: f((x @ w1 + b1) @ w2 + b2),
            "You apply the activation after both layers, and none acts between them.",
        ),
        Mistake(
            "activation_first",
            lambda x, w1, b1, w2, b2, f: (f(x) @ w1 + b1) @ w2 + b2,
            "Your activation comes before the first layer: it sees the d_model features, not the d_ff ones.",
        ),
        Mistake(
            "bias_after_the_activation",
            lambda x, w1, b1, w2, b2, f: (f(x @ w1) + b1) @ w2 + b2,
            "You add the first bias after the activation; it belongs before it.",
        ),
        Mistake(
            "no_first_bias",
            lambda x, w1, b1, w2, b2, f: f(x @ w1) @ w2 + b2,
            "The first layer's bias does not reach your output.",
        ),
        Mistake(
            "no_second_bias",
            lambda x, w1, b1, w2, b2, f: f(x @ w1 + b1) @ w2,
            "The second layer's bias does not reach your output.",
        ),
        Mistake(
            "no_biases",
            lambda x, w1, b1, w2, b2, f: f(x @ w1) @ w2,
            "Neither of the two biases reaches your output.",
        ),
        Mistake(
            "always_relu",
            lambda x, w1, b1, w2, b2, f: _feed(x, w1, b1, w2, b2, F.relu),
            "Yours is right with ReLU only: it applies ReLU, whatever activation is given.",
        ),
        Mistake(
            "always_gelu",
            lambda x, w1, b1, w2, b2, f: _feed(x, w1, b1, w2, b2, F.gelu),
            "Yours is right with GELU only: it applies GELU, whatever activation is given.",
        ),
        Mistake(
            "input_added",
            lambda x, w1, b1, w2, b2, f: x + _feed(x, w1, b1, w2, b2, f),
            "You have added the input to the output. The residual connection does that, outside this network.",
        ),
        Mistake(
            "not_contracted",
            lambda x, w1, b1, w2, b2, f: f(x @ w1 + b1),
            "You return what is in the middle: your vectors are still d_ff wide.",
        ),
        Mistake(
            "words_averaged",
            lambda x, w1, b1, w2, b2, f: _feed(x.mean(1, keepdim=True).expand_as(x), w1, b1, w2, b2, f),
            "All words of a text get the same output, computed from their average; each word has its own output.",
        ),
    ),
    also_right={
        "in one line": _feed,
        "F.linear": lambda x, w1, b1, w2, b2, f: F.linear(f(F.linear(x, w1.T, b1)), w2.T, b2),
        "position by position": _position_by_position,
        "einsum": lambda x, w1, b1, w2, b2, f: (
            torch.einsum("bpf,fm->bpm", f(torch.einsum("bpm,mf->bpf", x, w1) + b1), w2) + b2
        ),
    },
    hints=(
        "Three steps: a linear layer, the activation, a linear layer. A linear layer is a matrix product and a bias.",
        "`hidden_states @ expand_weight + expand_bias` makes d_ff features of each word. The activation is a function: "
        "call it on them.",
        "`hidden = activation(hidden_states @ expand_weight + expand_bias)`; then the same with the other weight and "
        "bias, without an activation.",
    ),
    solution="hidden = activation(hidden_states @ expand_weight + expand_bias)\n"
    "return hidden @ contract_weight + contract_bias",
    explanation="Equation 2 of the 2017 paper. Nothing in it looks from one position to another: `@` works on the last "
    "axis only. Only attention moves information between words.",
    stages=_steps,
)
