"""Notebook 06: cross-entropy with label smoothing."""

from dataclasses import replace

import torch

from anatomy_course.content.decoder.shared import LOSS_MISTAKES, labelled_cases
from anatomy_course.content.writing import Cases, Generator, Tensor, and_short, written


def smoothed_cross_entropy(logits: Tensor, labels: Tensor, epsilon: float) -> Tensor:
    """logits (batch, position, vocab_size), labels (batch, position), −100 = does not count, epsilon from 0
    to below 1; at least one label counts → one number, ().
    """
    real = labels != -100
    losses, right = -logits[real].log_softmax(dim=-1), labels[real]
    of_right = losses[torch.arange(len(right)), right]
    return ((1 - epsilon) * of_right + epsilon * losses.mean(dim=-1)).mean()


def cases(generator: Generator) -> Cases:
    epsilons = (0.1, 0.05, 0.2, 0.15, 0.3)
    pairs = zip(labelled_cases(generator), epsilons, strict=True)
    return [replace(case, arguments={**case.arguments, "epsilon": epsilon}) for case, epsilon in pairs]


EXERCISE = written(
    smoothed_cross_entropy,
    title="Label smoothing",
    task="Let the right token count with 1 − ε, and spread ε evenly over the whole vocabulary: average "
    "(1 − ε) · −log p(right token) + ε · mean over the vocabulary of −log p.",
    level="medium, 6 minutes",
    returns="loss",
    cases=and_short(cases, "position", "texts of one word"),
    stages="""
    losses of the right tokens: of_right
    losses of all tokens, averaged: losses.mean(dim=-1)
    """,
    mistakes=LOSS_MISTAKES
    + """
    log_of_softmax: .log_softmax(dim=-1) ⇒ .softmax(dim=-1).log()
        “Right for logits that lie close together. Of others softmax rounds a small probability to 0, and log 0 is −∞;
        `log_softmax` does both at once.”
    not_smoothed: (1 - epsilon) * of_right + epsilon * losses.mean(dim=-1) ⇒ of_right
        “That is the plain cross-entropy; ε plays no part.”
    only_shrunk: + epsilon * losses.mean(dim=-1) ⇒
        “Your right token counts with 1 − ε, but the ε goes to no token.”
    swapped: (1 - epsilon) * of_right + epsilon * ⇒ epsilon * of_right + (1 - epsilon) *
        “You have ε and 1 − ε in each other's place: nearly everything goes to the whole vocabulary.”
    added: (1 - epsilon) * ⇒
        “You spread the ε correctly, but the right token still counts with 1: together that is more than 1.”
    summed_over_tokens: losses.mean ⇒ losses.sum
        “You give ε to each token of the vocabulary. All of them together should get it.”
    others_only: losses.mean(dim=-1) ⇒ (losses.sum(dim=-1) - of_right) / (losses.shape[1] - 1)
        “Your ε is spread over all tokens but the right one. Some libraries do that; here the right token gets its
        part, too.”
    padding_smoothed: losses.mean(dim=-1) ⇒ -logits.log_softmax(dim=-1).mean()
        “For the right tokens you leave out padding, but you take the mean over the vocabulary at all positions.”
    mean_of_probabilities: + epsilon * losses.mean(dim=-1) ⇒ - epsilon * (-losses).exp().mean(dim=-1).log()
        “You average the probabilities of all tokens and then take the logarithm: that is log(1/vocab_size) whatever the
        model says.”
    logits_averaged: + epsilon * losses.mean(dim=-1) ⇒ - epsilon * logits[real].mean(dim=-1)
        “You average the logits over the vocabulary; take their log-softmax first.”
    one_sign: + epsilon ⇒ - epsilon
        “Your second part has the wrong sign: it comes out subtracted, and it should be added.”
    """,
    also_right="""
    torch's: torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), label_smoothing=epsilon)
    two parts:
        ((1 - epsilon) * of_right + epsilon * losses.mean(dim=-1)).mean() ⇒
            (1 - epsilon) * of_right.mean() + epsilon * losses.mean()
    a smoothed target:
        real, vocab_size = labels != -100, logits.shape[-1]
        target = (1 - epsilon) * torch.nn.functional.one_hot(labels[real], vocab_size) + epsilon / vocab_size
        return -(target * logits[real].log_softmax(dim=-1)).sum(dim=-1).mean()
    """,
    again="""
    epsilon * losses.mean(dim=-1) ⇒ epsilon * (losses.sum(dim=-1) - of_right) / (losses.shape[-1] - 1)
        “This time ε is spread over the other tokens alone, not over the right one.”
        Not here: swapped
    """,
    hints="""
    - Half of it is your cross-entropy of notebook 05. The other half is what the loss would be on average if any token
      could be the right one.
    - `losses = -logits[labels != -100].log_softmax(dim=-1)` has a row for each real position: −log p of every token.
    - From each row you need its label's number and its mean. `losses[torch.arange(len(right)), right]` gives the first.
    """,
    explanation="""
    The target is no longer “this token and no other” but “most likely this one”. Being too sure costs something, so the
    logits do not grow without end, and the loss has a floor above 0. The paper has ε = 0.1.
    """,
)
