"""A small model that writes, as a step function with a name, and logits with labels: what cases give to an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from anatomy_course.content.sizes import normal, real_words
from anatomy_course.judge.definition import Case, Mistake
from anatomy_utils.decoding.steps import SeenIds
from anatomy_utils.training.losses import IGNORE


@dataclass(frozen=True)
class TableStep:
    """What follows depends on all tokens that were read, most on the last ones.

    Args:
        table: (vocab_size, vocab_size) of random numbers.
        stop_id: the token that ends a text.
        ends_at: the stop token is the likeliest when so many tokens were read, and else the unlikeliest.
    """

    table: Tensor
    stop_id: int
    ends_at: int

    def __call__(self, input_ids: Tensor, cache: SeenIds) -> tuple[Tensor, SeenIds]:
        cache = cache.extended(input_ids)
        assert cache.ids is not None
        ids = cache.ids[0]
        nearness = 0.6 ** torch.arange(len(ids) - 1, -1, -1)
        logits = (nearness @ self.table[ids])[None]
        logits[:, self.stop_id] = 50.0 if len(ids) == self.ends_at else -50.0
        return logits, cache

    def __repr__(self) -> str:
        return "a model's step"


def labelled_cases(generator: torch.Generator) -> Iterator[Case]:
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
        arguments = {
            "logits": logits,
            "labels": labels.masked_fill(~real, IGNORE),
        }
        yield Case(arguments, kind, {"batch": batch, "position": position, "vocab_size": vocab_size})


def averaging_mistakes(losses: Callable[..., Tensor]) -> tuple[Mistake, ...]:
    """What can go wrong where the losses of all positions become one number, whatever the loss of a position is.

    Args:
        losses: from the exercise's arguments, of which the first are logits and labels, to (batch, position); where
            there is no label, any number.
    """

    def over(average: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Tensor]:
        return lambda logits, labels, *more: average(losses(logits, labels, *more), labels != IGNORE)

    return (
        Mistake(
            "padding_counted",
            over(lambda each, real: each.mean()),
            "Positions without a label count in yours, as if token 0 had been right there.",
        ),
        Mistake(
            "divided_by_all",
            over(lambda each, real: (each * real).mean()),
            "Your sum is right, but it is divided by the number of all positions; those with −100 do not count.",
        ),
        Mistake(
            "summed",
            over(lambda each, real: each[real].sum()),
            "Yours is the sum over the tokens; the loss is their average.",
        ),
        Mistake(
            "per_text",
            over(lambda each, real: (each * real).sum(1).mean()),
            "Yours is the sum over each text, averaged over the texts: long texts cost more.",
        ),
        Mistake(
            "texts_alike",
            over(lambda each, real: ((each * real).sum(1) / real.sum(1)).mean()),
            "You average text by text first: a token in a short text counts more than one in a long text.",
        ),
        Mistake(
            "no_minus",
            over(lambda each, real: -each[real].mean()),
            "Your loss has the wrong sign: log p is never above 0, the loss never below.",
        ),
        Mistake(
            "base_two",
            over(lambda each, real: each[real].mean() / torch.tensor(2.0).log()),
            "Your loss is in bits, with the logarithm to base 2; the natural one is wanted.",
        ),
    )


def logits_mistakes(losses: Callable[..., Tensor]) -> tuple[Mistake, ...]:
    """What can go wrong before the losses: in the logits and the labels that they are made of.

    Args:
        losses: as in `averaging_mistakes`.
    """

    def of(change: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]) -> Callable[..., Tensor]:
        def changed(logits: Tensor, labels: Tensor, *more: float) -> Tensor:
            logits, labels = change(logits, labels)
            return losses(logits, labels, *more)[labels != IGNORE].mean()

        return changed

    return (
        Mistake(
            "two_softmaxes",
            of(lambda logits, labels: (logits.softmax(-1), labels)),
            "One softmax too many: it has been taken of probabilities (torch's cross_entropy takes one by itself).",
        ),
        Mistake(
            "shifted_again",
            of(lambda logits, labels: (logits[:, :-1], labels[:, 1:])),
            "Your labels have been shifted once more; these here already are the tokens that follow.",
        ),
    )
