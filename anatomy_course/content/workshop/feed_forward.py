"""Notebook 08: the feed-forward network as a module of the learner's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_course.content.sizes import normal, primes
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output
from anatomy_course.judge.effects.module import ModuleDrive


class _FeedForward(nn.Module):
    """Two linear maps with GELU between them, the same at each position.

    Args:
        d_model: length of a vector outside.
        d_inner: length of a vector between the two.
    """

    def __init__(self, d_model: int, d_inner: int) -> None:
        super().__init__()
        self.inner = nn.Linear(d_model, d_inner)
        self.output = nn.Linear(d_inner, d_model)

    def forward(self, hidden_states: Tensor) -> Tensor:
        """Shaped as hidden_states (batch, position, d_model)."""
        return self.output(F.gelu(self.inner(hidden_states)))


DRIVE = ModuleDrive(
    _FeedForward,
    construct=("d_model", "d_inner"),
    inputs=("hidden_states",),
    gradients=("inner.weight", "hidden_states"),
)


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("a batch of texts", "one text", "one position", "fewer features inside"):
        batch, position = primes(generator, 2, (2, 7))
        batch, position = 1 if kind == "one text" else batch, 1 if kind == "one position" else position
        d_model, d_inner = sorted(primes(generator, 2, (3, 5, 11)), reverse=kind == "fewer features inside")
        construct = {"d_model": d_model, "d_inner": d_inner}
        inputs = {"hidden_states": 2 * normal(generator, batch, position, d_model)}
        sizes = {"batch": batch, "position": position, "d_model": d_model, "d_inner": d_inner}
        yield Case(DRIVE.arguments(generator, construct, inputs), kind, sizes)


def _way(forward: Callable[[_FeedForward, Tensor], Tensor]) -> type[_FeedForward]:
    """A child that computes something else."""
    return type("_Other", (_FeedForward,), {"forward": lambda self, hidden_states: forward(self, hidden_states)})


def _activated(activation: Callable[[Tensor], Tensor]) -> type[_FeedForward]:
    """A child with another activation."""
    return _way(lambda self, x: self.output(activation(self.inner(x))))


def _no_bias(*names: str) -> Callable[..., _FeedForward]:
    class _NoBias(_FeedForward):
        def __init__(self, d_model: int, d_inner: int) -> None:
            super().__init__(d_model, d_inner)
            for name in names:
                self.get_submodule(name).register_parameter("bias", None)

    return _NoBias


class _UsualWidth(_FeedForward):
    def __init__(self, d_model: int, d_inner: int) -> None:
        super().__init__(d_model, 4 * d_model)


class _OwnGelu(_FeedForward):
    def forward(self, hidden_states: Tensor) -> Tensor:
        states = hidden_states @ self.inner.weight.T + self.inner.bias
        states = states * (1 + torch.erf(states / 2**0.5)) / 2
        return states @ self.output.weight.T + self.output.bias


class _Kept(nn.Module):
    def __init__(self, d_model: int, d_inner: int) -> None:
        super().__init__()
        self.output = nn.Linear(d_inner, d_model)
        self.activation = nn.GELU()
        self.inner = nn.Linear(d_model, d_inner)

    def forward(self, hidden_states: Tensor) -> Tensor:
        for part in (self.inner, self.activation, self.output):
            hidden_states = part(hidden_states)
        return hidden_states


class _Flattened(_FeedForward):
    def forward(self, hidden_states: Tensor) -> Tensor:
        rows = hidden_states.reshape(-1, hidden_states.shape[-1])
        return self.output(F.gelu(self.inner(rows))).reshape(hidden_states.shape)


def _steps(d_model: int, d_inner: int, x: Tensor, w: Tensor, b: Tensor, *output: Tensor) -> Mapping[str, Tensor]:
    inner = F.linear(x, w, b)
    return {"inner features": inner, "features after GELU": F.gelu(inner)}


EXERCISE = Exercise(
    id="workshop.feed_forward",
    title="Feed-forward as a module",
    task="Write the feed-forward network as a module: `inner`, GELU, `output`.",
    difficulty="easy",
    minutes=4,
    signature="FeedForward(torch.nn.Module)",
    docstring="Has `inner`, a torch.nn.Linear from d_model to d_inner, and `output`, one from d_inner back to\n"
    "d_model, both with a bias. Between them is GELU, the exact one. No dropout.\n"
    "hidden_states (batch, position, d_model) → the same shape.",
    reference=_FeedForward,
    returns=DRIVE.outputs(Output("output", "position d_model")),
    cases=_cases,
    mistakes=(
        Mistake(
            "no_activation",
            _activated(lambda states: states),
            "Your output is that of two layers with nothing between them: together they are one linear layer.",
        ),
        Mistake("relu", _activated(F.relu), "Your activation is ReLU, which sets negative numbers to 0; use GELU."),
        Mistake("tanh", _activated(torch.tanh), "Your activation is tanh; use GELU."),
        Mistake("silu", _activated(F.silu), "Your activation is SiLU, x · sigmoid(x); use GELU."),
        Mistake(
            "gelu_by_tanh",
            _activated(lambda states: F.gelu(states, approximate="tanh")),
            "Your GELU is the approximation by tanh, as GPT-2 has it; use the exact one.",
        ),
        Mistake(
            "gelu_by_sigmoid",
            _activated(lambda states: states * torch.sigmoid(1.702 * states)),
            "Your GELU is the approximation x · sigmoid(1.702 x); use the exact one.",
        ),
        Mistake(
            "erf_of_x",
            _activated(lambda states: states * (1 + torch.erf(states)) / 2),
            "Your GELU takes erf(x); what it takes is erf(x / √2), as the share of a normal distribution below x asks.",
        ),
        Mistake(
            "activation_last",
            _way(lambda self, x: F.gelu(self.output(self.inner(x)))),
            "Your activation comes after both layers; it belongs between them.",
        ),
        Mistake(
            "activation_first",
            _way(lambda self, x: self.output(self.inner(F.gelu(x)))),
            "Your activation comes before the first layer; it belongs between the two.",
        ),
        Mistake(
            "activation_twice",
            _way(lambda self, x: F.gelu(self.output(F.gelu(self.inner(x))))),
            "You apply the activation after `output` as well; it belongs between the two layers, and only there.",
        ),
        Mistake(
            "input_added",
            _way(lambda self, x: x + self.output(F.gelu(self.inner(x)))),
            "You have added the input to the output. The block will do that, outside this module.",
        ),
        Mistake(
            "not_contracted",
            _way(lambda self, x: F.gelu(self.inner(x))),
            "You stop in the middle: your vectors are still d_inner wide.",
        ),
        Mistake(
            "usual_width",
            _UsualWidth,
            "Your network is 4 · d_model wide inside, whatever `d_inner` says.",
        ),
        Mistake("no_inner_bias", _no_bias("inner"), "Your `inner` has no bias; here both layers have one."),
        Mistake("no_output_bias", _no_bias("output"), "Your `output` has no bias; here both layers have one."),
        Mistake("no_biases", _no_bias("inner", "output"), "Neither of your layers has a bias; here both have one."),
        Mistake(
            "detached",
            _way(lambda self, x: self.output(F.gelu(self.inner(x)).detach())),
            "Your output is right, but no gradient reaches `inner`: something cuts it off, such as `detach`, `no_grad` "
            "or `.data`.",
        ),
    ),
    also_right={"by hand": _OwnGelu, "GELU as a module": _Kept, "all positions in one table": _Flattened},
    hints=(
        "`super().__init__()` comes first. Then two lines make the two layers; `forward` is one line.",
        "`torch.nn.Linear(a, b)` goes from a features to b. The activation is "
        "`torch.nn.functional.gelu`, without options.",
        "`self.output(torch.nn.functional.gelu(self.inner(hidden_states)))`.",
    ),
    solution="\n"
    "def __init__(self, d_model: int, d_inner: int) -> None:\n"
    "    super().__init__()\n"
    "    self.inner = torch.nn.Linear(d_model, d_inner)\n"
    "    self.output = torch.nn.Linear(d_inner, d_model)\n"
    "\n"
    "def forward(self, hidden_states: Tensor) -> Tensor:\n"
    "    return self.output(torch.nn.functional.gelu(self.inner(hidden_states)))",
    explanation="Attention moves information between positions; this network works on each position by itself. With "
    "d_inner = 4 · d_model it holds two thirds of a block's weights.",
    stages=_steps,
    methods=(
        "__init__(self, d_model: int, d_inner: int) -> None",
        "forward(self, hidden_states: Tensor) -> Tensor",
    ),
    observe=DRIVE,
)
