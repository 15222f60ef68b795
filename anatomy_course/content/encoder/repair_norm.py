"""Notebook 03's second case: find out what is wrong with `colleagues_layer`, and write it right."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from anatomy_course.content.encoder.shared import ENCODER_LAYER_CASES, post_norm, pre_norm
from anatomy_course.judge.definition import Exercise, Mistake, Output
from anatomy_course.lab.debugging.colleague.norm_placement import colleagues_layer
from anatomy_utils.functional.layers import Part


def _half_repaired(x: Tensor, attend: Part, feed: Part, norm1: Part, norm2: Part) -> Tensor:
    states = pre_norm(x, attend, norm1)
    return norm2(states) + feed(norm2(states))


def _other_half_repaired(x: Tensor, attend: Part, feed: Part, norm1: Part, norm2: Part) -> Tensor:
    return pre_norm(norm1(x) + attend(norm1(x)), feed, norm2)


def _right(x: Tensor, attend: Part, feed: Part, norm1: Part, norm2: Part) -> Tensor:
    return pre_norm(pre_norm(x, attend, norm1), feed, norm2)


def _in_steps(x: Tensor, attend: Part, feed: Part, norm1: Part, norm2: Part) -> Tensor:
    attended = attend(norm1(x))
    middle = attended + x
    fed = feed(norm2(middle))
    return x + attended + fed


def _in_a_loop(x: Tensor, attend: Part, feed: Part, norm1: Part, norm2: Part) -> Tensor:
    for part, before in ((attend, norm1), (feed, norm2)):
        x = torch.add(part(before(x)), x)
    return x


def _steps(x: Tensor, attend: Part, feed: Part, norm1: Part, norm2: Part) -> Mapping[str, Tensor]:
    middle = pre_norm(x, attend, norm1)
    return {
        "normed input": norm1(x),
        "attention's result": attend(norm1(x)),
        "states after attention": middle,
        "normed states": norm2(middle),
        "feed-forward's result": feed(norm2(middle)),
    }


EXERCISE = Exercise(
    id="encoder.repair_norm",
    title="The case: a colleague's layer",
    task="Write the pre-norm layer that `colleagues_layer` should have been.",
    difficulty="medium",
    minutes=4,
    signature="repaired_layer(\n"
    "    hidden_states: Tensor, self_attention, feed_forward, attention_norm, feed_forward_norm\n"
    ") -> Tensor",
    docstring="Four functions, each from (batch, position, d_model) to the same shape\n"
    "→ output (batch, position, d_model).",
    reference="anatomy_utils.functional.layers.pre_norm_layer",
    returns=(Output("output", "position d_model"),),
    cases=ENCODER_LAYER_CASES,
    mistakes=(
        Mistake(
            "unchanged",
            colleagues_layer,
            "This is what the patient computes: the sub-layers' outputs are still added to the normed states.",
        ),
        Mistake(
            "first_half_only",
            _half_repaired,
            "Attention's half is repaired; the feed-forward network's half still adds to the normed states.",
        ),
        Mistake(
            "second_half_only",
            _other_half_repaired,
            "The feed-forward network's half is repaired; attention's half still adds to the normed states.",
        ),
        Mistake(
            "post_norm",
            lambda x, attend, feed, norm1, norm2: post_norm(post_norm(x, attend, norm1), feed, norm2),
            "Your norms come after the sums: that is the layer of 2017, and it has the same problem.",
        ),
        Mistake(
            "both_sides",
            lambda x, attend, feed, norm1, norm2: norm2(_right(x, attend, feed, norm1, norm2)),
            "Your layer is repaired, but there is one more norm after it: again no path is free of norms.",
        ),
        Mistake(
            "first_half_after",
            lambda x, attend, feed, norm1, norm2: pre_norm(post_norm(x, attend, norm1), feed, norm2),
            "The feed-forward network's half is repaired; in attention's half the norm now comes after the sum.",
        ),
        Mistake(
            "no_first_residual",
            lambda x, attend, feed, norm1, norm2: pre_norm(attend(norm1(x)), feed, norm2),
            "The feed-forward network's half is repaired; attention's output goes on without its input.",
        ),
        Mistake(
            "branches_normed",
            lambda x, attend, feed, norm1, norm2: x + norm1(attend(x)) + norm2(feed(x + norm1(attend(x)))),
            "The path around the sub-layers is free now, but your norms come after the sub-layers, not before.",
        ),
        Mistake(
            "no_norms",
            lambda x, attend, feed, norm1, norm2: x + attend(x) + feed(x + attend(x)),
            "The path around the sub-layers is free now, but no norm acts on your result.",
        ),
        Mistake(
            "norms_swapped",
            lambda x, attend, feed, norm1, norm2: pre_norm(pre_norm(x, attend, norm2), feed, norm1),
            "Your layer is repaired, but its two norms are swapped.",
        ),
        Mistake(
            "one_norm_twice",
            lambda x, attend, feed, norm1, norm2: pre_norm(pre_norm(x, attend, norm1), feed, norm1),
            "Your layer is repaired, but the first norm acts twice, and the second not at all.",
        ),
        Mistake(
            "no_residuals",
            lambda x, attend, feed, norm1, norm2: feed(norm2(attend(norm1(x)))),
            "Your norms come before the sub-layers, but each sub-layer's output goes on without its input.",
        ),
        Mistake(
            "second_residual_from_below",
            lambda x, attend, feed, norm1, norm2: x + feed(norm2(pre_norm(x, attend, norm1))),
            "Your second sum adds the layer's input, and attention's result is lost.",
        ),
        Mistake(
            "in_parallel",
            lambda x, attend, feed, norm1, norm2: x + attend(norm1(x)) + feed(norm2(x)),
            "Both of your sub-layers work on the layer's input: the feed-forward network does not see what attention "
            "found.",
        ),
        Mistake(
            "feed_forward_first",
            lambda x, attend, feed, norm1, norm2: pre_norm(pre_norm(x, feed, norm2), attend, norm1),
            "Your norms are right, but the feed-forward network comes before attention.",
        ),
    ),
    also_right={"two residual connections": _right, "in steps": _in_steps, "in a loop": _in_a_loop},
    hints=(
        "Look at the symptoms: when both sub-layers give 0, what should come out, and what does?",
        "The patient writes the normed states back into `hidden_states`. They should go into the sub-layer, and "
        "nowhere else.",
        "`hidden_states = hidden_states + self_attention(attention_norm(hidden_states))`; the second half has "
        "the same form.",
    ),
    solution="hidden_states = hidden_states + self_attention(attention_norm(hidden_states))\n"
    "return hidden_states + feed_forward(feed_forward_norm(hidden_states))",
    explanation="Look at the patient's layers in a row: add, norm, add, norm. That is post-norm, with each norm "
    "counted as part of the next layer. Without warm-up, it did what post-norm did in section 7: the shallow stack "
    "learned, the deep one did not. We did not try the patient with warm-up.",
    stages=_steps,
)
