"""Notebook 03: a residual connection with its norm before the sub-layer."""

from __future__ import annotations

import torch

from anatomy_utils.exercises.catalogue.encoder.post_norm import SHARED, _cases, _post, _pre, _pre_in_steps
from anatomy_utils.exercises.definition import Exercise, Mistake, Output

EXERCISE = Exercise(
    id="encoder.pre_norm",
    title="Norm before",
    task="Let the sub-layer work on the normed input, and add what it gives to the input as it was.",
    difficulty="easy",
    minutes=2,
    signature="pre_norm(hidden_states: Tensor, sublayer, norm) -> Tensor",
    docstring="sublayer and norm are functions: each takes (batch, position, d_model) and gives the same shape\n"
    "→ output (batch, position, d_model).",
    reference="anatomy_utils.functional.layers.pre_norm",
    returns=(Output("output", "position d_model"),),
    cases=_cases,
    mistakes=(
        Mistake("norm_behind", _post, "Your norm stands behind the sum. That is post-norm, the exercise before."),
        Mistake(
            "no_residual",
            lambda x, f, norm: f(norm(x)),
            "The sub-layer works on the normed input, but the input is not added to what it gives.",
        ),
        *SHARED,
        Mistake(
            "subtracted",
            lambda x, f, norm: x - f(norm(x)),
            "What the sub-layer gives is subtracted in yours.",
        ),
    ),
    alternatives={
        "in one line": _pre,
        "in steps": _pre_in_steps,
        "torch.add": lambda x, f, norm: torch.add(f(norm(x)), x),
        "sum of a stack": lambda x, f, norm: torch.stack((x, f(norm(x)))).sum(0),
    },
    hints=(
        "There are two ways from the input to the output. On which of them does the norm stand?",
        "The norm stands only on the way through the sub-layer. The other way is free.",
        "`sublayer(norm(hidden_states))` is what the sub-layer gives; add `hidden_states` to it.",
    ),
    solution="return hidden_states + sublayer(norm(hidden_states))",
    explanation="One way leads from the input to the output without any norm on it, and through a whole stack: "
    "gradients come down on it unchanged. Since nothing brings the sum to a common scale, a pre-norm stack has one "
    "more norm at its end.",
    stages=lambda x, f, norm: {"normed input": norm(x), "sub-layer's result": f(norm(x))},
)
