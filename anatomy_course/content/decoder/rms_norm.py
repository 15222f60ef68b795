"""Notebook 04: RMSNorm, the norm of most decoders since 2023."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor
from torch.nn import functional as F

from anatomy_course.content.sizes import batch_and_primes, normal
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind, epsilon in (("a batch of texts", 0.05), ("one text", 0.1), ("short vectors", 0.01)):
        batch, position, d_model = batch_and_primes(generator, kind, 3, (3, 5, 7))
        states = 2 * normal(generator, batch, position, d_model) + normal(generator, batch, position, 1)
        weight = 1 + 0.5 * normal(generator, d_model)
        weight[0] *= -1 if kind == "one text" else 1
        arguments = {
            "hidden_states": 0.1 * states if kind == "short vectors" else states,
            "weight": weight,
            "epsilon": epsilon,
        }
        yield Case(arguments, kind, {"batch": batch, "position": position, "d_model": d_model})


def _mean_square(x: Tensor, axis: int | tuple[int, ...] = -1) -> Tensor:
    return x.square().mean(axis, keepdim=True)


def _norm(x: Tensor, w: Tensor, e: float, axis: int | tuple[int, ...] = -1) -> Tensor:
    return x / (_mean_square(x, axis) + e).sqrt() * w


def _steps(x: Tensor, w: Tensor, e: float) -> Mapping[str, Tensor]:
    return {
        "squares": x.square(),
        "mean squares": _mean_square(x),
        "root mean squares": (_mean_square(x) + e).sqrt(),
        "normalized vectors": x / (_mean_square(x) + e).sqrt(),
    }


EXERCISE = Exercise(
    id="decoder.rms_norm",
    title="RMSNorm by hand",
    task="Divide each vector by the root of its mean square, x / √(mean(x²) + ε), then multiply by the weight.",
    difficulty="easy",
    minutes=3,
    signature="rms_norm(hidden_states: Tensor, weight: Tensor, epsilon: float) -> Tensor",
    docstring="hidden_states (batch, position, d_model), weight (d_model,) → normed vectors, the same shape.",
    reference="anatomy_utils.functional.norm.rms_norm",
    returns=(Output("vectors", "position d_model"),),
    cases=_cases,
    mistakes=(
        Mistake(
            "layer_norm",
            lambda x, w, e: F.layer_norm(x, w.shape, w, None, e),
            "That is layer norm without its bias: the mean has been subtracted. RMSNorm leaves it in.",
        ),
        Mistake(
            "epsilon_outside",
            lambda x, w, e: x / (_mean_square(x).sqrt() + e) * w,
            "Your ε is added to the root; it belongs under it, beside the mean square.",
        ),
        Mistake(
            "no_epsilon",
            lambda x, w, e: x / _mean_square(x).sqrt() * w,
            "Yours is the result without the given ε, which keeps a vector of zeros from being divided by 0.",
        ),
        Mistake(
            "no_root",
            lambda x, w, e: x / (_mean_square(x) + e) * w,
            "You divide by the mean square itself, not by its root.",
        ),
        Mistake(
            "summed",
            lambda x, w, e: x / (x.square().sum(-1, keepdim=True) + e).sqrt() * w,
            "You divide by the length of the vector: the root of the sum of the squares. Their mean is needed.",
        ),
        Mistake(
            "square_of_the_mean",
            lambda x, w, e: x / (x.mean(-1, keepdim=True).square() + e).sqrt() * w,
            "You square the mean; it should be the mean of the squares.",
        ),
        Mistake(
            "over_the_positions",
            lambda x, w, e: _norm(x, w, e, -2),
            "Your mean runs over the words of a text, one for each feature; it should be each word's own.",
        ),
        Mistake(
            "over_everything",
            lambda x, w, e: _norm(x, w, e, (0, 1, 2)),
            "One mean serves your whole batch; each word should have its own.",
        ),
        Mistake(
            "no_weight",
            lambda x, w, e: x / (_mean_square(x) + e).sqrt(),
            "Your vectors are normalized, but the weight plays no part.",
        ),
        Mistake(
            "weight_added",
            lambda x, w, e: x / (_mean_square(x) + e).sqrt() + w,
            "Your weight is added; it should be a factor.",
        ),
        Mistake(
            "one_plus_weight",
            lambda x, w, e: x / (_mean_square(x) + e).sqrt() * (1 + w),
            "Your factor is 1 + weight, as Gemma stores its norms; here the weight is the factor.",
        ),
    ),
    also_right={
        "torch's": lambda x, w, e: F.rms_norm(x, w.shape, w, e),
        "rsqrt": lambda x, w, e: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + e) * w,
        "a length": lambda x, w, e: w * x * (x.norm(dim=-1, keepdim=True) ** 2 / x.shape[-1] + e) ** -0.5,
    },
    hints=(
        "Read the name backwards: square, mean, root. Then divide.",
        "The mean needs its axis kept: `.mean(dim=-1, keepdim=True)`.",
        "`mean_square = hidden_states.square().mean(dim=-1, keepdim=True)`; ε is added before the root.",
    ),
    solution="mean_square = hidden_states.square().mean(dim=-1, keepdim=True)\n"
    "return hidden_states / (mean_square + epsilon).sqrt() * weight",
    explanation="Zhang and Sennrich 2019: layer norm without the mean and without the bias does as well, and is "
    "cheaper. Llama uses it, and so have most decoders since.",
    stages=_steps,
)
