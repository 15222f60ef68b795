"""Notebook 04: top-k, the likeliest few."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from anatomy_course.content.sizes import batch_and_primes, normal
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output

ZERO = "a best logit of 0"
"""0 is a logit like any other: it must not stand for what is not kept."""


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind, k in (("a batch of texts", 3), ("one text", 4), (ZERO, 2), ("only the best", 1)):
        batch, vocab_size = batch_and_primes(generator, kind, 2, (5, 7, 11, 13))
        vocab_size = max(vocab_size, 7)
        batch = 3 if batch == vocab_size else batch
        logits = 2 * normal(generator, batch, vocab_size)
        if kind == ZERO:
            logits -= logits.amax(-1, keepdim=True)
        yield Case({"logits": logits, "k": k}, kind, {"batch": batch, "vocab_size": vocab_size})


def _bar(logits: Tensor, k: int) -> Tensor:
    return logits.topk(k).values[:, -1:]


def _kept(logits: Tensor, k: int) -> Tensor:
    return logits.masked_fill(logits < _bar(logits, k), -torch.inf)


def _scattered(logits: Tensor, k: int) -> Tensor:
    best = logits.topk(k, dim=-1)
    return torch.full_like(logits, -torch.inf).scatter(-1, best.indices, best.values)


def _zeros_removed(logits: Tensor, k: int) -> Tensor:
    return _kept(logits, k).masked_fill(logits == 0, -torch.inf)


def _of_any_row(logits: Tensor, k: int) -> Tensor:
    best = logits.topk(k).indices.unique()
    return torch.full_like(logits, -torch.inf).index_copy(-1, best, logits[:, best])


def _ranks(logits: Tensor, k: int) -> Tensor:
    better = (logits[:, None, :] > logits[:, :, None]).sum(-1)
    return torch.where(better < k, logits, -torch.inf)


EXERCISE = Exercise(
    id="decoder.top_k",
    title="Top-k",
    task="Keep the k largest logits of each row and set all others to −∞.",
    difficulty="medium",
    minutes=4,
    signature="top_k(logits: Tensor, k: int) -> Tensor",
    docstring="logits (batch, vocab_size) → logits, the same shape, with −∞ for every token that is not kept.",
    reference="anatomy_utils.decoding.filters.top_k",
    returns=(Output("logits", "batch vocab_size"),),
    cases=_cases,
    mistakes=(
        Mistake(
            "one_too_few",
            lambda logits, k: logits.masked_fill(logits <= _bar(logits, k), -torch.inf),
            "Only k − 1 tokens are left: the last of the k is thrown out with the others.",
        ),
        Mistake("one_too_many", lambda logits, k: _kept(logits, k + 1), "You keep k + 1 tokens."),
        Mistake(
            "best_removed",
            lambda logits, k: logits.masked_fill(logits >= _bar(logits, k), -torch.inf),
            "You throw the k likeliest tokens out and keep the rest.",
        ),
        Mistake(
            "smallest",
            lambda logits, k: -_kept(-logits, k).masked_fill(_kept(-logits, k) == -torch.inf, torch.inf),
            "You keep the k unlikeliest tokens.",
        ),
        Mistake(
            "zero",
            lambda logits, k: logits.masked_fill(logits < _bar(logits, k), 0.0),
            "The right tokens are kept, but the others are 0, and e⁰ is 1: they can still be drawn.",
        ),
        Mistake(
            "zeros_removed",
            _zeros_removed,
            "A logit of exactly 0 is thrown out in yours, even where it is the largest: 0 is a logit like any other.",
        ),
        Mistake(
            "of_any_row",
            _of_any_row,
            "In your rows a token is kept where it is among the k best of any row, as if the same columns were written "
            "into all of them.",
        ),
        Mistake(
            "only_values",
            lambda logits, k: logits.topk(k).values,
            "You return the k largest logits alone: whose they are is lost, and the vocabulary has become k wide.",
        ),
        Mistake(
            "only_indices",
            lambda logits, k: logits.topk(k).indices,
            "You return which tokens are kept; the logits are wanted, with −∞ for the others.",
        ),
        Mistake(
            "one_bar",
            lambda logits, k: logits.masked_fill(logits < _bar(logits, k)[0], -torch.inf),
            "You compare all rows with the first row's k-th logit; each row has one of its own.",
        ),
        Mistake(
            "whole_batch",
            lambda logits, k: logits.masked_fill(logits < logits.flatten().topk(k).values[-1], -torch.inf),
            "You keep k tokens of the whole batch; k of each row are wanted.",
        ),
        Mistake(
            "first_k",
            lambda logits, k: logits.masked_fill(torch.arange(logits.shape[1]) >= k, -torch.inf),
            "You keep the first k tokens of the vocabulary, whatever their logits.",
        ),
        Mistake(
            "probabilities",
            lambda logits, k: _kept(logits, k).softmax(-1),
            "The right tokens are kept, but yours are probabilities already; logits with −∞ are wanted.",
        ),
    ),
    also_right={
        "scatter": _scattered,
        "where": lambda logits, k: torch.where(
            logits >= logits.sort(descending=True).values[:, k - 1, None], logits, -torch.inf
        ),
        "ranks": _ranks,
        "kthvalue": lambda logits, k: logits.masked_fill(
            logits < logits.kthvalue(logits.shape[1] - k + 1, dim=-1, keepdim=True).values, -torch.inf
        ),
    },
    hints=(
        "Find the k-th largest logit of each row: whatever is below it goes.",
        "`logits.topk(k).values` holds the k largest of each row, largest first. Keep the axis when you take the last: "
        "`[:, -1:]`.",
        "`logits.masked_fill(logits < last_kept, float('-inf'))`.",
    ),
    solution="last_kept = logits.topk(k).values[:, -1:]\nreturn logits.masked_fill(logits < last_kept, float('-inf'))",
    explanation="−∞ becomes probability 0 in the softmax, and what is left shares the whole. The number of tokens is "
    "the same whether the model is sure of one or hesitates between hundreds.",
    stages=lambda logits, k: {
        "k largest logits": logits.topk(k).values,
        "smallest logit that is kept": _bar(logits, k),
    },
)
