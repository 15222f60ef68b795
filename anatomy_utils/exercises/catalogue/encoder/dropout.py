"""Notebook 03: dropout, in training and in use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from anatomy_utils.exercises.catalogue.sizes import normal, primes
from anatomy_utils.exercises.definition import Case, Exercise, Mistake, Output


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind, probability in (("a model in training", 0.4), ("a model in training", 0.25), ("a model in use", 0.3)):
        batch, position, d_model = primes(generator, 3, (5, 7, 11))
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
    task="While training, set to 0 each feature whose random number is below the probability, and enlarge the others "
    "by 1 / (1 − probability); in use change nothing.",
    difficulty="easy",
    minutes=3,
    signature="dropout(hidden_states: Tensor, uniform: Tensor, probability: float, training: bool) -> Tensor",
    docstring="uniform: random numbers from 0 to 1, as many as hidden_states has, made outside so that all can be\n"
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
            "Yours leaves features as they are in training and shrinks them in use. It was done so at first; today it "
            "is the other way round.",
        ),
        Mistake(
            "shrunk_as_well",
            lambda x, u, p, training: _dropped(x, u, p) / (1 - p) if training else x * (1 - p),
            "Training is right, but in use your features shrink: that has been made up for already.",
        ),
        Mistake(
            "enlarged_in_use",
            lambda x, u, p, training: (_dropped(x, u, p) if training else x) / (1 - p),
            "Training is right, but in use your features are enlarged, although none has been left out.",
        ),
        Mistake(
            "always",
            lambda x, u, p, training: _dropped(x, u, p) / (1 - p),
            "Yours leaves features out in use as well: the same text would give another answer each time.",
        ),
        Mistake(
            "in_use_only",
            lambda x, u, p, training: x if training else _dropped(x, u, p) / (1 - p),
            "Training and use have changed places in yours.",
        ),
        Mistake("never", lambda x, u, p, training: x, "No feature of yours is ever left out."),
        Mistake(
            "kept_below",
            lambda x, u, p, training: x * (u < p) / (1 - p) if training else x,
            "Yours keeps the features that should go, and the other way round: only a share of `probability` is left.",
        ),
        Mistake(
            "kept_below_and_enlarged",
            lambda x, u, p, training: x * (u < p) / p if training else x,
            "Your `probability` is that of staying; here it is that of being left out.",
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
            "The right features are gone, but the others have grown by 1 + probability: nearly enough, and not quite.",
        ),
        Mistake(
            "whole_words",
            lambda x, u, p, training: _dropped(x, u[..., :1], p) / (1 - p) if training else x,
            "Yours leaves out whole words, by the first random number of each; every feature has one of its own.",
        ),
        Mistake(
            "the_same_for_all_words",
            lambda x, u, p, training: _dropped(x, u[:, :1], p) / (1 - p) if training else x,
            "All words of a text lose the same features in yours; every word has random numbers of its own.",
        ),
    ),
    alternatives={
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
