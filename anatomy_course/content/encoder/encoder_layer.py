"""Notebook 03: a whole encoder layer."""

from collections.abc import Mapping

from anatomy_course.content.encoder.shared import ENCODER_LAYER_CASES
from anatomy_course.content.writing import Tensor, written


def encoder_layer(
    hidden_states: Tensor, self_attention, feed_forward, attention_norm, feed_forward_norm
) -> Tensor:  # fmt: skip
    """Four functions, each from (batch, position, d_model) to the same shape
    → output (batch, position, d_model). Attention first; each norm after its sum.
    """
    hidden_states = attention_norm(hidden_states + self_attention(hidden_states))
    return feed_forward_norm(hidden_states + feed_forward(hidden_states))


def stages(x: Tensor, attend, feed, attention_norm, feed_forward_norm) -> Mapping[str, Tensor]:
    middle = attention_norm(x + attend(x))
    return {
        "attention's result": attend(x),
        "first sum": x + attend(x),
        "states after attention": middle,
        "feed-forward's result": feed(middle),
        "second sum": middle + feed(middle),
    }


EXERCISE = written(
    encoder_layer,
    same_as="anatomy_utils.functional.layers.encoder_layer",
    title="An encoder layer",
    task="Put an encoder layer together: attention, then feed-forward, each added to its own input and normed after "
    "the sum.",
    level="medium, 4 minutes",
    returns="output: position d_model",
    cases=ENCODER_LAYER_CASES,
    stages=stages,
    mistakes="""
    no_residuals: hidden_states + ⇒
        “Your output is that of a layer in which neither sub-layer has its input added.”
    second_residual_from_below:
        hidden_states = attention_norm ⇒ middle = attention_norm
        feed_forward(hidden_states) ⇒ feed_forward(middle)
        “Your second sum adds the layer's input again, not the output of the first half.”
    in_parallel: feed_forward_norm(hidden_states + self_attention(hidden_states) + feed_forward(hidden_states))
        “Both sub-layers work on the layer's input, and you add all three.”
    feed_forward_first:
        hidden_states = feed_forward_norm(hidden_states + feed_forward(hidden_states))
        return attention_norm(hidden_states + self_attention(hidden_states))
        “Your halves are swapped: the feed-forward network comes first.”
    norms_swapped:
        = attention_norm ⇒ = feed_forward_norm
        return feed_forward_norm ⇒ return attention_norm
        “Your two norms are swapped.”
    norms_before:
        hidden_states = hidden_states + self_attention(attention_norm(hidden_states))
        return hidden_states + feed_forward(feed_forward_norm(hidden_states))
        “Your norms come before the sub-layers (pre-norm); this layer has them after the sums.”
    half_and_half:
        return feed_forward_norm(hidden_states + feed_forward(hidden_states)) ⇒
            return hidden_states + feed_forward(feed_forward_norm(hidden_states))
        “Your first half is right; in the second the norm comes before the sub-layer, not after the sum.”
    branches_normed:
        hidden_states = hidden_states + attention_norm(self_attention(hidden_states))
        return hidden_states + feed_forward_norm(feed_forward(hidden_states))
        “You apply the norms to the sub-layers' outputs, before they are added.”
    """,
    also_right="""
    two residual connections:
        residual = lambda x, sublayer, norm: norm(x + sublayer(x))
        return residual(residual(hidden_states, self_attention, attention_norm), feed_forward, feed_forward_norm)
    in steps:
        attended = self_attention(hidden_states)
        middle = attention_norm(attended + hidden_states)
        fed = feed_forward(middle)
        return feed_forward_norm(middle + fed)
    in a loop:
        for part, norm in ((self_attention, attention_norm), (feed_forward, feed_forward_norm)):
            hidden_states = norm(torch.add(part(hidden_states), hidden_states))
        return hidden_states
    """,
    hints="""
    - You have already written one half: a sub-layer, its input added, then a norm. A layer has two such halves.
    - The output of the first half is used twice: the feed-forward network reads it, and it is added to the network's
      output.
    - `hidden_states = attention_norm(hidden_states + self_attention(hidden_states))`; the second line has the same
      form.
    """,
    explanation="""
    Section 3.1 of the 2017 paper, the whole encoder layer. Attention moves information between words, the feed-forward
    network works on what each word has gathered, and thanks to the residual connections each of the two only has to
    compute a change.
    """,
)
