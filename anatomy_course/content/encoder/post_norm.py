"""Notebook 03: a residual connection with its norm after the sum."""

from __future__ import annotations

import torch
from torch import Tensor

from anatomy_course.content.encoder.shared import PLACEMENT_MISTAKES, layer_cases, post_norm, pre_norm
from anatomy_course.judge.definition import Exercise, Mistake, Output
from anatomy_utils.functional.layers import Part


def _post_in_steps(x: Tensor, f: Part, norm: Part) -> Tensor:
    total = f(x)
    total = total.add(x)
    return norm(total)


EXERCISE = Exercise(
    id="encoder.post_norm",
    title="Norm after the sum",
    task="Add the sub-layer's output to its input, and normalize the sum.",
    difficulty="easy",
    minutes=2,
    signature="post_norm(hidden_states: Tensor, sublayer, norm) -> Tensor",
    docstring="sublayer and norm are functions: each takes (batch, position, d_model) and gives the same shape\n"
    "→ output (batch, position, d_model).",
    reference="anatomy_utils.functional.layers.post_norm",
    returns=(Output("output", "position d_model"),),
    cases=layer_cases(sublayer="a sub-layer", norm="a norm"),
    mistakes=(
        Mistake("norm_before", pre_norm, "Your norm comes before the sub-layer. That is pre-norm, the next exercise."),
        Mistake(
            "no_residual",
            lambda x, f, norm: norm(f(x)),
            "You normalize the sub-layer's output alone, without the input.",
        ),
        *PLACEMENT_MISTAKES,
        Mistake(
            "halved",
            lambda x, f, norm: norm((x + f(x)) / 2),
            "Your sum is halved before the norm: that is the average of the two.",
        ),
        Mistake(
            "subtracted", lambda x, f, norm: norm(x - f(x)), "You subtract the sub-layer's output; it should be added."
        ),
    ),
    also_right={
        "in one line": post_norm,
        "in steps": _post_in_steps,
        "torch.add": lambda x, f, norm: norm(torch.add(f(x), x)),
        "sum of a stack": lambda x, f, norm: norm(torch.stack((x, f(x))).sum(0)),
    },
    hints=(
        "Which two things are added? And is the norm applied to one of them, or to the sum?",
        "`sublayer(hidden_states)` is the sub-layer's output. Add the input to it first.",
        "Apply `norm` to the whole sum, and return the result.",
    ),
    solution="return norm(hidden_states + sublayer(hidden_states))",
    explanation="LayerNorm(x + Sublayer(x)), section 3.1 of the 2017 paper; BERT and MiniLM are built this way. Each "
    "norm sets the scale again with its γ, but the path from the output back to the input leads through every norm.",
    stages=lambda x, f, norm: {"sub-layer's result": f(x), "sum": x + f(x)},
)
