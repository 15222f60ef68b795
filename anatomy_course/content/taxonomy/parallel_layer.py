"""Notebook 06: GPT-J's parallel layer, whose two sub-layers do not wait for each other."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from anatomy_course.content.encoder.shared import layer_cases
from anatomy_course.content.sizes import and_short
from anatomy_course.judge.definition import Exercise, Mistake, Output
from anatomy_utils.functional.layers import Part


def _right(x: Tensor, mix: Part, feed: Part, norm: Part) -> Tensor:
    return x + mix(norm(x)) + feed(norm(x))


def _in_turn(x: Tensor, mix: Part, feed: Part, norm: Part) -> Tensor:
    x = x + mix(norm(x))
    return x + feed(norm(x))


def _steps(x: Tensor, mix: Part, feed: Part, norm: Part) -> Mapping[str, Tensor]:
    normed = norm(x)
    return {"normed states": normed, "attended": mix(normed), "fed": feed(normed)}


EXERCISE = Exercise(
    id="taxonomy.parallel_layer",
    title="A parallel layer",
    task="Norm the states once, give them to self-attention and to the feed-forward network, and add both results to "
    "what came in.",
    difficulty="easy",
    minutes=2,
    signature="parallel_layer(hidden_states: Tensor, self_attention, feed_forward, norm) -> Tensor",
    docstring="hidden_states (batch, position, d_model); the three others are functions of such states\n"
    "→ the layer's output, of the same shape.",
    reference="anatomy_utils.functional.layers.parallel_layer",
    returns=(Output("output", "batch position d_model"),),
    cases=and_short(
        layer_cases(self_attention="self-attention", feed_forward="a feed-forward network", norm="a norm"),
        "position",
        "texts of one word",
    ),
    mistakes=(
        Mistake(
            "one_after_the_other",
            _in_turn,
            "That is the pre-norm layer of notebook 03 with one norm for both: your feed-forward network waits for "
            "attention and reads what it has added.",
        ),
        Mistake(
            "fed_with_what_was_attended",
            lambda x, mix, feed, norm: x + feed(mix(norm(x))),
            "Your feed-forward network reads what attention gives, and nothing else is added to the states.",
        ),
        Mistake(
            "fed_with_the_sum",
            lambda x, mix, feed, norm: x + feed(norm(x) + mix(norm(x))),
            "Your feed-forward network reads the normed states with attention's result added to them; each of the two "
            "should read the normed states, and both results be added to what came in.",
        ),
        Mistake(
            "no_residual",
            lambda x, mix, feed, norm: mix(norm(x)) + feed(norm(x)),
            "Your output is the sum of both results, without what came in.",
        ),
        Mistake(
            "residual_twice",
            lambda x, mix, feed, norm: (x + mix(norm(x))) + (x + feed(norm(x))),
            "What came in is in your sum twice, as if once with each sub-layer.",
        ),
        Mistake(
            "normed_residual",
            lambda x, mix, feed, norm: norm(x) + mix(norm(x)) + feed(norm(x)),
            "You add the results to the normed states; what came in should be added unchanged.",
        ),
        Mistake(
            "normed_residual_in_turn",
            lambda x, mix, feed, norm: _in_turn(norm(x), mix, feed, lambda states: states),
            "Two things at once: what came in is lost, because you go on from the normed states, and your "
            "feed-forward network reads what attention has added to them.",
        ),
        Mistake(
            "feed_without_norm",
            lambda x, mix, feed, norm: x + mix(norm(x)) + feed(x),
            "Your feed-forward network reads states that have not been normed.",
        ),
        Mistake(
            "attention_without_norm",
            lambda x, mix, feed, norm: x + mix(x) + feed(norm(x)),
            "Your self-attention reads states that have not been normed.",
        ),
        Mistake(
            "no_norm",
            lambda x, mix, feed, norm: x + mix(x) + feed(x),
            "Your result is that of a layer without any norm: whatever you norm does not reach it.",
        ),
        Mistake(
            "norm_behind",
            lambda x, mix, feed, norm: norm(x + mix(x) + feed(x)),
            "Your norm comes after the sum, as in 2017; here it comes before both sub-layers.",
        ),
        Mistake(
            "attention_only",
            lambda x, mix, feed, norm: x + mix(norm(x)),
            "What your feed-forward network gives does not reach your output.",
        ),
        Mistake(
            "averaged",
            lambda x, mix, feed, norm: x + (mix(norm(x)) + feed(norm(x))) / 2,
            "You add the mean of the two results; it should be their sum.",
        ),
        Mistake(
            "norm_of_each",
            lambda x, mix, feed, norm: x + norm(mix(x)) + norm(feed(x)),
            "You norm what the sub-layers give; what they read should be normed.",
        ),
    ),
    also_right={
        "one line": _right,
        "in steps": lambda x, mix, feed, norm: torch.add(mix(norm(x)), feed(norm(x))).add(x),
        "a sum": lambda x, mix, feed, norm: torch.stack([x, *(part(norm(x)) for part in (mix, feed))]).sum(0),
    },
    hints=(
        "Draw three arrows from the states that come in to one plus: one goes straight, the two others through a "
        "sub-layer each. Where does the norm go?",
        "Keep the normed states in a variable; both sub-layers read it, and neither reads the other's result.",
        "`normed = norm(hidden_states)`, then a sum of three.",
    ),
    solution="normed = norm(hidden_states)\nreturn hidden_states + self_attention(normed) + feed_forward(normed)",
    explanation="Wang and Komatsuzaki 2021. Many chips can compute the two at the same time, and one norm is saved. "
    "What attention found reaches the feed-forward network one layer later; with dozens of layers that makes little "
    "difference.",
    stages=_steps,
)
