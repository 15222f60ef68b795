"""Notebook 05: cross-entropy, the loss of a language model."""

import torch

from anatomy_course.content.decoder.shared import LOSS_MISTAKES, labelled_cases
from anatomy_course.content.writing import Case, Cases, Generator, Tensor, and_short, written
from anatomy_utils.training import losses


def cross_entropy(logits: Tensor, labels: Tensor) -> Tensor:
    """logits (batch, position, vocab_size), labels (batch, position), −100 = does not count;
    at least one counts → one number, ()."""
    real = labels != -100
    log_probabilities = logits[real].log_softmax(dim=-1)
    right = labels[real]
    return -log_probabilities[torch.arange(len(right)), right].mean()


def cases(generator: Generator) -> Cases:
    """One more: a loss of exactly 0 counts, too, and a logit far above all others is no measure for their positions."""
    *others, last = labelled_cases(generator)
    yield from others
    logits = last.arguments["logits"].clone()
    logits[0, 0, last.arguments["labels"][0, 0]] = 200.0
    yield Case({**last.arguments, "logits": logits}, "a right token that is certain", last.sizes)
    yield last


EXERCISE = written(
    cross_entropy,
    same_as=losses.cross_entropy,
    title="The loss by hand",
    task="Average −log p(right token) over the positions whose label is not −100.",
    level="medium, 6 minutes",
    returns="cross-entropy",
    cases=and_short(cases, "position", "texts of one word"),
    stages="""
    real positions: real
    probabilities: logits.softmax(dim=-1)
    log-probabilities: logits.log_softmax(dim=-1)
    losses of the real tokens: -log_probabilities[torch.arange(len(right)), right]
    """,
    mistakes=LOSS_MISTAKES
    + """
    log_of_softmax: .log_softmax(dim=-1) ⇒ .softmax(dim=-1).log()
        “Right for logits that lie close together. Of others softmax rounds a small probability to 0, and log 0 is −∞;
        `log_softmax` does both at once.”
    one_maximum:
        log_probabilities = logits[real].log_softmax(dim=-1) ⇒
            logits = logits[real] - logits.max()
            log_probabilities = logits - logits.exp().sum(dim=-1, keepdim=True).log()
        “Right where the logits of all positions lie in one range. Measured against a maximum far above them, e to their
        power is rounded to 0, and log 0 is −∞: each position needs a maximum of its own.”
    zeros_left_out:
        return -log_probabilities[torch.arange(len(right)), right].mean() ⇒
            losses = -log_probabilities[torch.arange(len(right)), right]
            return losses[losses != 0].mean()
        “A token that the model was certain of is left out of your average: a loss of 0 counts like any other.”
    perplexity: result.exp()
        “Yours is e to the power of the loss: that is the perplexity.”
    no_logarithm: .log_softmax ⇒ .softmax
        “Yours is the average of −p, not of −log p.”
    logarithm_last (no_logarithm): .mean() ⇒ .mean().log()
        “You average the probabilities and then take the logarithm; it should be taken of each of them.”
    no_softmax: .log_softmax(dim=-1) ⇒
        “Yours is the average of the right tokens' logits, with a minus, as if there were no softmax.”
    over_positions: logits[real].log_softmax(dim=-1) ⇒ logits.log_softmax(dim=1)[real]
        “Your softmax runs over the positions of a text; it should run over the vocabulary.”
    """,
    also_right="""
    torch's: F.cross_entropy(logits.flatten(0, 1), labels.flatten())
    gather: [torch.arange(len(right)), right] ⇒ .gather(-1, right[:, None])
    word by word:
        words = zip(logits.flatten(0, 1), labels.flatten())
        return torch.stack([numbers.logsumexp(0) - numbers[label] for numbers, label in words if label != -100]).mean()
    """,
    again="""
    .mean() ⇒ .sum()
        “This time return the sum over these positions, not the average.”
        Not here: no_logarithm no_softmax
    """,
    hints="""
    - First throw away what does not count: `real = labels != -100` picks rows of the logits and labels alike.
    - `log_softmax(dim=-1)` turns logits into log-probabilities. From each row you need one number, that of its label.
    - `rows[torch.arange(len(rows)), right]` takes from row i the column `right[i]`.
    """,
    explanation="""
    A model that knows nothing gives each of V tokens 1/V, and its loss is log V. Only the probability of the right
    token enters the loss; those of the others count through the softmax.
    """,
)
