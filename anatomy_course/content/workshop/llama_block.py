"""Notebook 10: the block of which SmolLM2 has thirty."""

import torch

from anatomy_course.capstone.program.given.gated import GatedFeedForward
from anatomy_course.content.workshop.grouped_attention import GroupedAttention
from anatomy_course.content.workshop.shared import WIRED_OTHERWISE, WIRING_MISTAKES, halves
from anatomy_course.content.writing import Case, Cases, Generator, ModuleDrive, Output, Tensor, normal, primes, written


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


def cases(generator: Generator) -> Cases:
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
    usual_base: num_key_value_heads, base) ⇒ num_key_value_heads, 10_000.0)
        “Your attention turns with the base 10,000, whatever `base` says.”
    usual_epsilon: , eps=epsilon ⇒
        “Your norms do not get `epsilon`: torch.nn.RMSNorm takes a tiny one by itself.”
    post_norm:
        hidden_states + self.attention(self.attention_norm( ⇒ self.attention_norm(hidden_states + self.attention(
        hidden_states + self.feed_forward(self.feed_forward_norm( ⇒
            self.feed_forward_norm(hidden_states + self.feed_forward(
        “Your norms come after the sums, as in 2017; a Llama has them before its parts.”
    """
    + WIRING_MISTAKES,
    also_right=WIRED_OTHERWISE
    + """
    norms by hand:
        def forward(self, x):
            x = x + self.attention(self.normed(x, self.attention_norm))
            return x + self.feed_forward(self.normed(x, self.feed_forward_norm))
        def normed(self, states, norm):
            return norm.weight * states * (states.square().mean(-1, keepdim=True) + norm.eps).rsqrt()
    """,
    again="""
    hidden_states = hidden_states + self.attention(self.attention_norm(hidden_states)) ⇒
        attended = self.attention(self.attention_norm(hidden_states))
    return hidden_states + ⇒ return hidden_states + attended +
        “This time both parts read what came in, side by side, each through its own norm, and both results are added
        to it.”
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
