"""Notebook 04: probabilities of the next token at a temperature."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn import functional as F

from anatomy_course.content.sizes import and_large, batch_and_primes, normal
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind, temperature in (("a low temperature", 0.4), ("a high temperature", 2.5), ("one text", 0.7)):
        batch, vocab_size = batch_and_primes(generator, kind, 2, (5, 7, 11))
        arguments = {"logits": 2 * normal(generator, batch, vocab_size), "temperature": temperature}
        yield Case(arguments, kind, {"batch": batch, "vocab_size": vocab_size})


def _powers(logits: Tensor, temperature: float) -> Tensor:
    powers = logits.softmax(-1) ** (1 / temperature)
    return powers / powers.sum(-1, keepdim=True)


def _by_hand(logits: Tensor, temperature: float) -> Tensor:
    powers = ((logits - logits.amax(-1, keepdim=True)) / temperature).exp()
    return powers / powers.sum(-1, keepdim=True)


EXERCISE = Exercise(
    id="decoder.next_probabilities",
    title="Temperature",
    task="Turn logits into probabilities at a temperature: softmax(logits / T).",
    difficulty="easy",
    minutes=2,
    signature="next_probabilities(logits: Tensor, temperature: float) -> Tensor",
    docstring="logits (batch, vocab_size), temperature above 0 → probabilities (batch, vocab_size); rows sum to 1.",
    reference="anatomy_utils.decoding.by_hand.next_probabilities",
    returns=(Output("probabilities", "batch vocab_size"),),
    cases=and_large(_cases, "logits"),
    mistakes=(
        Mistake(
            "multiplied",
            lambda logits, t: (logits * t).softmax(-1),
            "Your logits are multiplied by the temperature: a high one then sharpens, where it should flatten.",
        ),
        Mistake(
            "ignored",
            lambda logits, t: logits.softmax(-1),
            "Yours are the probabilities at temperature 1; the one that is given plays no part.",
        ),
        Mistake(
            "divided_afterwards",
            lambda logits, t: logits.softmax(-1) / t,
            "Your probabilities are divided, not your logits: the rows no longer sum to 1.",
        ),
        Mistake(
            "two_softmaxes",
            lambda logits, t: (logits.softmax(-1) / t).softmax(-1),
            "One softmax too many: what is divided by T are probabilities already.",
        ),
        Mistake(
            "no_softmax",
            lambda logits, t: logits / t,
            "Yours are the divided logits; what is wanted is their softmax.",
        ),
        Mistake(
            "log_probabilities",
            lambda logits, t: (logits / t).log_softmax(-1),
            "Yours are the logarithms of the probabilities.",
        ),
        Mistake(
            "not_normalized",
            lambda logits, t: (logits / t).exp(),
            "Yours are powers of e as they are: the rows do not sum to 1.",
        ),
        Mistake(
            "over_the_batch",
            lambda logits, t: (logits / t).softmax(0),
            "Your columns sum to 1: the softmax ran over the texts of the batch.",
        ),
        Mistake(
            "overflow",
            lambda logits, t: (logits / t).exp() / (logits / t).exp().sum(-1, keepdim=True),
            "Right for small logits. When one is large, e to the power of it is beyond float32, and ∞/∞ is NaN.",
        ),
        Mistake("root", lambda logits, t: (logits / t**0.5).softmax(-1), "You divide by the root of the temperature."),
    ),
    also_right={
        "F.softmax": lambda logits, t: F.softmax(logits / t, dim=-1),
        "times 1 / T": lambda logits, t: (logits * (1 / t)).softmax(dim=1),
        "powers of probabilities": _powers,
        "by hand": _by_hand,
    },
    hints=(
        "First change the logits, then turn them into probabilities.",
        "A small T makes the gaps between logits larger.",
        "`(logits / temperature)`, and `.softmax` over the vocabulary, the last axis.",
    ),
    solution="return (logits / temperature).softmax(dim=-1)",
    explanation="Toward 0 the likeliest token gets everything, which is greedy choice; toward ∞ all tokens become "
    "equally likely. The order of the tokens never changes.",
    stages=lambda logits, t: {"divided logits": logits / t},
)
