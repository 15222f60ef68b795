"""Notebook 06: a decoder layer with its three sub-layers."""

from collections.abc import Mapping

from anatomy_course.content.encoder.shared import Function, norm, sublayer
from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, and_short, written
from anatomy_utils.functional import layers


def decoder_layer(
    hidden_states: Tensor, memory: Tensor, self_attention, cross_attention, feed_forward,
    self_attention_norm, cross_attention_norm, feed_forward_norm,
) -> Tensor:  # fmt: skip
    """hidden_states (batch, position, d_model), memory (batch, key, d_model). cross_attention takes states
    and memory, all others take states; each gives the shape of the states → output (batch, position, d_model).
    """
    hidden_states = hidden_states + self_attention(self_attention_norm(hidden_states))
    hidden_states = hidden_states + cross_attention(cross_attention_norm(hidden_states), memory)
    return hidden_states + feed_forward(feed_forward_norm(hidden_states))


def reader(draw: Draw) -> Function:
    """Finds something in the memory for each position, as cross-attention would."""
    ask, answer = (draw("d_model d_model") * draw["d_model"] ** -0.5 for _ in range(2))

    def read(states: Tensor, memory: Tensor) -> Tensor:
        return (states @ ask @ memory.mT).softmax(-1) @ memory @ answer

    return Function("cross-attention", read)


def cases(generator: Generator) -> Cases:
    """Three sub-layers and three norms, all of them different."""
    for kind in ("one text", "a batch of texts", "a batch of texts"):
        draw = Draw(generator, "batch position key d_model", (3, 5, 7, 11), kind)
        d_model = draw["d_model"]
        yield draw.case(
            hidden_states=2 * draw("batch position d_model"),
            memory=draw("batch key d_model"),
            self_attention=sublayer(generator, d_model, "self-attention"),
            cross_attention=reader(draw),
            feed_forward=sublayer(generator, d_model, "a feed-forward network"),
            self_attention_norm=norm(generator, d_model, "its norm"),
            cross_attention_norm=norm(generator, d_model, "its norm"),
            feed_forward_norm=norm(generator, d_model, "its norm"),
        )


def stages(x: Tensor, memory: Tensor, mix, read, feed, mix_norm, read_norm, feed_norm) -> Mapping[str, Tensor]:
    mixed = x + mix(mix_norm(x))
    found = read(read_norm(mixed), memory)
    return {
        "self-attention's result": mix(mix_norm(x)),
        "states after self-attention": mixed,
        "cross-attention's result": found,
        "states after cross-attention": mixed + found,
    }


EXERCISE = written(
    decoder_layer,
    same_as=layers.decoder_layer,
    title="Three sub-layers",
    task="Put a decoder layer together: self-attention, then cross-attention to the memory, then feed-forward. Each "
    "gets normed states, and its result is added to the states. The memory goes in as it is. The sub-layers take care "
    "of their own masks.",
    level="medium, 5 minutes",
    returns="output: position d_model",
    cases=and_short(cases, "position", "texts of one word"),
    stages=stages,
    mistakes="""
    no_cross_attention: + cross_attention(cross_attention_norm(hidden_states), memory) ⇒
        “That is the layer of a decoder by itself: cross-attention and the memory play no part.”
    memory_first:
        hidden_states = hidden_states + cross_attention(cross_attention_norm(hidden_states), memory)
        hidden_states = hidden_states + self_attention(self_attention_norm(hidden_states))
        return hidden_states + feed_forward(feed_forward_norm(hidden_states))
        “Your first two sub-layers are in the wrong order: cross-attention comes before self-attention.”
    post_norm:
        hidden_states = self_attention_norm(hidden_states + self_attention(hidden_states))
        hidden_states = cross_attention_norm(hidden_states + cross_attention(hidden_states, memory))
        return feed_forward_norm(hidden_states + feed_forward(hidden_states))
        “Your norms come after the sums (post-norm, as in 2017); this layer has them before the sub-layers.”
    normed_stream:
        hidden_states + self_attention ⇒ self_attention_norm(hidden_states) + self_attention
        hidden_states + cross_attention ⇒ cross_attention_norm(hidden_states) + cross_attention
        hidden_states + feed_forward ⇒ feed_forward_norm(hidden_states) + feed_forward
        “You add to the normed states. Only the sub-layer should get the norm's output; its result is added to the
        states as they were.”
    no_residuals: hidden_states + ⇒
        “None of your sub-layers has its input added.”
    no_norms:
        self_attention_norm(hidden_states) ⇒ hidden_states
        cross_attention_norm(hidden_states) ⇒ hidden_states
        feed_forward_norm(hidden_states) ⇒ hidden_states
        “Your result is that of a layer without its three norms: whatever you norm does not reach it.”
    norms_swapped:
        self_attention(self_attention_norm ⇒ self_attention(cross_attention_norm
        cross_attention(cross_attention_norm ⇒ cross_attention(self_attention_norm
        “The norms of your two attentions are swapped.”
    """,
    also_right="""
    three lines:
        mixed = self_attention(self_attention_norm(hidden_states)) + hidden_states
        found = cross_attention(cross_attention_norm(mixed), memory) + mixed
        return feed_forward(feed_forward_norm(found)) + found
    in steps:
        mixed = hidden_states + self_attention(self_attention_norm(hidden_states))
        found = cross_attention(cross_attention_norm(mixed), memory)
        return mixed + found + feed_forward(feed_forward_norm(mixed + found))
    in a loop:
        parts = self_attention, lambda states: cross_attention(states, memory), feed_forward
        for part, norm in zip(parts, (self_attention_norm, cross_attention_norm, feed_forward_norm)):
            hidden_states = torch.add(part(norm(hidden_states)), hidden_states)
        return hidden_states
    """,
    hints="""
    - An encoder layer has two residual connections. This layer has a third one, between them.
    - Each line has the same form: states + sub-layer(norm(states)). What comes out of one line goes into the next.
    - The middle line is `hidden_states = hidden_states + cross_attention(cross_attention_norm(hidden_states), memory)`.
    """,
    explanation="""
    First the text that is being written looks at itself, then it asks the source, then each position works on what it
    found. The paper of 2017 has the same three sub-layers, with its norms after the sums.
    """,
)
