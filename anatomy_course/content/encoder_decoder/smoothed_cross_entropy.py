"""Notebook 05: cross-entropy with label smoothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import torch
from torch import Tensor
from torch.nn import functional as F

from anatomy_course.content.decoder.shared import averaging_mistakes, labelled_cases, logits_mistakes
from anatomy_course.content.sizes import and_short
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output
from anatomy_utils.training.losses import IGNORE, cross_entropy

EPSILONS = (0.1, 0.05, 0.2, 0.15, 0.3)


def _cases(generator: torch.Generator) -> list[Case]:
    pairs = zip(labelled_cases(generator), EPSILONS, strict=True)
    return [replace(case, arguments={**case.arguments, "epsilon": epsilon}) for case, epsilon in pairs]


def _smoothed(logits: Tensor, labels: Tensor, epsilon: float) -> Tensor:
    return cross_entropy(logits, labels, label_smoothing=epsilon)


def _both(logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """−log p of the right token, and of a token on average, at every position (where there is no label: of token 0)."""
    losses = -logits.log_softmax(-1)
    return losses.gather(-1, labels.clamp(min=0)[..., None])[..., 0], losses.mean(-1)


def _losses(logits: Tensor, labels: Tensor, epsilon: float) -> Tensor:
    mine, even = _both(logits, labels)
    return (1 - epsilon) * mine + epsilon * even


def _mixed(logits: Tensor, labels: Tensor, right: float, spread: float) -> Tensor:
    """right · −log p(right token) + spread · the mean over the vocabulary, averaged over the real positions."""
    mine, even = _both(logits, labels)
    return (right * mine + spread * even)[labels != IGNORE].mean()


def _log_of_softmax(logits: Tensor, labels: Tensor, epsilon: float) -> Tensor:
    losses = -logits[labels != IGNORE].softmax(-1).log()
    mine = losses.gather(-1, labels[labels != IGNORE][:, None])[:, 0]
    return ((1 - epsilon) * mine + epsilon * losses.mean(-1)).mean()


def _others_only(logits: Tensor, labels: Tensor, epsilon: float) -> Tensor:
    vocab_size = logits.shape[-1]
    share = epsilon / (vocab_size - 1)
    return _mixed(logits, labels, 1 - epsilon - share, share * vocab_size)


def _target_by_target(logits: Tensor, labels: Tensor, epsilon: float) -> Tensor:
    real = labels != IGNORE
    vocab_size = logits.shape[-1]
    target = (1 - epsilon) * F.one_hot(labels[real], vocab_size) + epsilon / vocab_size
    return -(target * logits[real].log_softmax(-1)).sum(-1).mean()


def _word_by_word(logits: Tensor, labels: Tensor, epsilon: float) -> Tensor:
    losses = []
    for numbers, label in zip(logits.flatten(0, 1), labels.flatten().tolist(), strict=True):
        if label != IGNORE:
            each = numbers.logsumexp(0) - numbers
            losses.append((1 - epsilon) * each[label] + epsilon * each.mean())
    return torch.stack(losses).mean()


def _steps(logits: Tensor, labels: Tensor, epsilon: float) -> Mapping[str, Tensor]:
    real = labels != IGNORE
    mine, even = _both(logits, labels)
    return {"losses of the right tokens": mine[real], "losses of all tokens, averaged": even[real]}


EXERCISE = Exercise(
    id="encoder_decoder.smoothed_cross_entropy",
    title="Label smoothing",
    task="Let the right token count with 1 − ε, and spread ε evenly over the whole vocabulary: average "
    "(1 − ε) · −log p(right token) + ε · mean over the vocabulary of −log p.",
    difficulty="medium",
    minutes=6,
    signature="smoothed_cross_entropy(logits: Tensor, labels: Tensor, epsilon: float) -> Tensor",
    docstring="logits (batch, position, vocab_size), labels (batch, position), −100 = does not count, epsilon from 0\n"
    "to below 1 → one number, ().",
    reference=_smoothed,
    returns=(Output("loss"),),
    cases=and_short(_cases, "position", "texts of one word"),
    mistakes=(
        *averaging_mistakes(_losses),
        *logits_mistakes(_losses),
        Mistake(
            "log_of_softmax",
            _log_of_softmax,
            "Right for logits that lie close together. Of others softmax rounds a small probability to 0, and log 0 is "
            "−∞; `log_softmax` does both at once.",
        ),
        Mistake(
            "not_smoothed",
            lambda logits, labels, e: _mixed(logits, labels, 1.0, 0.0),
            "That is the plain cross-entropy; ε plays no part.",
        ),
        Mistake(
            "only_shrunk",
            lambda logits, labels, e: _mixed(logits, labels, 1 - e, 0.0),
            "Your right token counts with 1 − ε, but the ε goes to no token.",
        ),
        Mistake(
            "swapped",
            lambda logits, labels, e: _mixed(logits, labels, e, 1 - e),
            "You have ε and 1 − ε in each other's place: nearly everything goes to the whole vocabulary.",
        ),
        Mistake(
            "added",
            lambda logits, labels, e: _mixed(logits, labels, 1.0, e),
            "You spread the ε correctly, but the right token still counts with 1: together that is more than 1.",
        ),
        Mistake(
            "summed_over_tokens",
            lambda logits, labels, e: _mixed(logits, labels, 1 - e, e * logits.shape[-1]),
            "You give ε to each token of the vocabulary. All of them together should get it.",
        ),
        Mistake(
            "others_only",
            _others_only,
            "Your ε is spread over the wrong tokens only. Some libraries do that; here the right token gets its part, "
            "too.",
        ),
        Mistake(
            "padding_smoothed",
            lambda logits, labels, e: _mixed(logits, labels, 1 - e, 0.0) + e * _both(logits, labels)[1].mean(),
            "For the right tokens you leave out padding, but you take the mean over the vocabulary at all positions.",
        ),
        Mistake(
            "mean_of_probabilities",
            lambda logits, labels, e: (
                _mixed(logits, labels, 1 - e, 0.0) - e * logits.softmax(-1).mean(-1)[labels != IGNORE].log().mean()
            ),
            "You average the probabilities of all tokens and then take the logarithm: that is log(1/vocab_size) "
            "whatever the model says.",
        ),
        Mistake(
            "logits_averaged",
            lambda logits, labels, e: _mixed(logits, labels, 1 - e, 0.0) - e * logits.mean(-1)[labels != IGNORE].mean(),
            "You average the logits over the vocabulary; take their log-softmax first.",
        ),
        Mistake(
            "one_sign",
            lambda logits, labels, e: _mixed(logits, labels, 1 - e, -e),
            "Your second part has the wrong sign: it comes out subtracted, and it should be added.",
        ),
    ),
    also_right={
        "torch's": lambda logits, labels, e: F.cross_entropy(logits.flatten(0, 1), labels.flatten(), label_smoothing=e),
        "two parts": lambda logits, labels, e: _mixed(logits, labels, 1 - e, e),
        "a smoothed target": _target_by_target,
        "word by word": _word_by_word,
    },
    hints=(
        "Half of it is your cross-entropy of notebook 04. The other half is what the loss would be on average if any "
        "token could be the right one.",
        "`losses = -logits[labels != -100].log_softmax(dim=-1)` has a row for each real position: −log p of every "
        "token.",
        "From each row you need its label's number and its mean. `losses[torch.arange(len(right)), right]` gives the "
        "first.",
    ),
    solution="real = labels != -100\n"
    "losses, right = -logits[real].log_softmax(dim=-1), labels[real]\n"
    "of_right = losses[torch.arange(len(right)), right]\n"
    "return ((1 - epsilon) * of_right + epsilon * losses.mean(dim=-1)).mean()",
    explanation="The target is no longer “this token and no other” but “most likely this one”. Being too sure costs "
    "something, so the logits do not grow without end, and the loss has a floor above 0. The paper has ε = 0.1.",
    stages=_steps,
)
