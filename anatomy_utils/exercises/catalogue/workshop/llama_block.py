"""Notebook 08: the block of which SmolLM2 has thirty."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from anatomy_utils.exercises.catalogue.sizes import normal, primes
from anatomy_utils.exercises.catalogue.workshop.shared import GroupedAttention
from anatomy_utils.exercises.definition import Case, Exercise, Mistake, Output
from anatomy_utils.exercises.driving.module import ModuleDrive
from anatomy_utils.exercises.program.given.gated import GatedFeedForward


class _LlamaBlock(nn.Module):
    """In the order of its parts, each of which a child may do otherwise."""

    norm: Callable[..., nn.Module] = nn.RMSNorm

    def __init__(
        self, d_model: int, num_heads: int, num_key_value_heads: int, d_inner: int, base: float, epsilon: float
    ) -> None:
        super().__init__()
        self.attention_norm = type(self).norm(d_model, eps=epsilon)
        self.attention = GroupedAttention(d_model, num_heads, num_key_value_heads, base)
        self.feed_forward_norm = type(self).norm(d_model, eps=epsilon)
        self.feed_forward: nn.Module = GatedFeedForward(d_model, d_inner)

    def forward(self, hidden_states: Tensor) -> Tensor:
        hidden_states = hidden_states + self.attention(self.attention_norm(hidden_states))
        return hidden_states + self.feed_forward(self.feed_forward_norm(hidden_states))


DRIVE = ModuleDrive(
    _LlamaBlock,
    construct=("d_model", "num_heads", "num_key_value_heads", "d_inner", "base", "epsilon"),
    inputs=("hidden_states",),
    gradients=("attention_norm.weight", "feed_forward_norm.weight"),
    given={"GatedFeedForward": GatedFeedForward},
    published=True,
)
KINDS = {
    "one text": (2, 3, 100.0, 1e-6),
    "several texts": (3, 2, 10.0, 1e-5),
    "another base": (1, 3, 7.0, 1e-5),
    "a large epsilon": (2, 3, 100.0, 0.3),
}
"""Kind → heads of keys and values, queries' heads on each of them, base, epsilon."""


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind, (shared, group, base, epsilon) in KINDS.items():
        batch, position, d_inner = primes(generator, 3, (5, 7, 11))
        batch, heads = 1 if kind == "one text" else batch, shared * group
        d_model = 4 * heads
        numbers = (d_model, heads, shared, d_inner, base, epsilon)
        construct = dict(zip(DRIVE.construct, numbers, strict=True))
        states = {"hidden_states": normal(generator, batch, position, d_model)}
        sizes = {"batch": batch, "position": position, "d_model": d_model, "heads": heads, "d_inner": d_inner}
        yield Case(DRIVE.arguments(generator, construct, states), kind, sizes)


def _running(forward: Callable[[Any, Tensor], Tensor]) -> type[nn.Module]:
    """The right parts in another order."""
    return type("LlamaBlock", (_LlamaBlock,), {"forward": forward})


def _post_norm(self: _LlamaBlock, x: Tensor) -> Tensor:
    x = self.attention_norm(x + self.attention(x))
    return self.feed_forward_norm(x + self.feed_forward(x))


def _swapped(self: _LlamaBlock, x: Tensor) -> Tensor:
    x = x + self.attention(self.feed_forward_norm(x))
    return x + self.feed_forward(self.attention_norm(x))


def _one_norm(self: _LlamaBlock, x: Tensor) -> Tensor:
    x = x + self.attention(self.attention_norm(x))
    return x + self.feed_forward(self.attention_norm(x))


def _no_second_norm(self: _LlamaBlock, x: Tensor) -> Tensor:
    x = x + self.attention(self.attention_norm(x))
    return x + self.feed_forward(x)


def _no_first_norm(self: _LlamaBlock, x: Tensor) -> Tensor:
    x = x + self.attention(x)
    return x + self.feed_forward(self.feed_forward_norm(x))


def _side_by_side(self: _LlamaBlock, x: Tensor) -> Tensor:
    return x + self.attention(self.attention_norm(x)) + self.feed_forward(self.feed_forward_norm(x))


def _no_residuals(self: _LlamaBlock, x: Tensor) -> Tensor:
    return self.feed_forward(self.feed_forward_norm(self.attention(self.attention_norm(x))))


def _no_first_residual(self: _LlamaBlock, x: Tensor) -> Tensor:
    x = self.attention(self.attention_norm(x))
    return x + self.feed_forward(self.feed_forward_norm(x))


def _no_second_residual(self: _LlamaBlock, x: Tensor) -> Tensor:
    x = x + self.attention(self.attention_norm(x))
    return self.feed_forward(self.feed_forward_norm(x))


def _network_first(self: _LlamaBlock, x: Tensor) -> Tensor:
    x = x + self.feed_forward(self.feed_forward_norm(x))
    return x + self.attention(self.attention_norm(x))


def _normed_residuals(self: _LlamaBlock, x: Tensor) -> Tensor:
    x = self.attention_norm(x)
    x = self.feed_forward_norm(x + self.attention(x))
    return x + self.feed_forward(x)


class _LayerNorms(_LlamaBlock):
    norm = nn.LayerNorm


class _UsualEpsilon(_LlamaBlock):
    @staticmethod
    def norm(d_model: int, eps: float) -> nn.Module:
        return nn.RMSNorm(d_model)


class _UsualBase(_LlamaBlock):
    def __init__(self, d_model: int, heads: int, shared: int, d_inner: int, base: float, epsilon: float) -> None:
        super().__init__(d_model, heads, shared, d_inner, 10_000.0, epsilon)


class _OwnKeys(_LlamaBlock):
    def __init__(self, d_model: int, heads: int, shared: int, d_inner: int, base: float, epsilon: float) -> None:
        super().__init__(d_model, heads, heads, d_inner, base, epsilon)


class _NoGate(_LlamaBlock):
    def __init__(self, d_model: int, heads: int, shared: int, d_inner: int, base: float, epsilon: float) -> None:
        super().__init__(d_model, heads, shared, d_inner, base, epsilon)
        layers = {"inner": nn.Linear(d_model, d_inner), "output": nn.Linear(d_inner, d_model)}
        self.feed_forward = nn.ModuleDict(layers)


def _two_halves(self: _LlamaBlock, x: Tensor) -> Tensor:
    for norm, part in ((self.attention_norm, self.attention), (self.feed_forward_norm, self.feed_forward)):
        x = torch.add(part(norm(x)), x)
    return x


def _norm_by_hand(self: _LlamaBlock, x: Tensor) -> Tensor:
    def normed(states: Tensor, norm: Any) -> Tensor:
        return norm.weight * states * (states.square().mean(-1, keepdim=True) + norm.eps).rsqrt()

    x = x + self.attention(normed(x, self.attention_norm))
    return x + self.feed_forward(normed(x, self.feed_forward_norm))


def _in_one_line(self: Any, x: Tensor) -> Tensor:
    return (y := x + self.attention(self.attention_norm(x))) + self.feed_forward(self.feed_forward_norm(y))


def _steps(
    d_model: int, num_heads: int, num_key_value_heads: int, d_inner: int, base: float, epsilon: float, x: Tensor,
    *weights: Tensor,
) -> Mapping[str, Tensor]:  # fmt: skip
    made = _LlamaBlock(d_model, num_heads, num_key_value_heads, d_inner, base, epsilon)
    made.load_state_dict(dict(zip(dict(made.named_parameters()), weights, strict=True)))
    made.requires_grad_(False)
    normed = made.attention_norm(x)
    middle = x + made.attention(normed)
    return {
        "normed states": normed,
        "attention's results": made.attention(normed),
        "states after attention": middle,
        "normed states after attention": made.feed_forward_norm(middle),
        "results of the feed-forward network": made.feed_forward(made.feed_forward_norm(middle)),
    }


EXERCISE = Exercise(
    id="workshop.llama_block",
    title="A Llama's block",
    task="Write SmolLM2's block: your attention and a gated feed-forward network, each after an RMSNorm.",
    difficulty="medium",
    minutes=6,
    signature="LlamaBlock(torch.nn.Module)",
    docstring="Has `attention_norm` and `feed_forward_norm`, torch.nn.RMSNorm(d_model, eps=epsilon); `attention`,\n"
    "your GroupedAttention(d_model, num_heads, num_key_value_heads, base); `feed_forward`, the given\n"
    "GatedFeedForward(d_model, d_inner). Pre-norm, as your `Block`: each part reads normed states, and what\n"
    "it returns is added to the states. hidden_states (batch, position, d_model) → the same shape.",
    reference=_LlamaBlock,
    returns=DRIVE.outputs(Output("output", "batch position d_model")),
    cases=_cases,
    mistakes=(
        Mistake(
            "layer_norms",
            _LayerNorms,
            "Your norms are LayerNorms: they have biases and subtract the mean. A Llama has torch.nn.RMSNorm.",
        ),
        Mistake(
            "no_gate",
            _NoGate,
            "Your feed-forward network is the one of `Block`, with biases and without a gate; take GatedFeedForward.",
        ),
        Mistake(
            "own_keys",
            _OwnKeys,
            "You give your attention num_heads twice: there is a key for each head of queries, so `key` and `value` "
            "have the wrong shape.",
        ),
        Mistake("usual_base", _UsualBase, "Your attention turns with the base 10,000, whatever `base` says."),
        Mistake(
            "usual_epsilon",
            _UsualEpsilon,
            "Your norms do not get `epsilon`: torch.nn.RMSNorm takes a tiny one by itself.",
        ),
        Mistake(
            "post_norm",
            _running(_post_norm),
            "Your norms come after the sums, as in 2017; a Llama has them before its parts.",
        ),
        Mistake("swapped", _running(_swapped), "Your two norms have changed places."),
        Mistake("one_norm", _running(_one_norm), "You use `attention_norm` twice, and `feed_forward_norm` not at all."),
        Mistake(
            "no_second_norm",
            _running(_no_second_norm),
            "Your feed-forward network reads states that have not been normed.",
        ),
        Mistake("no_first_norm", _running(_no_first_norm), "Your attention reads states that have not been normed."),
        Mistake(
            "side_by_side",
            _running(_side_by_side),
            "Your feed-forward network reads what came into the block; what attention added does not reach it.",
        ),
        Mistake("no_residuals", _running(_no_residuals), "Neither of your two parts has its input added."),
        Mistake(
            "no_first_residual",
            _running(_no_first_residual),
            "The result of attention goes on alone: the states are not added to it.",
        ),
        Mistake(
            "no_second_residual",
            _running(_no_second_residual),
            "The result of the feed-forward network goes on alone: the states are not added to it.",
        ),
        Mistake("network_first", _running(_network_first), "Your feed-forward network comes before attention."),
        Mistake(
            "normed_residuals",
            _running(_normed_residuals),
            "You add the results to the normed states; they should be added to the states before the norm.",
        ),
    ),
    alternatives={
        "a loop over the halves": _running(_two_halves),
        "norms by hand": _running(_norm_by_hand),
        "in one line": _running(_in_one_line),
    },
    hints=(
        "It is your `Block` with other parts: the two lines of `forward` stay as they are.",
        "`torch.nn.RMSNorm(d_model, eps=epsilon)` twice, `GroupedAttention(…)`, `GatedFeedForward(…)`: four lines in "
        "`__init__`, after `super().__init__()`.",
        "`hidden_states = hidden_states + self.attention(self.attention_norm(hidden_states))`, and the same with the "
        "feed-forward network.",
    ),
    solution="\n"
    "def __init__(\n"
    "    self, d_model: int, num_heads: int, num_key_value_heads: int, d_inner: int, base: float, epsilon: float\n"
    ") -> None:\n"
    "    super().__init__()\n"
    "    self.attention_norm = torch.nn.RMSNorm(d_model, eps=epsilon)\n"
    "    self.attention = GroupedAttention(d_model, num_heads, num_key_value_heads, base)\n"
    "    self.feed_forward_norm = torch.nn.RMSNorm(d_model, eps=epsilon)\n"
    "    self.feed_forward = GatedFeedForward(d_model, d_inner)\n"
    "\n"
    "def forward(self, hidden_states: Tensor) -> Tensor:\n"
    "    hidden_states = hidden_states + self.attention(self.attention_norm(hidden_states))\n"
    "    return hidden_states + self.feed_forward(self.feed_forward_norm(hidden_states))",
    explanation="Between your GPT's block and SmolLM2's only the parts differ, not the wiring: a norm without a mean, "
    "positions that turn, shared keys, a gate. That is most of what changed between 2019 and 2024.",
    stages=_steps,
    methods=(
        "__init__(\n"
        "    self, d_model: int, num_heads: int, num_key_value_heads: int, d_inner: int, base: float, epsilon: float\n"
        ") -> None",
        "forward(self, hidden_states: Tensor) -> Tensor",
    ),
    drive=DRIVE,
    uses=("workshop.grouped_attention",),
)
