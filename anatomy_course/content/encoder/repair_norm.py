"""Notebook 03's second case: find out what is wrong with `colleagues_layer`, and write it right."""

from collections.abc import Mapping

from anatomy_course.content.encoder.shared import ENCODER_LAYER_CASES
from anatomy_course.content.writing import Tensor, written
from anatomy_utils.functional.layers import pre_norm_layer


def repaired_layer(
    hidden_states: Tensor, self_attention, feed_forward, attention_norm, feed_forward_norm
) -> Tensor:  # fmt: skip
    """Four functions, each from (batch, position, d_model) to the same shape
    → output (batch, position, d_model).
    """
    hidden_states = hidden_states + self_attention(attention_norm(hidden_states))
    return hidden_states + feed_forward(feed_forward_norm(hidden_states))


def stages(x: Tensor, attend, feed, attention_norm, feed_forward_norm) -> Mapping[str, Tensor]:
    middle = x + attend(attention_norm(x))
    return {
        "normed input": attention_norm(x),
        "attention's result": attend(attention_norm(x)),
        "states after attention": middle,
        "normed states": feed_forward_norm(middle),
        "feed-forward's result": feed(feed_forward_norm(middle)),
    }


EXERCISE = written(
    repaired_layer,
    same_as=pre_norm_layer,
    title="The case: a colleague's layer",
    task="Write the pre-norm layer that `colleagues_layer` should have been.",
    level="medium, 4 minutes",
    returns="output: position d_model",
    cases=ENCODER_LAYER_CASES,
    stages=stages,
    mistakes="""
    unchanged:
        from anatomy_course.lab.debugging.colleague.norm_placement import colleagues_layer
        return colleagues_layer(hidden_states, self_attention, feed_forward, attention_norm, feed_forward_norm)
        “This is what the patient computes: the sub-layers' outputs are still added to the normed states.”
    first_half_only: return hidden_states ⇒ return feed_forward_norm(hidden_states)
        “Attention's half is repaired; the feed-forward network's half still adds to the normed states.”
    second_half_only: = hidden_states ⇒ = attention_norm(hidden_states)
        “The feed-forward network's half is repaired; attention's half still adds to the normed states.”
    post_norm:
        hidden_states = attention_norm(hidden_states + self_attention(hidden_states))
        return feed_forward_norm(hidden_states + feed_forward(hidden_states))
        “Your norms come after the sums: that is the layer of 2017, and it has the same problem.”
    first_half_after:
        = hidden_states + self_attention(attention_norm(hidden_states)) ⇒
            = attention_norm(hidden_states + self_attention(hidden_states))
        “The feed-forward network's half is repaired; in attention's half the norm now comes after the sum.”
    branches_normed:
        hidden_states = hidden_states + attention_norm(self_attention(hidden_states))
        return hidden_states + feed_forward_norm(feed_forward(hidden_states))
        “The path around the sub-layers is free now, but your norms come after the sub-layers, not before.”
    no_norms:
        attention_norm(hidden_states) ⇒ hidden_states
        feed_forward_norm(hidden_states) ⇒ hidden_states
        “The path around the sub-layers is free now, but no norm acts on your result.”
    norms_swapped:
        self_attention(attention_norm ⇒ self_attention(feed_forward_norm
        feed_forward(feed_forward_norm ⇒ feed_forward(attention_norm
        “Your layer is repaired, but its two norms are swapped.”
    in_parallel:
        hidden_states = hidden_states + self_attention ⇒ attended = self_attention
        return hidden_states ⇒ return hidden_states + attended
        “Both of your sub-layers work on the layer's input: the feed-forward network does not see what attention found.”
    feed_forward_first:
        hidden_states = hidden_states + feed_forward(feed_forward_norm(hidden_states))
        return hidden_states + self_attention(attention_norm(hidden_states))
        “Your norms are right, but the feed-forward network comes before attention.”
    """,
    also_right="""
    two residual connections:
        residual = lambda x, sublayer, norm: x + sublayer(norm(x))
        return residual(residual(hidden_states, self_attention, attention_norm), feed_forward, feed_forward_norm)
    in steps:
        attended = self_attention(attention_norm(hidden_states))
        middle = attended + hidden_states
        fed = feed_forward(feed_forward_norm(middle))
        return hidden_states + attended + fed
    in a loop:
        for part, before in ((self_attention, attention_norm), (feed_forward, feed_forward_norm)):
            hidden_states = torch.add(part(before(hidden_states)), hidden_states)
        return hidden_states
    """,
    hints="""
    - Look at the symptoms: when both sub-layers give 0, what should come out, and what does?
    - The patient writes the normed states back into `hidden_states`. They should go into the sub-layer, and nowhere
      else.
    - `hidden_states = hidden_states + self_attention(attention_norm(hidden_states))`; the second half has the same
      form.
    """,
    explanation="""
    Look at the patient's layers in a row: add, norm, add, norm. That is post-norm, with each norm counted as part of
    the next layer. Without warm-up, it did what post-norm did in section 7: the shallow stack learned, the deep one did
    not. We did not try the patient with warm-up.
    """,
)
