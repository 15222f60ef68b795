"""Notebook 05: a decoder layer with its three sub-layers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import torch
from torch import Tensor

from anatomy_course.content.encoder.shared import norm, sublayer
from anatomy_course.content.encoder_decoder.shared import reader
from anatomy_course.content.sizes import and_short, batch_and_primes, normal
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output
from anatomy_utils.functional.layers import Part

Read = Callable[[Tensor, Tensor], Tensor]


def _cases(generator: torch.Generator) -> Iterator[Case]:
    """Three sub-layers and three norms, all of them different."""
    for kind in ("one text", "a batch of texts", "a batch of texts"):
        batch, position, key, d_model = batch_and_primes(generator, kind, 4, (3, 5, 7, 11))
        arguments = {
            "hidden_states": 2 * normal(generator, batch, position, d_model),
            "memory": normal(generator, batch, key, d_model),
            "self_attention": sublayer(generator, d_model, "self-attention"),
            "cross_attention": reader(generator, d_model),
            "feed_forward": sublayer(generator, d_model, "a feed-forward network"),
            "self_attention_norm": norm(generator, d_model, "its norm"),
            "cross_attention_norm": norm(generator, d_model, "its norm"),
            "feed_forward_norm": norm(generator, d_model, "its norm"),
        }
        yield Case(arguments, kind, {"batch": batch, "position": position, "key": key, "d_model": d_model})


def _layer(x: Tensor, m: Tensor, mix: Part, read: Read, feed: Part, n1: Part, n2: Part, n3: Part) -> Tensor:
    x = x + mix(n1(x))
    x = x + read(n2(x), m)
    return x + feed(n3(x))


def _in_a_loop(x: Tensor, m: Tensor, mix: Part, read: Read, feed: Part, *norms: Part) -> Tensor:
    for part, before in zip((mix, lambda states: read(states, m), feed), norms, strict=True):
        x = torch.add(part(before(x)), x)
    return x


def _in_steps(x: Tensor, m: Tensor, mix: Part, read: Read, feed: Part, n1: Part, n2: Part, n3: Part) -> Tensor:
    mixed = x + mix(n1(x))
    found = read(n2(mixed), m)
    return mixed + found + feed(n3(mixed + found))


def _post_norm(x: Tensor, m: Tensor, mix: Part, read: Read, feed: Part, n1: Part, n2: Part, n3: Part) -> Tensor:
    x = n1(x + mix(x))
    x = n2(x + read(x, m))
    return n3(x + feed(x))


def _memory_first(x: Tensor, m: Tensor, mix: Part, read: Read, feed: Part, n1: Part, n2: Part, n3: Part) -> Tensor:
    x = x + read(n2(x), m)
    x = x + mix(n1(x))
    return x + feed(n3(x))


def _side_by_side(x: Tensor, m: Tensor, mix: Part, read: Read, feed: Part, n1: Part, n2: Part, n3: Part) -> Tensor:
    x = x + mix(n1(x)) + read(n2(x), m)
    return x + feed(n3(x))


def _no_second_residual(
    x: Tensor, m: Tensor, mix: Part, read: Read, feed: Part, n1: Part, n2: Part, n3: Part
) -> Tensor:
    x = read(n2(x + mix(n1(x))), m)
    return x + feed(n3(x))


def _normed_stream(x: Tensor, m: Tensor, mix: Part, read: Read, feed: Part, n1: Part, n2: Part, n3: Part) -> Tensor:
    x = n1(x)
    x = n2(x + mix(x))
    x = n3(x + read(x, m))
    return x + feed(x)


def _steps(
    x: Tensor, m: Tensor, mix: Part, read: Read, feed: Part, n1: Part, n2: Part, n3: Part
) -> Mapping[str, Tensor]:
    mixed = x + mix(n1(x))
    found = read(n2(mixed), m)
    return {
        "self-attention's result": mix(n1(x)),
        "states after self-attention": mixed,
        "cross-attention's result": found,
        "states after cross-attention": mixed + found,
    }


EXERCISE = Exercise(
    id="encoder_decoder.decoder_layer",
    title="Three sub-layers",
    task="Put a decoder layer together: self-attention, then cross-attention to the memory, then feed-forward. Each "
    "gets normed states, and its result is added to the states. The memory goes in as it is. The sub-layers take care "
    "of their own masks.",
    difficulty="medium",
    minutes=5,
    signature="decoder_layer(\n"
    "    hidden_states: Tensor, memory: Tensor, self_attention, cross_attention, feed_forward,\n"
    "    self_attention_norm, cross_attention_norm, feed_forward_norm,\n"
    ") -> Tensor",
    docstring="hidden_states (batch, position, d_model), memory (batch, key, d_model). cross_attention takes states\n"
    "and memory, all others take states; each gives the shape of the states → output (batch, position, d_model).",
    reference="anatomy_utils.functional.layers.decoder_layer",
    returns=(Output("output", "position d_model"),),
    cases=and_short(_cases, "position", "texts of one word"),
    mistakes=(
        Mistake(
            "no_cross_attention",
            lambda x, m, mix, read, feed, n1, n2, n3: (x + mix(n1(x))) + feed(n3(x + mix(n1(x)))),
            "That is the layer of a decoder by itself: cross-attention and the memory play no part.",
        ),
        Mistake(
            "memory_first",
            _memory_first,
            "Your first two sub-layers are in the wrong order: cross-attention comes before self-attention.",
        ),
        Mistake(
            "side_by_side",
            _side_by_side,
            "Your cross-attention works on the layer's input: what self-attention found does not reach it.",
        ),
        Mistake(
            "reads_itself",
            lambda x, m, mix, read, feed, n1, n2, n3: _layer(
                x, m, mix, lambda states, memory: read(states, states), feed, n1, n2, n3
            ),
            "Your cross-attention gets the decoder's states as memory: the text reads itself.",
        ),
        Mistake(
            "memory_normed",
            lambda x, m, mix, read, feed, n1, n2, n3: _layer(x, n2(m), mix, read, feed, n1, n2, n3),
            "You norm the memory once more in this layer. Take it as it comes from the encoder.",
        ),
        Mistake(
            "post_norm",
            _post_norm,
            "Your norms come after the sums (post-norm, as in 2017); this layer has them before the sub-layers.",
        ),
        Mistake(
            "normed_stream",
            _normed_stream,
            "You add to the normed states. Only the sub-layer should get the norm's output; its result is added to the "
            "states as they were.",
        ),
        Mistake(
            "no_residuals",
            lambda x, m, mix, read, feed, n1, n2, n3: feed(n3(read(n2(mix(n1(x))), m))),
            "None of your sub-layers has its input added.",
        ),
        Mistake(
            "no_second_residual",
            _no_second_residual,
            "Cross-attention's result goes on without its input, as if no residual connection led around it.",
        ),
        Mistake(
            "no_norms",
            lambda x, m, mix, read, feed, n1, n2, n3: _layer(
                x, m, mix, read, feed, *(lambda states: states for _ in range(3))
            ),
            "Your result is that of a layer without its three norms: whatever you norm does not reach it.",
        ),
        Mistake(
            "norms_swapped",
            lambda x, m, mix, read, feed, n1, n2, n3: _layer(x, m, mix, read, feed, n2, n1, n3),
            "The norms of your two attentions are swapped.",
        ),
        Mistake(
            "two_sublayers",
            lambda x, m, mix, read, feed, n1, n2, n3: x + mix(n1(x)) + read(n2(x + mix(n1(x))), m),
            "You return the states after cross-attention: the feed-forward network plays no part.",
        ),
    ),
    also_right={"three lines": _layer, "in steps": _in_steps, "in a loop": _in_a_loop},
    hints=(
        "An encoder layer has two residual connections. This layer has a third one, between them.",
        "Each line has the same form: states + sub-layer(norm(states)). What comes out of one line goes into the next.",
        "The middle line is `hidden_states = hidden_states + cross_attention(cross_attention_norm(hidden_states), "
        "memory)`.",
    ),
    solution="hidden_states = hidden_states + self_attention(self_attention_norm(hidden_states))\n"
    "hidden_states = hidden_states + cross_attention(cross_attention_norm(hidden_states), memory)\n"
    "return hidden_states + feed_forward(feed_forward_norm(hidden_states))",
    explanation="First the text that is being written looks at itself, then it asks the source, then each position "
    "works on what it found. The paper of 2017 has the same three sub-layers, with its norms after the sums.",
    stages=_steps,
)
