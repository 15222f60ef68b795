"""Notebook 08: a block in pre-norm, put together from the learner's own attention and feed-forward network."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from anatomy_course.content.sizes import normal, primes
from anatomy_course.content.workshop.causal_self_attention import CausalSelfAttention
from anatomy_course.content.workshop.feed_forward import FeedForward
from anatomy_course.content.workshop.shared import halves
from anatomy_course.judge.definition import Case, Output
from anatomy_course.judge.effects.module import ModuleDrive
from anatomy_course.judge.form import written


class Block(torch.nn.Module):
    """Has `attention_norm` and `feed_forward_norm`, each a torch.nn.LayerNorm of d_model features, and
    `attention`, a CausalSelfAttention(d_model, num_heads), and `feed_forward`, a
    FeedForward(d_model, d_inner); both classes are those above. Pre-norm, attention first.
    hidden_states (batch, position, d_model) → the same shape.
    """

    def __init__(self, d_model: int, num_heads: int, d_inner: int) -> None:
        super().__init__()
        self.attention_norm = torch.nn.LayerNorm(d_model)
        self.attention = CausalSelfAttention(d_model, num_heads)
        self.feed_forward_norm = torch.nn.LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_inner)

    def forward(self, hidden_states: Tensor) -> Tensor:
        hidden_states = hidden_states + self.attention(self.attention_norm(hidden_states))
        return hidden_states + self.feed_forward(self.feed_forward_norm(hidden_states))


DRIVE = ModuleDrive(
    Block,
    construct=("d_model", "num_heads", "d_inner"),
    inputs=("hidden_states",),
    gradients=("attention.value.weight", "feed_forward.inner.weight", "hidden_states"),
    packed=True,
)
SMALL = "small states"


def cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("a batch of texts", "one text", "one position", SMALL):
        heads, d_head = primes(generator, 2, (2, 3))
        batch, position, d_inner = primes(generator, 3, (5, 7, 11))
        batch, position = 1 if kind == "one text" else batch, 1 if kind == "one position" else position
        construct = {"d_model": heads * d_head, "num_heads": heads, "d_inner": d_inner}
        height = 0.003 if kind == SMALL else 2  # so small that a norm's epsilon shows
        inputs = {"hidden_states": height * normal(generator, batch, position, heads * d_head)}
        sizes = {"batch": batch, "position": position, "heads": heads, "d_model": heads * d_head, "d_inner": d_inner}
        yield Case(DRIVE.arguments(generator, construct, inputs), kind, sizes)


EXERCISE = written(
    Block,
    title="A block",
    task="Put attention and the feed-forward network together: each works on normed states and is added to what came "
    "in.",
    level="medium, 6 minutes",
    returns=DRIVE.outputs(Output("output", "position d_model")),
    cases=cases,
    observe=DRIVE,
    uses="workshop.causal_self_attention workshop.feed_forward",
    stages=halves(
        DRIVE,
        "states after the first norm; output of attention; states after attention; states after the second norm; "
        "output of the feed-forward network",
    ),
    mistakes="""
    post_norm:
        hidden_states + self.attention(self.attention_norm( ⇒ self.attention_norm(hidden_states + self.attention(
        hidden_states + self.feed_forward(self.feed_forward_norm( ⇒
            self.feed_forward_norm(hidden_states + self.feed_forward(
        “Your norms come after the sums (post-norm, as in 2017); here they come before the parts.”
    no_residuals: hidden_states + ⇒
        “In your output, neither of the two parts has its input added.”
    no_first_residual: hidden_states + self.attention ⇒ self.attention
        “Attention's output goes on alone, as if there were no first residual connection.”
    no_second_residual: hidden_states + self.feed_forward ⇒ self.feed_forward
        “The feed-forward network's output goes on alone, as if there were no second residual connection.”
    second_residual_from_below:
        hidden_states = ⇒ attended =
        feed_forward_norm(hidden_states) ⇒ feed_forward_norm(attended)
        “Your second sum adds to what came into the block, so attention's output is lost from it.”
    normed_residuals:
        hidden_states + self.attention ⇒ self.attention_norm(hidden_states) + self.attention
        hidden_states + self.feed_forward ⇒ self.feed_forward_norm(hidden_states) + self.feed_forward
        “You add to the normed states; what is added to should be the states before the norm.”
    first_residual_normed: hidden_states + self.attention ⇒ self.attention_norm(hidden_states) + self.attention
        “Attention's result is added to the normed states; it should be added to those before the norm.”
    second_residual_normed:
        hidden_states + self.feed_forward ⇒ self.feed_forward_norm(hidden_states) + self.feed_forward
        “The feed-forward network's result is added to the normed states; it should be added to those before the norm.”
    side_by_side:
        hidden_states = ⇒ attended =
        return hidden_states ⇒ return attended
        “Your feed-forward network reads what came into the block; what attention added does not reach it.”
    feed_forward_first:
        def forward(self, hidden_states):
            hidden_states = hidden_states + self.feed_forward(self.feed_forward_norm(hidden_states))
            return hidden_states + self.attention(self.attention_norm(hidden_states))
        “Your halves have changed places: the feed-forward network comes first.”
    norms_swapped:
        attention(self.attention_norm ⇒ attention(self.feed_forward_norm
        feed_forward(self.feed_forward_norm ⇒ feed_forward(self.attention_norm
        “Your two norms have changed places.”
    one_norm_twice: feed_forward(self.feed_forward_norm ⇒ feed_forward(self.attention_norm
        “In your output `attention_norm` is used twice; nothing of `feed_forward_norm` reaches it.”
    no_first_norm: self.attention_norm(hidden_states) ⇒ hidden_states
        “Your attention reads states that have not been normed.”
    no_second_norm: self.feed_forward_norm(hidden_states) ⇒ hidden_states
        “Your feed-forward network reads states that have not been normed.”
    outputs_normed:
        self.attention(self.attention_norm( ⇒ self.attention_norm(self.attention(
        self.feed_forward(self.feed_forward_norm( ⇒ self.feed_forward_norm(self.feed_forward(
        “You norm what the parts give, before it is added; norm what they are given.”
    half_a_block: return hidden_states + self.feed_forward(self.feed_forward_norm(hidden_states)) ⇒ return hidden_states
        “The first half is right; nothing of the feed-forward network reaches your output.”
    usual_width: (d_model, d_inner) ⇒ (d_model, 4 * d_model)
        “Your feed-forward network is 4 · d_model wide inside, whatever `d_inner` says.”
    one_norm: self.feed_forward_norm = torch.nn.LayerNorm(d_model) ⇒ self.feed_forward_norm = self.attention_norm
        “Your two norms are one and the same; each half needs weights of its own.”
    residual_detached: hidden_states + self.attention ⇒ hidden_states.detach() + self.attention
        “Your output is right, but no gradient goes through the first residual connection: something cuts it off, such
        as `detach` or `.data`.”
    """,
    also_right="""
    in halves:
        def forward(self, hidden_states):
            return self.second_half(self.first_half(hidden_states))
        def first_half(self, states):
            return states + self.attention(self.attention_norm(states))
        def second_half(self, states):
            return states + self.feed_forward(self.feed_forward_norm(states))
    in a loop:
        def forward(self, hidden_states):
            for name in ("attention", "feed_forward"):
                norm, part = getattr(self, f"{name}_norm"), getattr(self, name)
                hidden_states = part(norm(hidden_states)) + hidden_states
            return hidden_states
    in one sum:
        hidden_states = hidden_states + ⇒ attended =
        feed_forward_norm(hidden_states) ⇒ feed_forward_norm(hidden_states + attended)
        return hidden_states + ⇒ return hidden_states + attended +
    """,
    hints="""
    - Two halves of one form: states + part(norm(states)). The second half begins with the sum of the first.
    - In `__init__`, `torch.nn.LayerNorm(d_model)` makes a norm, and `CausalSelfAttention(d_model, num_heads)` is your
      class from above.
    - `hidden_states = hidden_states + self.attention(self.attention_norm(hidden_states))`; the second half has the same
      form.
    """,
    explanation="""
    This is the block of GPT-2 and, with other parts, of every Llama. The sums form one path from bottom to top on which
    nothing is normed, and that lets many blocks be trained on top of each other.
    """,
)
