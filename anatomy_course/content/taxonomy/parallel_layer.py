"""Notebook 07: GPT-J's parallel layer, whose two sub-layers do not wait for each other."""

from anatomy_course.content.encoder.shared import layer_cases
from anatomy_course.content.writing import Tensor, and_short, written


def parallel_layer(hidden_states: Tensor, self_attention, feed_forward, norm) -> Tensor:
    """hidden_states (batch, position, d_model); the three others are functions of such states
    → the layer's output, of the same shape.
    """
    normed = norm(hidden_states)
    return hidden_states + self_attention(normed) + feed_forward(normed)


EXERCISE = written(
    parallel_layer,
    same_as="anatomy_utils.functional.layers.parallel_layer",
    title="A parallel layer",
    task="Norm the states once, give them to self-attention and to the feed-forward network, and add both results to "
    "what came in.",
    level="easy, 2 minutes",
    returns="output: batch position d_model",
    cases=and_short(
        layer_cases(self_attention="self-attention", feed_forward="a feed-forward network", norm="a norm"),
        "position",
        "texts of one word",
    ),
    stages="""
    normed states: normed
    attention's results: self_attention(normed)
    feed-forward network's results: feed_forward(normed)
    """,
    mistakes="""
    one_after_the_other:
        attended = hidden_states + self_attention(norm(hidden_states))
        return attended + feed_forward(norm(attended))
        “You norm twice: your feed-forward network reads the states to which attention's result has been added, as in
        the pre-norm layer of notebook 03. Both should read the same normed states.”
    fed_with_what_was_attended: self_attention(normed) + feed_forward(normed) ⇒ feed_forward(self_attention(normed))
        “Your feed-forward network reads what attention gives, and nothing else is added to the states.”
    fed_with_the_sum: self_attention(normed) + feed_forward(normed) ⇒ feed_forward(normed + self_attention(normed))
        “Your feed-forward network reads the normed states with attention's result added to them; each of the two should
        read the normed states, and both results be added to what came in.”
    residual_twice: result + hidden_states
        “What came in is in your sum twice, as if once with each sub-layer.”
    normed_residual_in_turn:
        normed = norm(hidden_states)
        attended = normed + self_attention(normed)
        return attended + feed_forward(attended)
        “Two things at once: what came in is lost, because you go on from the normed states, and your feed-forward
        network reads what attention has added to them.”
    feed_without_norm: feed_forward(normed) ⇒ feed_forward(hidden_states)
        “Your feed-forward network reads states that have not been normed.”
    attention_without_norm: self_attention(normed) ⇒ self_attention(hidden_states)
        “Your self-attention reads states that have not been normed.”
    no_norm: norm(hidden_states) ⇒ hidden_states
        “Your result is that of a layer without any norm: whatever you norm does not reach it.”
    norm_behind (no_norm): norm(result)
        “Your norm comes after the sum, as in 2017; here it comes before both sub-layers.”
    averaged: self_attention(normed) + feed_forward(normed) ⇒ (self_attention(normed) + feed_forward(normed)) / 2
        “You add the mean of the two results; it should be their sum.”
    norm_of_each: hidden_states + norm(self_attention(hidden_states)) + norm(feed_forward(hidden_states))
        “You norm what the sub-layers give; what they read should be normed.”
    """,
    also_right="""
    one line: hidden_states + self_attention(norm(hidden_states)) + feed_forward(norm(hidden_states))
    in steps: torch.add(self_attention(norm(hidden_states)), feed_forward(norm(hidden_states))).add(hidden_states)
    a sum: torch.stack([hidden_states, *(part(norm(hidden_states)) for part in (self_attention, feed_forward))]).sum(0)
    """,
    hints="""
    - Draw three arrows from the states that come in to one plus: one goes straight, the two others through a sub-layer
      each. Where does the norm go?
    - Keep the normed states in a variable; both sub-layers read it, and neither reads the other's result.
    - `normed = norm(hidden_states)`, then a sum of three.
    """,
    explanation="""
    Wang and Komatsuzaki 2021. Many chips can compute the two at the same time, and one norm is saved. What attention
    found reaches the feed-forward network one layer later; with dozens of layers that makes little difference.
    """,
)
