"""Notebook 03: layer normalization."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor
from torch.nn import functional as F

from anatomy_course.content.sizes import batch_and_primes, normal
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind, epsilon in (("a batch of texts", 0.05), ("one text", 0.1), ("nearly constant vectors", 0.01)):
        batch, position, d_model = batch_and_primes(generator, kind, 3, (3, 5, 7))
        states = 2 * normal(generator, batch, position, d_model) + normal(generator, batch, position, 1)
        if kind == "nearly constant vectors":
            states = 1 + 0.1 * normal(generator, batch, position, d_model)
        weight = 1 + 0.5 * normal(generator, d_model)
        weight[0] *= -1 if kind == "one text" else 1
        arguments = {
            "hidden_states": states,
            "weight": weight,
            "bias": normal(generator, d_model),
            "epsilon": epsilon,
        }
        yield Case(arguments, kind, {"batch": batch, "position": position, "d_model": d_model})


def _centred(x: Tensor, axis: int | tuple[int, ...] = -1) -> Tensor:
    return x - x.mean(axis, keepdim=True)


def _variance(x: Tensor, axis: int | tuple[int, ...] = -1) -> Tensor:
    return _centred(x, axis).square().mean(axis, keepdim=True)


def _norm(x: Tensor, w: Tensor, b: Tensor, e: float, axis: int | tuple[int, ...] = -1) -> Tensor:
    return _centred(x, axis) / (_variance(x, axis) + e).sqrt() * w + b


def _steps(x: Tensor, w: Tensor, b: Tensor, e: float) -> Mapping[str, Tensor]:
    return {
        "means": x.mean(-1, keepdim=True),
        "centered vectors": _centred(x),
        "variances": _variance(x),
        "standard deviations": (_variance(x) + e).sqrt(),
        "normalized vectors": _centred(x) / (_variance(x) + e).sqrt(),
    }


EXERCISE = Exercise(
    id="encoder.layer_norm",
    title="Layer norm by hand",
    task="Bring each vector to mean 0 and variance 1, (x − mean) / √(variance + ε), then multiply by the weight and "
    "add the bias.",
    difficulty="medium",
    minutes=5,
    signature="layer_norm(hidden_states: Tensor, weight: Tensor, bias: Tensor, epsilon: float) -> Tensor",
    docstring="hidden_states (batch, position, d_model), weight and bias (d_model,) → normed vectors, the same shape.\n"
    "Mean and variance are each vector's own; the variance divides by d_model.",
    reference="anatomy_utils.functional.norm.layer_norm",
    returns=(Output("vectors", "position d_model"),),
    cases=_cases,
    mistakes=(
        Mistake(
            "unbiased",
            lambda x, w, b, e: _centred(x) / (x.var(-1, keepdim=True) + e).sqrt() * w + b,
            "Your variance divides by d_model − 1, as torch's `var` does unless told otherwise.",
        ),
        Mistake(
            "epsilon_outside",
            lambda x, w, b, e: _centred(x) / (_variance(x).sqrt() + e) * w + b,
            "Your ε is added to the root; it belongs under the root, with the variance.",
        ),
        Mistake(
            "unbiased_and_outside",
            lambda x, w, b, e: _centred(x) / (x.std(-1, keepdim=True) + e) * w + b,
            "Two things at once: your variance divides by d_model − 1, as torch's `std` does, and your ε is outside "
            "the root.",
        ),
        Mistake(
            "no_epsilon",
            lambda x, w, b, e: _centred(x) / _variance(x).sqrt() * w + b,
            "The given ε does not reach your result: without one, a vector of equal numbers would be divided by 0.",
        ),
        Mistake(
            "fixed_epsilon",
            lambda x, w, b, e: F.layer_norm(x, w.shape, w, b),
            "Your ε is 0.00001, torch's own, whatever `epsilon` says.",
        ),
        Mistake(
            "no_root",
            lambda x, w, b, e: _centred(x) / (_variance(x) + e) * w + b,
            "You divide by the variance itself, not by its root.",
        ),
        Mistake(
            "over_the_positions",
            lambda x, w, b, e: _norm(x, w, b, e, -2),
            "Your mean and variance run over the words of a text, one for each feature; they should be each word's "
            "own.",
        ),
        Mistake(
            "over_the_batch",
            lambda x, w, b, e: _norm(x, w, b, e, 0),
            "Your mean and variance run over the texts of the batch: a text would change with the other texts.",
        ),
        Mistake(
            "over_the_text",
            lambda x, w, b, e: _norm(x, w, b, e, (-2, -1)),
            "You use one mean and one variance for a whole text; each word should have its own.",
        ),
        Mistake(
            "over_everything",
            lambda x, w, b, e: _norm(x, w, b, e, tuple(range(x.dim()))),
            "You use one mean and one variance for the whole batch; each word should have its own.",
        ),
        Mistake(
            "mean_kept",
            lambda x, w, b, e: x / (_variance(x) + e).sqrt() * w + b,
            "You divide by the right number, but the mean is still in what you divide.",
        ),
        Mistake(
            "root_mean_square",
            lambda x, w, b, e: x / (x.square().mean(-1, keepdim=True) + e).sqrt() * w + b,
            "You divide by the root of the mean square, and the mean stays in. That is RMSNorm, which came later.",
        ),
        Mistake(
            "square_of_the_uncentred",
            lambda x, w, b, e: _centred(x) / (x.square().mean(-1, keepdim=True) + e).sqrt() * w + b,
            "Your variance is the mean of x²; it should be that of (x − mean)².",
        ),
        Mistake(
            "centred_only",
            lambda x, w, b, e: _centred(x) * w + b,
            "The mean is gone from your vectors, but they are not divided.",
        ),
        Mistake(
            "no_weight_no_bias",
            lambda x, w, b, e: _centred(x) / (_variance(x) + e).sqrt(),
            "Mean 0 and variance 1 are right, but weight and bias are not in your result yet.",
        ),
        Mistake(
            "no_bias",
            lambda x, w, b, e: _centred(x) / (_variance(x) + e).sqrt() * w,
            "Everything up to the weight is right; the bias is missing from your result.",
        ),
        Mistake(
            "bias_first",
            lambda x, w, b, e: (_centred(x) / (_variance(x) + e).sqrt() + b) * w,
            "You add the bias before the weight, so the weight scales it too.",
        ),
        Mistake(
            "one_more",
            lambda x, w, b, e: _centred(x) / (_variance(x) + e).sqrt() * (1 + w) + b,
            "You multiply by 1 + weight. Some models store the weight that way; here it is the whole factor.",
        ),
    ),
    also_right={
        "F.layer_norm": lambda x, w, b, e: F.layer_norm(x, w.shape, w, b, e),
        "var and rsqrt": lambda x, w, b, e: _centred(x) * (x.var(-1, keepdim=True, unbiased=False) + e).rsqrt() * w + b,
        "mean of squares": lambda x, w, b, e: (
            _centred(x) / (x.square().mean(-1, keepdim=True) - x.mean(-1, keepdim=True).square() + e).sqrt() * w + b
        ),
        "addcmul": lambda x, w, b, e: torch.addcmul(b, _centred(x) * (_variance(x) + e) ** -0.5, w),
    },
    hints=(
        "Five steps: mean, difference, variance, division, weight and bias. Along which axis does one word's vector "
        "run?",
        "`hidden_states.mean(dim=-1, keepdim=True)` keeps an axis of length 1, so that it can be subtracted. The "
        "variance is the mean of the squared differences.",
        "`centered = hidden_states - mean`, `variance = centered.square().mean(dim=-1, keepdim=True)`; then "
        "`centered / (variance + epsilon).sqrt()`.",
    ),
    solution="centered = hidden_states - hidden_states.mean(dim=-1, keepdim=True)\n"
    "variance = centered.square().mean(dim=-1, keepdim=True)\n"
    "return centered / (variance + epsilon).sqrt() * weight + bias",
    explanation="Ba, Kiros and Hinton 2016. Each word is brought to a common scale by itself: other words, other texts "
    "and the length of the text have no influence. Weight and bias let the model choose another scale again.",
    stages=_steps,
)
