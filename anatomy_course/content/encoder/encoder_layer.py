"""Notebook 03: a whole encoder layer, with its norms in either place."""

from collections.abc import Mapping
from dataclasses import replace

from anatomy_course.content.encoder.shared import layer_cases
from anatomy_course.content.writing import Cases, Generator, Tensor, written


def encoder_layer(
    hidden_states: Tensor, self_attention, feed_forward,
    attention_norm, feed_forward_norm, norm_first: bool,
) -> Tensor:  # fmt: skip
    """Four functions, each from (batch, position, d_model) to the same shape.
    Attention comes first. norm_first: True for pre-norm, False for post-norm
    → output (batch, position, d_model)."""
    for sublayer, norm in ((self_attention, attention_norm), (feed_forward, feed_forward_norm)):
        if norm_first:
            hidden_states = hidden_states + sublayer(norm(hidden_states))
        else:
            hidden_states = norm(hidden_states + sublayer(hidden_states))
    return hidden_states


PARTS = layer_cases(
    self_attention="attention",
    feed_forward="a feed-forward network",
    attention_norm="its norm",
    feed_forward_norm="its norm",
)


def cases(generator: Generator) -> Cases:
    """Each of the parts' cases, once with either place."""
    for norm_first, place in ((False, "norms after the sums"), (True, "norms before the sub-layers")):
        for case in PARTS(generator):
            arguments = {**case.arguments, "norm_first": norm_first}
            yield replace(case, arguments=arguments, kind=f"{case.kind}, {place}")


def stages(x: Tensor, attend, feed, attention_norm, feed_forward_norm, norm_first: bool) -> Mapping[str, Tensor]:
    attended = attend(attention_norm(x) if norm_first else x)
    middle = x + attended if norm_first else attention_norm(x + attended)
    fed = feed(feed_forward_norm(middle) if norm_first else middle)
    return {
        "attention's result": attended,
        "first sum": x + attended,
        "states after attention": middle,
        "feed-forward's result": fed,
        "second sum": middle + fed,
    }


EXERCISE = written(
    encoder_layer,
    title="An encoder layer",
    task="Put an encoder layer together: attention, then feed-forward, each added to its own input, each with its norm "
    "before it or after the sum.",
    level="medium, 7 minutes",
    returns="output: position d_model",
    cases=cases,
    stages=stages,
    mistakes="""
    places_swapped: if norm_first ⇒ if not norm_first
        “Your two places are swapped: with `norm_first` you normalize the sums, without it the inputs.”
    always_after: if norm_first ⇒ if False
        “Post-norm is right. With `norm_first` your norms are still after the sums.”
    always_before: if norm_first ⇒ if True
        “Pre-norm is right. Without `norm_first` your norms are still before the sub-layers.”
    normed_states_go_on:
        hidden_states = hidden_states + sublayer(norm(hidden_states)) ⇒
            hidden_states = norm(hidden_states)
            hidden_states = hidden_states + sublayer(hidden_states)
        “Post-norm is right. With `norm_first` you add to the normed states; add to what came in.”
    no_residuals: hidden_states + sublayer ⇒ sublayer
        “Your output is that of a layer in which neither sub-layer has its input added.”
    branches_normed: norm(hidden_states + sublayer(hidden_states)) ⇒ hidden_states + norm(sublayer(hidden_states))
        “Pre-norm is right. Without `norm_first` you normalize the sub-layer's output; normalize the sum.”
    second_residual_from_below:
        for sublayer ⇒
            below = hidden_states
            for sublayer
        = hidden_states + sublayer ⇒ = below + sublayer
        norm(hidden_states + ⇒ norm(below +
        “Your second sum adds the layer's input again, not the output of the first half.”
    feed_forward_first:
        ((self_attention, attention_norm), (feed_forward, feed_forward_norm)) ⇒
            ((feed_forward, feed_forward_norm), (self_attention, attention_norm))
        “Your halves are swapped: the feed-forward network comes first.”
    norms_swapped:
        (self_attention, attention_norm), (feed_forward, feed_forward_norm) ⇒
            (self_attention, feed_forward_norm), (feed_forward, attention_norm)
        “Your two norms are swapped.”
    subtracted: hidden_states + sublayer ⇒ hidden_states - sublayer
        “You subtract what the sub-layers give; it should be added.”
    without_norms:
        norm(hidden_states)) ⇒ hidden_states)
        norm(hidden_states + sublayer(hidden_states)) ⇒ hidden_states + sublayer(hidden_states)
        “Your result is that of a layer without any norms.”
    """,
    also_right="""
    four lines:
        if norm_first:
            hidden_states = hidden_states + self_attention(attention_norm(hidden_states))
            return hidden_states + feed_forward(feed_forward_norm(hidden_states))
        hidden_states = attention_norm(hidden_states + self_attention(hidden_states))
        return feed_forward_norm(hidden_states + feed_forward(hidden_states))
    two residual connections:
        def residual(x, sublayer, norm):
            return x + sublayer(norm(x)) if norm_first else norm(x + sublayer(x))
        return residual(residual(hidden_states, self_attention, attention_norm), feed_forward, feed_forward_norm)
    two norms in one loop:
        for part, norm in ((self_attention, attention_norm), (feed_forward, feed_forward_norm)):
            before, after = (norm, lambda x: x) if norm_first else (lambda x: x, norm)
            hidden_states = after(torch.add(part(before(hidden_states)), hidden_states))
        return hidden_states
    """,
    hints="""
    - The layer has two halves of the same form. Write one half: for each place of the norm, what does the sub-layer
      read, and what is added to its output?
    - After the sum: `norm(x + sublayer(x))`. Before the sub-layer: `x + sublayer(norm(x))`; what is added has no norm.
    - With norms after the sums, the first half is
      `hidden_states = attention_norm(hidden_states + self_attention(hidden_states))`; the second one has the same form,
      and so has the other branch of an `if norm_first:`.
    """,
    explanation="""
    Section 3.1 of the 2017 paper has the norms after the sums, as BERT and MiniLM do; GPT-2 and most models since have
    them before. Each sub-layer only has to compute a change. In pre-norm one path leads from the bottom of a stack to
    its top without any norm; since nothing sets the sum's size, such a stack has one more norm at its end.
    """,
)
