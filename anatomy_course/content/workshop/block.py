"""Notebook 10: a block in pre-norm, put together from the learner's own attention and feed-forward network."""

import torch

from anatomy_course.content.workshop.causal_self_attention import CausalSelfAttention
from anatomy_course.content.workshop.feed_forward import FeedForward
from anatomy_course.content.workshop.shared import WIRED_OTHERWISE, WIRING_MISTAKES, halves
from anatomy_course.content.writing import Case, Cases, Generator, ModuleDrive, Output, Tensor, normal, primes, written


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


def cases(generator: Generator) -> Cases:
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
    outputs_normed:
        self.attention(self.attention_norm( ⇒ self.attention_norm(self.attention(
        self.feed_forward(self.feed_forward_norm( ⇒ self.feed_forward_norm(self.feed_forward(
        “You norm what the parts give, before it is added; norm what they are given.”
    half_a_block: return hidden_states + self.feed_forward(self.feed_forward_norm(hidden_states)) ⇒ return hidden_states
        “The first half is right; nothing of the feed-forward network reaches your output.”
    residual_detached: hidden_states + self.attention ⇒ hidden_states.detach() + self.attention
        “Your output is right, but no gradient goes through the first residual connection: something cuts it off, such
        as `detach` or `.data`.”
    """
    + WIRING_MISTAKES,
    also_right=WIRED_OTHERWISE,
    again="""
    hidden_states = hidden_states + self.attention(self.attention_norm(hidden_states)) ⇒
        attended = self.attention(self.attention_norm(hidden_states))
    return hidden_states + ⇒ return hidden_states + attended +
        “This time both parts read what came in, side by side, each through its own norm, and both results are added
        to it.”
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
