"""Notebook 04: probabilities of the next token at a temperature."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from anatomy_course.content.draw import Draw
from anatomy_course.content.sizes import and_large
from anatomy_course.judge.definition import Case
from anatomy_course.judge.form import written


def next_probabilities(logits: Tensor, temperature: float) -> Tensor:
    """logits (batch, vocab_size), temperature above 0 → probabilities (batch, vocab_size); rows sum to 1."""
    return (logits / temperature).softmax(dim=-1)


def cases(generator: torch.Generator) -> Iterator[Case]:
    for kind, temperature in (("a low temperature", 0.4), ("a high temperature", 2.5), ("one text", 0.7)):
        draw = Draw(generator, "batch vocab_size", (5, 7, 11), **({"batch": 1} if kind == "one text" else {}))
        yield Case({"logits": 2 * draw("batch vocab_size"), "temperature": temperature}, kind, draw.sizes)


EXERCISE = written(
    next_probabilities,
    title="Temperature",
    task="Turn logits into probabilities at a temperature: softmax(logits / T).",
    level="easy, 2 minutes",
    returns="probabilities: batch vocab_size",
    cases=and_large(cases, "logits"),
    stages="divided logits: logits / temperature",
    mistakes="""
    multiplied: / temperature ⇒ * temperature
        “Your logits are multiplied by the temperature: a high one then sharpens, where it should flatten.”
    ignored: / temperature ⇒
        “Yours are the probabilities at temperature 1; the one that is given plays no part.”
    divided_afterwards: logits.softmax(dim=-1) / temperature
        “Your probabilities are divided, not your logits: the rows no longer sum to 1.”
    two_softmaxes: logits / temperature ⇒ logits.softmax(dim=-1) / temperature
        “One softmax too many: what is divided by T are probabilities already.”
    no_softmax: .softmax(dim=-1) ⇒
        “Yours are the divided logits; what is wanted is their softmax.”
    log_probabilities: .softmax ⇒ .log_softmax
        “Yours are the logarithms of the probabilities.”
    not_normalized: .softmax(dim=-1) ⇒ .exp()
        “Yours are powers of e as they are: the rows do not sum to 1.”
    over_the_batch: dim=-1 ⇒ dim=0
        “Your columns sum to 1: the softmax ran over the texts of the batch.”
    overflow (not_normalized): result / result.sum(dim=-1, keepdim=True)
        “Right for small logits. When one is large, e to the power of it is beyond float32, and ∞/∞ is NaN.”
    root: / temperature ⇒ / temperature**0.5
        “You divide by the root of the temperature.”
    """,
    also_right="""
    F.softmax: F.softmax(logits / temperature, dim=-1)
    times 1 / T: (logits * (1 / temperature)).softmax(dim=1)
    powers of probabilities:
        powers = logits.softmax(-1) ** (1 / temperature)
        return powers / powers.sum(-1, keepdim=True)
    by hand:
        powers = ((logits - logits.amax(-1, keepdim=True)) / temperature).exp()
        return powers / powers.sum(-1, keepdim=True)
    """,
    hints="""
    - First change the logits, then turn them into probabilities.
    - A small T makes the gaps between logits larger.
    - `(logits / temperature)`, and `.softmax` over the vocabulary, the last axis.
    """,
    explanation="""
    Toward 0 the likeliest token gets everything, which is greedy choice; toward ∞ all tokens become equally likely. The
    order of the tokens never changes.
    """,
)
