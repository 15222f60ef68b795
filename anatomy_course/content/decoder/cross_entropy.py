"""Notebook 04: cross-entropy, the loss of a language model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor
from torch.nn import functional as F

from anatomy_course.content.decoder.shared import averaging_mistakes, labelled_cases, logits_mistakes
from anatomy_course.content.sizes import and_short
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output
from anatomy_utils.training.losses import IGNORE


def _cases(generator: torch.Generator) -> Iterator[Case]:
    """One more: a loss of exactly 0 counts, too, and a logit far above all others is no measure for their positions."""
    *others, last = labelled_cases(generator)
    yield from others
    logits = last.arguments["logits"].clone()
    logits[0, 0, last.arguments["labels"][0, 0]] = 200.0
    yield Case({**last.arguments, "logits": logits}, "a right token that is certain", last.sizes)
    yield last


def _chosen(numbers: Tensor, labels: Tensor) -> Tensor:
    """The number of the right token at every position; that of token 0 where there is none."""
    return numbers.gather(-1, labels.clamp(min=0)[..., None])[..., 0]


def _losses(logits: Tensor, labels: Tensor) -> Tensor:
    return -_chosen(logits.log_softmax(-1), labels)


def _mean(numbers: Tensor, labels: Tensor) -> Tensor:
    return numbers[labels != IGNORE].mean()


def _over_positions(logits: Tensor, labels: Tensor) -> Tensor:
    return _mean(-_chosen(logits.log_softmax(1), labels), labels)


def _one_maximum(logits: Tensor, labels: Tensor) -> Tensor:
    logits = logits - logits.max()
    return -_mean(_chosen(logits - logits.exp().sum(-1, keepdim=True).log(), labels), labels)


def _without_zeros(logits: Tensor, labels: Tensor) -> Tensor:
    losses = _losses(logits, labels)[labels != IGNORE]
    return losses.sum() / (losses != 0).sum()


def _word_by_word(logits: Tensor, labels: Tensor) -> Tensor:
    losses = []
    for row, text in zip(logits, labels, strict=True):
        for numbers, label in zip(row, text, strict=True):
            if label != IGNORE:
                losses.append(numbers.logsumexp(0) - numbers[label])
    return torch.stack(losses).mean()


def _one_hot(logits: Tensor, labels: Tensor) -> Tensor:
    real = labels != IGNORE
    right = F.one_hot(labels[real], logits.shape[-1])
    return -(right * logits[real].log_softmax(-1)).sum() / len(right)


def _steps(logits: Tensor, labels: Tensor) -> Mapping[str, Tensor]:
    return {
        "real positions": labels != IGNORE,
        "probabilities": logits.softmax(-1),
        "log-probabilities": logits.log_softmax(-1),
        "losses of the real tokens": _losses(logits, labels)[labels != IGNORE],
    }


EXERCISE = Exercise(
    id="decoder.cross_entropy",
    title="The loss by hand",
    task="Average −log p(right token) over the positions whose label is not −100.",
    difficulty="medium",
    minutes=6,
    signature="cross_entropy(logits: Tensor, labels: Tensor) -> Tensor",
    docstring="logits (batch, position, vocab_size), labels (batch, position), −100 = does not count → one number, ().",
    reference="anatomy_utils.training.losses.cross_entropy",
    returns=(Output("cross-entropy"),),
    cases=and_short(_cases, "position", "texts of one word"),
    mistakes=(
        *averaging_mistakes(_losses),
        *logits_mistakes(_losses),
        Mistake(
            "log_of_softmax",
            lambda logits, labels: -_mean(_chosen(logits.softmax(-1).log(), labels), labels),
            "Right for logits that lie close together. Of others softmax rounds a small probability to 0, and log 0 is "
            "−∞; `log_softmax` does both at once.",
        ),
        Mistake(
            "one_maximum",
            _one_maximum,
            "Right where the logits of all positions lie in one range. Measured against a maximum far above them, e to "
            "their power is rounded to 0, and log 0 is −∞: each position needs a maximum of its own.",
        ),
        Mistake(
            "zeros_left_out",
            _without_zeros,
            "A token that the model was certain of is left out of your average: a loss of 0 counts like any other.",
        ),
        Mistake(
            "perplexity",
            lambda logits, labels: _mean(_losses(logits, labels), labels).exp(),
            "Yours is e to the power of the loss: that is the perplexity.",
        ),
        Mistake(
            "no_logarithm",
            lambda logits, labels: -_mean(_chosen(logits.softmax(-1), labels), labels),
            "Yours is the average of −p, not of −log p.",
        ),
        Mistake(
            "logarithm_last",
            lambda logits, labels: -_mean(_chosen(logits.softmax(-1), labels), labels).log(),
            "You average the probabilities and then take the logarithm; it should be taken of each of them.",
        ),
        Mistake(
            "no_softmax",
            lambda logits, labels: -_mean(_chosen(logits, labels), labels),
            "Yours is the average of the right tokens' logits, with a minus, as if there were no softmax.",
        ),
        Mistake(
            "over_positions",
            _over_positions,
            "Your softmax runs over the positions of a text; it should run over the vocabulary.",
        ),
    ),
    also_right={
        "torch's": lambda logits, labels: F.cross_entropy(logits.flatten(0, 1), labels.flatten()),
        "torch's, vocabulary second": lambda logits, labels: F.cross_entropy(logits.mT, labels),
        "gather": lambda logits, labels: _mean(_losses(logits, labels), labels),
        "one-hot": _one_hot,
        "word by word": _word_by_word,
    },
    hints=(
        "First throw away what does not count: `real = labels != -100` picks rows of the logits and labels alike.",
        "`log_softmax(dim=-1)` turns logits into log-probabilities. From each row you need one number, that of its "
        "label.",
        "`rows[torch.arange(len(rows)), right]` takes from row i the column `right[i]`.",
    ),
    solution="real = labels != -100\n"
    "log_probabilities = logits[real].log_softmax(dim=-1)\n"
    "right = labels[real]\n"
    "return -log_probabilities[torch.arange(len(right)), right].mean()",
    explanation="A model that knows nothing gives each of V tokens 1/V, and its loss is log V. Only the probability of "
    "the right token enters the loss; those of the others count through the softmax.",
    stages=_steps,
)
