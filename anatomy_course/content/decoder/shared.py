"""What losses have in common: logits with labels, and what can go wrong where they become one number."""

import torch

from anatomy_course.content.writing import Case, Cases, Generator, normal, real_words
from anatomy_utils.training.losses import IGNORE

LOSS_MISTAKES = """
    padding_counted: real = labels != -100 ⇒ real, labels = torch.ones_like(labels) == 1, labels.clamp(min=0)
        “Positions without a label count in yours, as if token 0 had been right there.”
    divided_by_all: result * real.float().mean()
        “Your sum is right, but it is divided by the number of all positions; those with −100 do not count.”
    per_text: result * real.sum() / len(real)
        “Yours is the sum over each text, averaged over the texts: long texts cost more.”
    texts_alike: .mean() ⇒ @ (1 / real.sum(dim=1)).repeat_interleave(real.sum(dim=1)) / len(real)
        “You average text by text first: a token in a short text counts more than one in a long text.”
    shifted_again:
        real = labels != -100 ⇒
            logits, labels = logits[:, :-1], labels[:, 1:]
            real = labels != -100
        “Your labels have been shifted once more; these here already are the tokens that follow.”
    """
"""What can go wrong with any loss whose solution begins with `real = labels != -100` and ends with `.mean()`."""


def labelled_cases(generator: Generator) -> Cases:
    """Logits and labels of texts with and without padding."""
    for kind, batch, position, vocab_size in (
        ("padded texts", 2, 5, 7),
        ("one text", 1, 5, 13),
        ("a single word", 1, 1, 7),
        ("large logits", 2, 3, 5),
        ("padded texts", 3, 7, 11),
    ):
        real = real_words(generator, kind, batch, position, range(1, max(2, position - 2)), max(1, position - 1))
        labels = torch.randint(1, vocab_size, (batch, position), generator=generator)
        if batch == 3:
            labels[0, 0] = 0  # a token like any other, which its number does not show
        logits = 2 * normal(generator, batch, position, vocab_size)
        if kind == "one text":
            logits.scatter_add_(2, labels[..., None], torch.full((batch, position, 1), 5.0))  # a model that is sure
        if kind == "large logits":  # e to their power is beyond float32, and the right tokens' probabilities below it
            logits = 200 + logits.scatter_add(2, labels[..., None], torch.full((batch, position, 1), -400.0))
        arguments = {"logits": logits, "labels": labels.masked_fill(~real, IGNORE)}
        yield Case(arguments, kind, {"batch": batch, "position": position, "vocab_size": vocab_size})
