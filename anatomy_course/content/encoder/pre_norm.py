"""Notebook 03: a residual connection with its norm before the sub-layer."""

from __future__ import annotations

import torch
from torch import Tensor

from anatomy_course.content.encoder.shared import PLACEMENT_MISTAKES, layer_cases, post_norm, pre_norm
from anatomy_course.judge.definition import Exercise, Mistake, Output
from anatomy_utils.functional.layers import Part


def _pre_in_steps(x: Tensor, f: Part, norm: Part) -> Tensor:
    total = norm(x)
    total = f(total)
    return total.add(x)


EXERCISE = Exercise(
    id="encoder.pre_norm",
    title="Norm before the sub-layer",
    task="Apply the sub-layer to the normed input, and add its output to the original input.",
    difficulty="easy",
    minutes=2,
    signature="pre_norm(hidden_states: Tensor, sublayer, norm) -> Tensor",
    docstring="sublayer and norm are functions: each takes (batch, position, d_model) and gives the same shape\n"
    "→ output (batch, position, d_model).",
    reference="anatomy_utils.functional.layers.pre_norm",
    returns=(Output("output", "position d_model"),),
    cases=layer_cases(sublayer="a sub-layer", norm="a norm"),
    mistakes=(
        Mistake("norm_after", post_norm, "Your norm comes after the sum. That is post-norm, the exercise before."),
        Mistake(
            "no_residual",
            lambda x, f, norm: f(norm(x)),
            "The sub-layer works on the normed input, but you return its output without the input.",
        ),
        *PLACEMENT_MISTAKES,
        Mistake(
            "subtracted", lambda x, f, norm: x - f(norm(x)), "You subtract the sub-layer's output; it should be added."
        ),
    ),
    also_right={
        "in one line": pre_norm,
        "in steps": _pre_in_steps,
        "torch.add": lambda x, f, norm: torch.add(f(norm(x)), x),
        "sum of a stack": lambda x, f, norm: torch.stack((x, f(norm(x)))).sum(0),
    },
    hints=(
        "There are two paths from the input to the output. Which of them contains the norm?",
        "The norm is only on the path through the sub-layer. The other path is free.",
        "`sublayer(norm(hidden_states))` is the sub-layer's output; add `hidden_states` to it.",
    ),
    solution="return hidden_states + sublayer(norm(hidden_states))",
    explanation="One path leads from the input to the output without any norm, even through a whole stack, and "
    "gradients travel down it unchanged. Since nothing brings the sum to a common scale, a pre-norm stack has one "
    "more norm at its end.",
    stages=lambda x, f, norm: {"normed input": norm(x), "sub-layer's result": f(norm(x))},
)
