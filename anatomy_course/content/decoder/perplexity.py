"""Notebook 04: perplexity, the exponential of the average loss."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from anatomy_course.content.sizes import and_short, real_words
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind, batch, position in (("padded texts", 2, 5), ("padded texts", 3, 7), ("one text", 1, 11)):
        real = real_words(generator, kind, batch, position, range(1, position - 2), position - 1)
        arguments = {
            "probabilities": 0.05 + 0.9 * torch.rand(batch, position, generator=generator),
            "attention_mask": real.long(),
        }
        yield Case(arguments, kind, {"batch": batch, "position": position})


def _real(probabilities: Tensor, mask: Tensor) -> Tensor:
    return probabilities[mask == 1]


def _losses_of_texts(probabilities: Tensor, mask: Tensor) -> Tensor:
    return -(probabilities.log() * mask).sum(1) / mask.sum(1)


def _token_by_token(probabilities: Tensor, mask: Tensor) -> Tensor:
    product, count = torch.ones(()), 0
    for row, real in zip(probabilities, mask, strict=True):
        for place in range(int(real.sum())):
            product, count = product * row[place], count + 1
    return product ** (-1 / count)


def _steps(probabilities: Tensor, mask: Tensor) -> Mapping[str, Tensor]:
    real = _real(probabilities, mask)
    return {
        "probabilities of the real tokens": real,
        "log-probabilities of the real tokens": real.log(),
        "losses of the real tokens": -real.log(),
        "average loss": -real.log().mean(),
    }


EXERCISE = Exercise(
    id="decoder.perplexity",
    title="Perplexity",
    task="Take e to the power of the average loss, −log p, over all real tokens.",
    difficulty="easy",
    minutes=3,
    signature="perplexity(probabilities: Tensor, attention_mask: Tensor) -> Tensor",
    docstring="probabilities (batch, position): what the model gave to each token that really came; attention_mask:\n"
    "1 = a token that counts, 0 = padding → one number, ().",
    reference="anatomy_utils.training.losses.perplexity",
    returns=(Output("perplexity"),),
    cases=and_short(_cases, "position", "texts of one word"),
    mistakes=(
        Mistake("padding_counted", lambda p, mask: (-p.log()).mean().exp(), "Padding counts in your average."),
        Mistake(
            "divided_by_all",
            lambda p, mask: (-(p.log() * mask)).mean().exp(),
            "Padding adds nothing to your sum, but it is counted in what you divide by.",
        ),
        Mistake("loss", lambda p, mask: -_real(p, mask).log().mean(), "Yours is the average loss itself."),
        Mistake(
            "below_one",
            lambda p, mask: _real(p, mask).log().mean().exp(),
            "Yours is 1 divided by the perplexity: what the model gives to a token, on (geometric) average.",
        ),
        Mistake(
            "average_of_inverses",
            lambda p, mask: (1 / _real(p, mask)).mean(),
            "You average 1/p over the tokens: one very unlikely token would decide all. The average is taken of the "
            "logarithms.",
        ),
        Mistake(
            "inverse_of_average",
            lambda p, mask: 1 / _real(p, mask).mean(),
            "Yours is 1 divided by the average probability; the average is taken of the logarithms.",
        ),
        Mistake(
            "summed",
            lambda p, mask: (-_real(p, mask).log()).sum().exp(),
            "Your exponent is the sum of all losses: it would grow with the length of the texts.",
        ),
        Mistake(
            "texts_alike",
            lambda p, mask: _losses_of_texts(p, mask).mean().exp(),
            "You average text by text first: a token in a short text counts more than one in a long text.",
        ),
        Mistake(
            "average_of_texts",
            lambda p, mask: _losses_of_texts(p, mask).exp().mean(),
            "Yours is the average of the texts' own perplexities; all tokens should be averaged at once.",
        ),
        Mistake(
            "mixed_bases",
            lambda p, mask: 2 ** (-_real(p, mask).log().mean()),
            "Your logarithm is the natural one, but 2 is raised to its power: the two bases must be the same.",
        ),
    ),
    also_right={
        "base 2": lambda p, mask: 2 ** (-_real(p, mask).log2().mean()),
        "masked sum": lambda p, mask: (-(p.log() * mask).sum() / mask.sum()).exp(),
        "a root of a product": _token_by_token,
        "1 divided by the geometric mean": lambda p, mask: 1 / _real(p, mask).log().mean().exp(),
    },
    hints=(
        "`probabilities[attention_mask == 1]` are those that count, from all texts, in one row.",
        "The loss of a token is −log p. Average first; e to the power of it comes last.",
        "`-real.log()` are the losses; `.mean()` and `.exp()` do the rest.",
    ),
    solution="real = probabilities[attention_mask == 1]\nreturn (-real.log()).mean().exp()",
    explanation="A model that hesitates between 8 equally likely tokens at every step has perplexity 8. "
    "Perplexities of different models can be compared only if the models cut texts into the same tokens.",
    stages=_steps,
)
