"""Notebook 08: the block of which SmolLM2 has thirty."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from anatomy_course.capstone.program.given.gated import GatedFeedForward
from anatomy_course.content.sizes import normal, primes
from anatomy_course.content.workshop.grouped_attention import GroupedAttention
from anatomy_course.content.workshop.shared import halves
from anatomy_course.judge.definition import Case, Output
from anatomy_course.judge.effects.module import ModuleDrive
from anatomy_course.judge.form import written


class LlamaBlock(torch.nn.Module):
    """Has `attention_norm` and `feed_forward_norm`, torch.nn.RMSNorm(d_model, eps=epsilon); `attention`,
    your GroupedAttention(d_model, num_heads, num_key_value_heads, base); `feed_forward`, the given
    GatedFeedForward(d_model, d_inner). Pre-norm, as in your `Block`: each part reads normed states, and what
    it returns is added to the states. hidden_states (batch, position, d_model) → the same shape.
    """

    def __init__(
        self, d_model: int, num_heads: int, num_key_value_heads: int, d_inner: int, base: float, epsilon: float
    ) -> None:
        super().__init__()
        self.attention_norm = torch.nn.RMSNorm(d_model, eps=epsilon)
        self.attention = GroupedAttention(d_model, num_heads, num_key_value_heads, base)
        self.feed_forward_norm = torch.nn.RMSNorm(d_model, eps=epsilon)
        self.feed_forward = GatedFeedForward(d_model, d_inner)

    def forward(self, hidden_states: Tensor) -> Tensor:
        hidden_states = hidden_states + self.attention(self.attention_norm(hidden_states))
        return hidden_states + self.feed_forward(self.feed_forward_norm(hidden_states))


DRIVE = ModuleDrive(
    LlamaBlock,
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


def cases(generator: torch.Generator) -> Iterator[Case]:
    for kind, (shared, group, base, epsilon) in KINDS.items():
        batch, position, d_inner = primes(generator, 3, (5, 7, 11))
        batch, heads = 1 if kind == "one text" else batch, shared * group
        d_model = 4 * heads
        numbers = (d_model, heads, shared, d_inner, base, epsilon)
        construct = dict(zip(DRIVE.construct, numbers, strict=True))
        states = {"hidden_states": normal(generator, batch, position, d_model)}
        sizes = {"batch": batch, "position": position, "d_model": d_model, "heads": heads, "d_inner": d_inner}
        yield Case(DRIVE.arguments(generator, construct, states), kind, sizes)


EXERCISE = written(
    LlamaBlock,
    title="A Llama's block",
    task="Write SmolLM2's block: your attention and a gated feed-forward network, each after an RMSNorm.",
    level="medium, 6 minutes",
    returns=DRIVE.outputs(Output("output", "batch position d_model")),
    cases=cases,
    observe=DRIVE,
    uses="workshop.grouped_attention",
    stages=halves(
        DRIVE,
        "normed states; attention's results; states after attention; normed states after attention; "
        "results of the feed-forward network",
    ),
    mistakes="""
    layer_norms: RMSNorm ⇒ LayerNorm
        “Your norms are LayerNorms: they have biases and subtract the mean. A Llama has torch.nn.RMSNorm.”
    no_gate:
        self.feed_forward = GatedFeedForward(d_model, d_inner) ⇒
            layers = {"inner": torch.nn.Linear(d_model, d_inner), "output": torch.nn.Linear(d_inner, d_model)}
            self.feed_forward = torch.nn.ModuleDict(layers)
        “Your feed-forward network is the one of `Block`, with biases and without a gate; take GatedFeedForward.”
    own_keys: num_heads, num_key_value_heads, base) ⇒ num_heads, num_heads, base)
        “Your attention has a key for each head of queries, as if it were given num_heads twice, so `key` and `value`
        have the wrong shape.”
    usual_width: (d_model, d_inner) ⇒ (d_model, 4 * d_model)
        “Your feed-forward network is 4 · d_model wide inside, whatever `d_inner` says.”
    usual_base: num_key_value_heads, base) ⇒ num_key_value_heads, 10_000.0)
        “Your attention turns with the base 10,000, whatever `base` says.”
    usual_epsilon: , eps=epsilon ⇒
        “Your norms do not get `epsilon`: torch.nn.RMSNorm takes a tiny one by itself.”
    post_norm:
        hidden_states + self.attention(self.attention_norm( ⇒ self.attention_norm(hidden_states + self.attention(
        hidden_states + self.feed_forward(self.feed_forward_norm( ⇒
            self.feed_forward_norm(hidden_states + self.feed_forward(
        “Your norms come after the sums, as in 2017; a Llama has them before its parts.”
    swapped:
        attention(self.attention_norm ⇒ attention(self.feed_forward_norm
        feed_forward(self.feed_forward_norm ⇒ feed_forward(self.attention_norm
        “Your two norms have changed places.”
    one_norm: feed_forward(self.feed_forward_norm ⇒ feed_forward(self.attention_norm
        “In your output `attention_norm` is used twice; nothing of `feed_forward_norm` reaches it.”
    no_second_norm: self.feed_forward_norm(hidden_states) ⇒ hidden_states
        “Your feed-forward network reads states that have not been normed.”
    no_first_norm: self.attention_norm(hidden_states) ⇒ hidden_states
        “Your attention reads states that have not been normed.”
    side_by_side:
        hidden_states = ⇒ attended =
        return hidden_states ⇒ return attended
        “Your feed-forward network reads what came into the block; what attention added does not reach it.”
    no_residuals: hidden_states + ⇒
        “In your output, neither of the two parts has its input added.”
    no_first_residual: hidden_states + self.attention ⇒ self.attention
        “The result of attention goes on alone, as if the states were not added to it.”
    no_second_residual: hidden_states + self.feed_forward ⇒ self.feed_forward
        “The result of the feed-forward network goes on alone, as if the states were not added to it.”
    second_residual_from_below:
        hidden_states = ⇒ attended =
        feed_forward_norm(hidden_states) ⇒ feed_forward_norm(attended)
        “Your second sum adds to what came into the block, so attention's result is lost from it.”
    network_first:
        def forward(self, hidden_states):
            hidden_states = hidden_states + self.feed_forward(self.feed_forward_norm(hidden_states))
            return hidden_states + self.attention(self.attention_norm(hidden_states))
        “Your feed-forward network comes before attention.”
    normed_residuals:
        hidden_states + self.attention ⇒ self.attention_norm(hidden_states) + self.attention
        hidden_states + self.feed_forward ⇒ self.feed_forward_norm(hidden_states) + self.feed_forward
        “You add the results to the normed states; they should be added to the states before the norm.”
    first_residual_normed: hidden_states + self.attention ⇒ self.attention_norm(hidden_states) + self.attention
        “Attention's result is added to the normed states; it should be added to those before the norm.”
    second_residual_normed:
        hidden_states + self.feed_forward ⇒ self.feed_forward_norm(hidden_states) + self.feed_forward
        “The feed-forward network's result is added to the normed states; it should be added to those before the norm.”
    """,
    also_right="""
    a loop over the halves:
        def forward(self, x):
            for norm, part in ((self.attention_norm, self.attention), (self.feed_forward_norm, self.feed_forward)):
                x = torch.add(part(norm(x)), x)
            return x
    norms by hand:
        def forward(self, x):
            x = x + self.attention(self.normed(x, self.attention_norm))
            return x + self.feed_forward(self.normed(x, self.feed_forward_norm))
        def normed(self, states, norm):
            return norm.weight * states * (states.square().mean(-1, keepdim=True) + norm.eps).rsqrt()
    in one line:
        def forward(self, x):
            return (y := x + self.attention(self.attention_norm(x))) + self.feed_forward(self.feed_forward_norm(y))
    """,
    hints="""
    - It is your `Block` with other parts: the two lines of `forward` stay as they are.
    - `torch.nn.RMSNorm(d_model, eps=epsilon)` twice, `GroupedAttention(…)`, `GatedFeedForward(…)`: four lines in
      `__init__`, after `super().__init__()`.
    - `hidden_states = hidden_states + self.attention(self.attention_norm(hidden_states))`, and the same with the
      feed-forward network.
    """,
    explanation="""
    Between your GPT's block and SmolLM2's only the parts differ, not the wiring: a norm without a mean, positions that
    turn, shared keys, a gate. That is most of what changed between 2019 and 2024.
    """,
)
