"""Notebook 10: a low-rank adapter around a linear layer, which stays as it is (Hu et al. 2021, arXiv:2106.09685)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from anatomy_course.content.writing import (
    Case,
    Cases,
    Generator,
    ModuleDrive,
    Objection,
    Output,
    Tensor,
    normal,
    primes,
    written,
)
from anatomy_course.judge.effects.initial import InitialSpread


class LowRankAdapter(torch.nn.Module):
    """Has `linear`, the torch.nn.Linear that it is given and whose parameters it freezes, and two torch.nn.Parameters:
    `down` (rank, features in), drawn from a normal distribution of standard deviation 1 / √(features in), and
    `up` (features out, rank), zeros. `scale` is alpha / rank.
    x (…, features in) → what `linear` gives, plus scale times what `down` and then `up` make of x.
    """

    def __init__(self, linear: torch.nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.scale = alpha / rank
        self.down = torch.nn.Parameter(torch.randn(rank, linear.in_features) / linear.in_features**0.5)
        self.up = torch.nn.Parameter(torch.zeros(linear.out_features, rank))

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x) + self.scale * (x @ self.down.T @ self.up.T)


def around(adapter: Callable[..., Any]) -> Callable[..., torch.nn.Module]:
    """Makes the linear layer, so that a case is numbers alone."""
    return lambda d_in, d_out, bias, rank, alpha: adapter(torch.nn.Linear(d_in, d_out, bias=bias), rank, alpha)


def spread(name: str) -> tuple[float, str]:
    """A parameter's name → the standard deviation in a new adapter around 512 features, and how a sentence says it."""
    drawn = {"up": (0.0, "zero"), "down": (512**-0.5, "1 / √(features in), 0.044 for 512 features")}
    return drawn.get(name, ((3 * 512) ** -0.5, "that of the layer that it is given"))


DRIVE = ModuleDrive(
    around(LowRankAdapter),
    construct=("d_in", "d_out", "bias", "rank", "alpha"),
    inputs=("x",),
    gradients=("down", "up", "x"),
    initial=InitialSpread((512, 256, True, 64, 1.0), spread, normal=("down",)),
)


def drive(answer: Callable[..., Any], *arguments: Any) -> tuple[Tensor, ...] | Objection:
    """What the layer gives as soon as it is wrapped; then what any module is asked; then `scale`."""
    outputs = DRIVE(around(answer), *arguments)
    if isinstance(outputs, Objection):
        return outputs
    d_in, d_out, bias, rank, alpha, x = arguments[:6]
    linear = torch.nn.Linear(d_in, d_out, bias=bias)
    of_layer = {name: w for name, w in DRIVE.weights(*arguments).items() if name.startswith("linear.")}
    linear.load_state_dict({name.removeprefix("linear."): weight for name, weight in of_layer.items()})
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.default_generator.manual_seed(0)
        new = answer(linear, rank, alpha)
        first = new(x)
    if new.linear is not linear and torch.equal(new.linear.weight, linear.weight):
        return Objection("copy", "Your adapter holds a copy of the layer; keep the layer itself.")
    if not isinstance(getattr(new, "scale", None), float | int):
        return Objection("scale", "Your adapter should keep `self.scale`, the number alpha / rank.")
    return (first, *outputs, torch.tensor(float(new.scale)))


def cases(generator: Generator) -> Cases:
    kinds = {
        "a batch of texts": (True, 2.0),
        "one vector": (True, 1.0),
        "no bias": (False, 7.0),
        "a large alpha": (False, 30.0),
        "rank 1, a small alpha": (True, 0.4),
    }
    for kind, (bias, alpha) in kinds.items():
        d_in, d_out, batch, position = primes(generator, 4, (5, 7, 11, 13))
        rank = 1 if kind.startswith("rank 1") else primes(generator, 1, (2, 3))[0]
        shape = (1, d_in) if kind == "one vector" else (batch, position, d_in)
        construct = {"d_in": d_in, "d_out": d_out, "bias": bias, "rank": rank, "alpha": alpha}
        arguments = DRIVE.arguments(generator, construct, {"x": 2 * normal(generator, *shape)})
        yield Case(arguments, kind, {"batch": batch, "position": position, "d_in": d_in, "d_out": d_out, "rank": rank})


EXERCISE = written(
    LowRankAdapter,
    title="A low-rank adapter",
    task="Wrap a linear layer: leave it as it is, and add a narrow path beside it that can learn.",
    level="medium, 7 minutes",
    returns=(Output("output of a new adapter", "d_out"), *DRIVE.outputs(Output("output", "d_out")), Output("scale")),
    cases=cases,
    observe=drive,
    mistakes="""
    not_frozen: .requires_grad_(False) ⇒
        “The layer that you are given can still learn: set `requires_grad` of its parameters to False, and only `down`
        and `up` are trained.”
    weight_frozen_only:
        self.linear = linear.requires_grad_(False) ⇒
            self.linear = linear
            self.linear.weight.requires_grad_(False)
        “You freeze the layer's weight; where it has a bias, that can still learn.”
    all_frozen:
        self.up = torch.nn.Parameter(torch.zeros(linear.out_features, rank)) ⇒
            self.up = torch.nn.Parameter(torch.zeros(linear.out_features, rank))
            self.requires_grad_(False)
        “You freeze `down` and `up` as well, so nothing is left to learn: freeze only the layer that you are given.”
    another_layer:
        self.linear = linear.requires_grad_(False) ⇒
            self.linear = torch.nn.Linear(linear.in_features, linear.out_features, linear.bias is not None)
            self.linear.requires_grad_(False)
        “Your adapter holds a new linear layer of the same size; what the given one has learned is lost. Keep
        `linear` itself.”
    up_drawn: torch.zeros(linear.out_features, rank) ⇒ torch.randn(linear.out_features, rank) / rank**0.5
        “Your `up` is drawn at random, so a new adapter changes what the layer gives. With zeros it begins as no change
        at all.”
    down_zero: torch.randn(rank, linear.in_features) / linear.in_features**0.5 ⇒ torch.zeros(rank, linear.in_features)
        “Your `down` is zeros in a new adapter; it should be drawn, and only `up` be zeros. (With zeros in both, neither
        would ever get a gradient: each gradient has the other one as a factor.)”
    drawn_large: / linear.in_features**0.5 ⇒
        “Your `down` is drawn with a standard deviation of 1, so its results grow with the number of features: divide by
        √(features in).”
    drawn_by_rank: / linear.in_features**0.5 ⇒ / rank**0.5
        “Your `down` is divided by √rank; what a row of it sums over is the features that come in.”
    drawn_evenly: torch.randn(rank ⇒ torch.rand(rank
        “Your `down` is drawn evenly from a range, as by `torch.rand` or `kaiming_uniform_`, and its spread is 1/√3 of
        what is wanted. Take `torch.randn`.”
    no_scale: self.scale * ( ⇒ (
        “Your adapter's path is added as it is; multiply it by `scale`.”
    alpha_alone: self.scale = alpha / rank ⇒ self.scale = alpha
        “Your path is multiplied by alpha; `scale` is alpha / rank, so that a wider path is not a louder one.”
    turned_scale: alpha / rank ⇒ rank / alpha
        “Your `scale` is rank / alpha; wanted is alpha / rank.”
    root_of_rank: alpha / rank ⇒ alpha / rank**0.5
        “You divide alpha by √rank, as a later variant of LoRA does; here it is divided by the rank.”
    path_alone: self.linear(x) + ⇒
        “Your output is the path alone; nothing of `linear` reaches it.”
    layer_alone:
        def forward(self, x):
            return self.linear(x)
        “Your output is that of `linear` alone; nothing of `down` and `up` reaches it.”
    after_the_layer:
        def forward(self, x):
            weight = self.linear.weight + self.scale * (self.up @ self.down)
            bias = 0 if self.linear.bias is None else self.linear.bias
            return x @ weight.T + (1 + self.scale) * bias
        “You multiply the layer's bias too; only the path is multiplied by `scale`.”
    no_bias: self.linear(x) + ⇒ x @ self.linear.weight.T +
        “Right where the layer has no bias; yours leaves the bias out.”
    scaled_whole:
        def forward(self, x):
            return self.scale * (self.linear(x) + x @ self.down.T @ self.up.T)
        “You multiply the layer's own output by `scale` too; only the path is multiplied.”
    activation_between: self.scale * (x @ self.down.T @ ⇒ self.scale * (torch.relu(x @ self.down.T) @
        “There is an activation between your `down` and `up`. Then no matrix can hold both, and the adapter cannot be
        merged: leave it out.”
    no_gradient_below:
        def forward(self, x):
            with torch.no_grad():
                kept = self.linear(x)
            return kept + self.scale * (x @ self.down.T @ self.up.T)
        “Your output is right, but no gradient passes through `linear` to what comes in, and the adapters below would
        learn too little: frozen parameters are enough, `no_grad` is too much.”
    path_detached: (x @ self.down.T ⇒ (x.detach() @ self.down.T
        “Your output is right, but no gradient passes through the path to what comes in: something cuts it off, such as
        `detach`.”
    """,
    also_right="""
    the change as one matrix:
        def forward(self, x):
            return self.linear(x) + x @ (self.scale * self.up @ self.down).T
    functions of torch:
        def forward(self, x):
            narrow = F.linear(x, self.down)
            return self.linear(x) + F.linear(narrow, self.up) * self.scale
    frozen in a loop:
        self.linear = linear.requires_grad_(False) ⇒
            for parameter in linear.parameters():
                parameter.requires_grad = False
            self.linear = linear
    drawn in place:
        self.down = torch.nn.Parameter(torch.randn(rank, linear.in_features) / linear.in_features**0.5) ⇒
            d_out, d_in = linear.weight.shape
            self.down = torch.nn.Parameter(torch.empty(rank, d_in))
            torch.nn.init.normal_(self.down, std=d_in**-0.5)
    merged while it runs:
        def forward(self, x):
            return F.linear(x, self.linear.weight + self.scale * (self.up @ self.down), self.linear.bias)
    """,
    hints="""
    - The layer W is left alone, and W x + scale · up (down x) is computed. What must be registered, and what must not
      learn?
    - `linear.requires_grad_(False)` freezes all that a layer has. `torch.nn.Parameter(torch.zeros(a, b))` registers
      a matrix; `torch.randn(a, b) / n**0.5` draws one with the standard deviation 1/√n.
    - `return self.linear(x) + self.scale * (x @ self.down.T @ self.up.T)`.
    """,
    explanation="""
    `up @ down` has the shape of the layer's weight, but its rank is at most `rank`: 8 · (576 + 576) numbers in place of
    576 · 576. Since `up` begins with zeros, training begins with the published model. And since the layer needs no
    gradient, neither a gradient nor Adam's two averages are kept for it (LoRA, Hu et al. 2021).
    """,
)
