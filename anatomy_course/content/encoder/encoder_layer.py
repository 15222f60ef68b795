"""Notebook 03: a whole encoder layer."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from anatomy_course.content.encoder.shared import ENCODER_LAYER_CASES, post_norm, pre_norm
from anatomy_course.judge.definition import Exercise, Mistake, Output
from anatomy_utils.functional.layers import Part


def _layer(x: Tensor, attend: Part, feed: Part, norm1: Part, norm2: Part) -> Tensor:
    return post_norm(post_norm(x, attend, norm1), feed, norm2)


def _in_steps(x: Tensor, attend: Part, feed: Part, norm1: Part, norm2: Part) -> Tensor:
    attended = attend(x)
    middle = norm1(attended + x)
    fed = feed(middle)
    return norm2(middle + fed)


def _in_a_loop(x: Tensor, attend: Part, feed: Part, norm1: Part, norm2: Part) -> Tensor:
    for part, norm in ((attend, norm1), (feed, norm2)):
        x = norm(torch.add(part(x), x))
    return x


def _steps(x: Tensor, attend: Part, feed: Part, norm1: Part, norm2: Part) -> Mapping[str, Tensor]:
    middle = post_norm(x, attend, norm1)
    return {
        "attention's result": attend(x),
        "first sum": x + attend(x),
        "states after attention": middle,
        "feed-forward's result": feed(middle),
        "second sum": middle + feed(middle),
    }


EXERCISE = Exercise(
    id="encoder.encoder_layer",
    title="An encoder layer",
    task="Put an encoder layer together: attention, then feed-forward, each added to its own input and normed after "
    "the sum.",
    difficulty="medium",
    minutes=4,
    signature="encoder_layer(\n"
    "    hidden_states: Tensor, self_attention, feed_forward, attention_norm, feed_forward_norm\n"
    ") -> Tensor",
    docstring="Four functions, each from (batch, position, d_model) to the same shape\n"
    "→ output (batch, position, d_model). Attention first; each norm after its sum.",
    reference="anatomy_utils.functional.layers.encoder_layer",
    returns=(Output("output", "position d_model"),),
    cases=ENCODER_LAYER_CASES,
    mistakes=(
        Mistake(
            "no_residuals",
            lambda x, attend, feed, norm1, norm2: norm2(feed(norm1(attend(x)))),
            "Your output is that of a layer in which neither sub-layer has its input added.",
        ),
        Mistake(
            "no_first_residual",
            lambda x, attend, feed, norm1, norm2: post_norm(norm1(attend(x)), feed, norm2),
            "Attention's output goes on without its input, as if there were no first residual connection.",
        ),
        Mistake(
            "no_second_residual",
            lambda x, attend, feed, norm1, norm2: norm2(feed(post_norm(x, attend, norm1))),
            "The feed-forward network's output goes on without its input, as if there were no second residual "
            "connection.",
        ),
        Mistake(
            "second_residual_from_below",
            lambda x, attend, feed, norm1, norm2: norm2(x + feed(post_norm(x, attend, norm1))),
            "Your second sum adds the layer's input again, not the output of the first half.",
        ),
        Mistake(
            "side_by_side",
            lambda x, attend, feed, norm1, norm2: norm2(norm1(x + attend(x)) + feed(x)),
            "Your feed-forward network works on the layer's input; attention's result does not reach it.",
        ),
        Mistake(
            "in_parallel",
            lambda x, attend, feed, norm1, norm2: norm2(x + attend(x) + feed(x)),
            "Both sub-layers work on the layer's input, and you add all three.",
        ),
        Mistake(
            "feed_forward_first",
            lambda x, attend, feed, norm1, norm2: post_norm(post_norm(x, feed, norm2), attend, norm1),
            "Your halves are swapped: the feed-forward network comes first.",
        ),
        Mistake(
            "norms_swapped",
            lambda x, attend, feed, norm1, norm2: post_norm(post_norm(x, attend, norm2), feed, norm1),
            "Your two norms are swapped.",
        ),
        Mistake(
            "one_norm_twice",
            lambda x, attend, feed, norm1, norm2: post_norm(post_norm(x, attend, norm1), feed, norm1),
            "In your result the first norm acts twice, and the second not at all.",
        ),
        Mistake(
            "no_first_norm",
            lambda x, attend, feed, norm1, norm2: post_norm(x + attend(x), feed, norm2),
            "Your first sum goes on as it is, without a norm.",
        ),
        Mistake(
            "no_second_norm",
            lambda x, attend, feed, norm1, norm2: post_norm(x, attend, norm1) + feed(post_norm(x, attend, norm1)),
            "You return your second sum as it is, without a norm.",
        ),
        Mistake(
            "norms_before",
            lambda x, attend, feed, norm1, norm2: pre_norm(pre_norm(x, attend, norm1), feed, norm2),
            "Your norms come before the sub-layers (pre-norm); this layer has them after the sums.",
        ),
        Mistake(
            "half_and_half",
            lambda x, attend, feed, norm1, norm2: pre_norm(post_norm(x, attend, norm1), feed, norm2),
            "Your first half is right; in the second the norm comes before the sub-layer, not after the sum.",
        ),
        Mistake(
            "branches_normed",
            lambda x, attend, feed, norm1, norm2: x + norm1(attend(x)) + norm2(feed(x + norm1(attend(x)))),
            "You apply the norms to the sub-layers' outputs, before they are added.",
        ),
        Mistake(
            "half_a_layer",
            lambda x, attend, feed, norm1, norm2: post_norm(x, attend, norm1),
            "You return the output of the first half: the feed-forward network has no part in it.",
        ),
    ),
    also_right={"two residual connections": _layer, "in steps": _in_steps, "in a loop": _in_a_loop},
    hints=(
        "You have already written one half: a sub-layer, its input added, then a norm. A layer has two such halves.",
        "The output of the first half is used twice: the feed-forward network reads it, and it is added to the "
        "network's output.",
        "`hidden_states = attention_norm(hidden_states + self_attention(hidden_states))`; the second line has "
        "the same form.",
    ),
    solution="hidden_states = attention_norm(hidden_states + self_attention(hidden_states))\n"
    "return feed_forward_norm(hidden_states + feed_forward(hidden_states))",
    explanation="Section 3.1 of the 2017 paper, the whole encoder layer. Attention moves information between words, "
    "the feed-forward network works on what each word has gathered, and thanks to the residual connections each of the "
    "two only has to compute a change.",
    stages=_steps,
)
