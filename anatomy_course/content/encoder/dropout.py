"""Notebook 03: dropout, in training and in use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from anatomy_course.content.sizes import normal, primes
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind, probability in (("a model in training", 0.4), ("a model in training", 0.25), ("a model in use", 0.3)):
        batch, position, d_model = primes(generator, 3, (5, 7, 11))
        batch = 1 if probability == 0.25 else batch
        uniform = torch.rand(batch, position, d_model, generator=generator)
        if probability == 0.25:  # numbers that are the probability itself are not below it
            uniform = (uniform * 8).floor() / 8
        arguments = {
            "hidden_states": normal(generator, batch, position, d_model),
            "uniform": uniform,
            "probability": probability,
            "training": kind == "a model in training",
        }
        yield Case(arguments, kind, {"batch": batch, "position": position, "d_model": d_model})


def _dropped(x: Tensor, u: Tensor, p: float) -> Tensor:
    return x * (u >= p)


def _steps(x: Tensor, u: Tensor, p: float, training: bool) -> Mapping[str, Tensor]:
    return {"features that stay": _dropped(x, u, p)} if training else {}


def _where(x: Tensor, u: Tensor, p: float, training: bool) -> Tensor:
    return torch.where(u < p, torch.zeros(()), x / (1 - p)) if training else x


def _by_index(x: Tensor, u: Tensor, p: float, training: bool) -> Tensor:
    result = x.clone()
    if training:
        result[u < p] = 0
        result /= 1 - p
    return result


EXERCISE = Exercise(
    id="encoder.dropout",
    title="Dropout",
    task="In training, set to 0 each feature whose random number is below the probability, and multiply the others by "
    "1 / (1 − probability); in use, change nothing.",
    difficulty="easy",
    minutes=3,
    signature="dropout(hidden_states: Tensor, uniform: Tensor, probability: float, training: bool) -> Tensor",
    docstring="uniform: random numbers from 0 to 1, as many as hidden_states has, given so that your output can be\n"
    "checked; training is True or False → output, the same shape.",
    reference="anatomy_utils.functional.layers.dropout",
    returns=(Output("output", "position d_model"),),
    cases=_cases,
    mistakes=(
        Mistake(
            "not_enlarged",
            lambda x, u, p, training: _dropped(x, u, p) if training else x,
            "The right features are gone, but the others are as they were: in training the mean is now smaller than in "
            "use.",
        ),
        Mistake(
            "shrunk_in_use",
            lambda x, u, p, training: _dropped(x, u, p) if training else x * (1 - p),
            "You keep the features' size in training and shrink them in use. Early implementations did that; today the "
            "remaining features are enlarged in training instead.",
        ),
        Mistake(
            "shrunk_as_well",
            lambda x, u, p, training: _dropped(x, u, p) / (1 - p) if training else x * (1 - p),
            "Training is right, but you shrink the features in use: the factor in training has already corrected "
            "the mean.",
        ),
        Mistake(
            "enlarged_in_use",
            lambda x, u, p, training: (_dropped(x, u, p) if training else x) / (1 - p),
            "Training is right, but you enlarge the features in use, although none has been left out.",
        ),
        Mistake(
            "always",
            lambda x, u, p, training: _dropped(x, u, p) / (1 - p),
            "You leave features out in use as well: the same text would get a different answer each time.",
        ),
        Mistake(
            "in_use_only",
            lambda x, u, p, training: x if training else _dropped(x, u, p) / (1 - p),
            "Training and use are swapped.",
        ),
        Mistake("never", lambda x, u, p, training: x, "Your output is the input: no feature is left out of it."),
        Mistake(
            "kept_below",
            lambda x, u, p, training: x * (u < p) / (1 - p) if training else x,
            "You keep the features that should go, and drop those that should stay: only a share of "
            "`probability` is left.",
        ),
        Mistake(
            "kept_below_and_enlarged",
            lambda x, u, p, training: x * (u < p) / p if training else x,
            "Your features stay as if `probability` were the chance of staying; it is the chance of being left out.",
        ),
        Mistake(
            "divided_by_the_probability",
            lambda x, u, p, training: _dropped(x, u, p) / p if training else x,
            "The right features are gone, but the others are divided by `probability`: far too large.",
        ),
        Mistake(
            "shrunk_in_training",
            lambda x, u, p, training: _dropped(x, u, p) * (1 - p) if training else x,
            "The right features are gone, but the others have shrunk; they should grow.",
        ),
        Mistake(
            "enlarged_by_one_more",
            lambda x, u, p, training: _dropped(x, u, p) * (1 + p) if training else x,
            "The right features are gone, but the others are multiplied by 1 + probability: close, but not equal "
            "to 1 / (1 − probability).",
        ),
        Mistake(
            "whole_words",
            lambda x, u, p, training: _dropped(x, u[..., :1], p) / (1 - p) if training else x,
            "You leave out whole words, by the first random number of each; every feature has one of its own.",
        ),
        Mistake(
            "the_same_for_all_words",
            lambda x, u, p, training: _dropped(x, u[:, :1], p) / (1 - p) if training else x,
            "All words of a text lose the same features; every word has random numbers of its own.",
        ),
    ),
    also_right={
        "where": _where,
        "by index": _by_index,
        "masked_fill": lambda x, u, p, training: x.masked_fill(u < p, 0.0) / (1 - p) if training else x,
        "one factor": lambda x, u, p, training: x * ((u >= p).float() / (1 - p)) if training else x,
    },
    hints=(
        "Two cases, training and use; in one of them nothing happens.",
        "`uniform >= probability` is True where a feature stays. Multiply by it: True counts as 1, False as 0.",
        "In training: `hidden_states * (uniform >= probability) / (1 - probability)`.",
    ),
    solution="if not training:\n"
    "    return hidden_states\n"
    "return hidden_states * (uniform >= probability) / (1 - probability)",
    explanation="With a probability of 0.1, nine of ten features stay and are 1 / 0.9 times as large, so that sums "
    "further on have the same mean as in use. `model.train()` and `model.eval()` set `training` in every module.",
    stages=_steps,
)
