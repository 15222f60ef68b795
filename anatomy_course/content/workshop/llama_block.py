"""Notebook 08: the block of which SmolLM2 has thirty."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from anatomy_course.capstone.program.given.gated import GatedFeedForward
from anatomy_course.content.sizes import normal, primes
from anatomy_course.content.workshop.versions import llama_block as llama
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output
from anatomy_course.judge.effects.module import ModuleDrive


class _LlamaBlock(llama.LlamaBlock):
    """The reference; its name is private, as that of every reference that is in no room of functions."""


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
    "GatedFeedForward(d_model, d_inner). Pre-norm, as in your `Block`: each part reads normed states, and what\n"
    "it returns is added to the states. hidden_states (batch, position, d_model) → the same shape.",
    reference=_LlamaBlock,
    returns=DRIVE.outputs(Output("output", "batch position d_model")),
    cases=_cases,
    mistakes=(
        Mistake(
            "layer_norms",
            llama.LayerNorms,
            "Your norms are LayerNorms: they have biases and subtract the mean. A Llama has torch.nn.RMSNorm.",
        ),
        Mistake(
            "no_gate",
            llama.NoGate,
            "Your feed-forward network is the one of `Block`, with biases and without a gate; take GatedFeedForward.",
        ),
        Mistake(
            "own_keys",
            llama.OwnKeys,
            "Your attention has a key for each head of queries, as if it were given num_heads twice, so `key` and "
            "`value` have the wrong shape.",
        ),
        Mistake(
            "usual_width",
            llama.UsualWidth,
            "Your feed-forward network is 4 · d_model wide inside, whatever `d_inner` says.",
        ),
        Mistake(
            "usual_base", llama.BlockOfUsualBase, "Your attention turns with the base 10,000, whatever `base` says."
        ),
        Mistake(
            "usual_epsilon",
            llama.UsualEpsilon,
            "Your norms do not get `epsilon`: torch.nn.RMSNorm takes a tiny one by itself.",
        ),
        Mistake(
            "post_norm",
            llama.running(llama.post_norm),
            "Your norms come after the sums, as in 2017; a Llama has them before its parts.",
        ),
        Mistake("swapped", llama.running(llama.swapped), "Your two norms have changed places."),
        Mistake(
            "one_norm",
            llama.running(llama.one_norm),
            "In your output `attention_norm` is used twice; nothing of `feed_forward_norm` reaches it.",
        ),
        Mistake(
            "no_second_norm",
            llama.running(llama.no_second_norm),
            "Your feed-forward network reads states that have not been normed.",
        ),
        Mistake(
            "no_first_norm",
            llama.running(llama.no_first_norm),
            "Your attention reads states that have not been normed.",
        ),
        Mistake(
            "side_by_side",
            llama.running(llama.side_by_side),
            "Your feed-forward network reads what came into the block; what attention added does not reach it.",
        ),
        Mistake(
            "no_residuals",
            llama.running(llama.no_residuals),
            "In your output, neither of the two parts has its input added.",
        ),
        Mistake(
            "no_first_residual",
            llama.running(llama.no_first_residual),
            "The result of attention goes on alone, as if the states were not added to it.",
        ),
        Mistake(
            "no_second_residual",
            llama.running(llama.no_second_residual),
            "The result of the feed-forward network goes on alone, as if the states were not added to it.",
        ),
        Mistake(
            "second_residual_from_below",
            llama.running(llama.second_residual_from_below),
            "Your second sum adds to what came into the block, so attention's result is lost from it.",
        ),
        Mistake(
            "network_first", llama.running(llama.network_first), "Your feed-forward network comes before attention."
        ),
        Mistake(
            "normed_residuals",
            llama.running(llama.normed_residuals),
            "You add the results to the normed states; they should be added to the states before the norm.",
        ),
        Mistake(
            "first_residual_normed",
            llama.running(llama.first_residual_normed),
            "Attention's result is added to the normed states; it should be added to those before the norm.",
        ),
        Mistake(
            "second_residual_normed",
            llama.running(llama.second_residual_normed),
            "The feed-forward network's result is added to the normed states; it should be added to those before the "
            "norm.",
        ),
    ),
    also_right={
        "a loop over the halves": llama.running(llama.two_halves),
        "norms by hand": llama.running(llama.norm_by_hand),
        "in one line": llama.running(llama.in_one_line),
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
    observe=DRIVE,
    uses=("workshop.grouped_attention",),
)
