"""Notebook 03: a residual connection with its norm after the sum."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from anatomy_utils.exercises.catalogue.encoder.shared import norm, sublayer
from anatomy_utils.exercises.catalogue.sizes import normal, primes
from anatomy_utils.exercises.definition import Case, Exercise, Mistake, Output

Part = Callable[[Tensor], Tensor]


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("one text", "a batch of texts", "a batch of texts"):
        batch, position, d_model = primes(generator, 3, (3, 5, 7))
        batch = 1 if kind == "one text" else batch
        arguments = {
            "hidden_states": 2 * normal(generator, batch, position, d_model),
            "sublayer": sublayer(generator, d_model),
            "norm": norm(generator, d_model),
        }
        yield Case(arguments, kind, {"batch": batch, "position": position, "d_model": d_model})


def _post(x: Tensor, f: Part, norm: Part) -> Tensor:
    return norm(x + f(x))


def _pre(x: Tensor, f: Part, norm: Part) -> Tensor:
    return x + f(norm(x))


def _post_in_steps(x: Tensor, f: Part, norm: Part) -> Tensor:
    total = f(x)
    total = total.add(x)
    return norm(total)


def _pre_in_steps(x: Tensor, f: Part, norm: Part) -> Tensor:
    total = norm(x)
    total = f(total)
    return total.add(x)


_SHARED: tuple[tuple[str, Callable[..., Tensor], str], ...] = (
    ("bare", lambda x, f, norm: x + f(x), "There is no norm in yours, neither before the sub-layer nor behind."),
    ("sublayer_only", lambda x, f, norm: f(x), "You return what the sub-layer gives; input and norm play no part."),
    (
        "branch_normed",
        lambda x, f, norm: x + norm(f(x)),
        "Your norm is applied to what the sub-layer gives, and the input is added after that.",
    ),
    (
        "input_normed",
        lambda x, f, norm: norm(x) + f(x),
        "Your norm is applied to the input that is added, and the sub-layer works on the input as it was.",
    ),
    (
        "residual_from_the_norm",
        lambda x, f, norm: norm(x) + f(norm(x)),
        "What you add is the normed input: the input itself does not get past your norm.",
    ),
    (
        "added_after_all",
        lambda x, f, norm: x + norm(x + f(x)),
        "Behind your norm the input is added once more.",
    ),
    (
        "normed_twice",
        lambda x, f, norm: norm(x + f(norm(x))),
        "There are two norms in yours, one before the sub-layer and one behind.",
    ),
    (
        "applied_twice",
        lambda x, f, norm: norm(x + f(x + f(x))),
        "The sub-layer of yours runs twice, the second time on a sum.",
    ),
    ("norm_only", lambda x, f, norm: norm(x), "You have the normed input; the sub-layer has not been used."),
)


SHARED = tuple(Mistake(*each) for each in _SHARED)
"""What is wrong for both placements."""


EXERCISE = Exercise(
    id="encoder.post_norm",
    title="Norm behind",
    task="Add what the sub-layer gives to its input, and normalize the sum.",
    difficulty="easy",
    minutes=2,
    signature="post_norm(hidden_states: Tensor, sublayer, norm) -> Tensor",
    docstring="sublayer and norm are functions: each takes (batch, position, d_model) and gives the same shape\n"
    "→ output (batch, position, d_model).",
    reference="anatomy_utils.functional.layers.post_norm",
    returns=(Output("output", "position d_model"),),
    cases=_cases,
    mistakes=(
        Mistake("norm_before", _pre, "Your norm stands before the sub-layer. That is pre-norm, the next exercise."),
        Mistake(
            "no_residual",
            lambda x, f, norm: norm(f(x)),
            "The input is not in your sum: only what the sub-layer gives has been normalized.",
        ),
        *SHARED,
        Mistake(
            "halved",
            lambda x, f, norm: norm((x + f(x)) / 2),
            "Your sum is halved before the norm: that is the average of the two.",
        ),
        Mistake(
            "subtracted",
            lambda x, f, norm: norm(x - f(x)),
            "What the sub-layer gives is subtracted in yours.",
        ),
    ),
    alternatives={
        "in one line": _post,
        "in steps": _post_in_steps,
        "torch.add": lambda x, f, norm: norm(torch.add(f(x), x)),
        "sum of a stack": lambda x, f, norm: norm(torch.stack((x, f(x))).sum(0)),
    },
    hints=(
        "Which two things are added? And is the norm applied to one of them, or to the sum?",
        "`sublayer(hidden_states)` is what the sub-layer gives. Add the input to it first.",
        "The sum goes through `norm` as a whole, and what comes out is returned.",
    ),
    solution="return norm(hidden_states + sublayer(hidden_states))",
    explanation="LayerNorm(x + Sublayer(x)), section 3.1 of the 2017 paper; BERT and MiniLM are built so. What comes "
    "out of every sub-layer has the scale that its norm's γ sets, but the way from the output to the input leads "
    "through every norm.",
    stages=lambda x, f, norm: {"sub-layer's result": f(x), "sum": x + f(x)},
)
