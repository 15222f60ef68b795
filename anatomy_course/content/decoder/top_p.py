"""Notebook 04: top-p, as many tokens as it takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from anatomy_course.content.sizes import and_large, normal, primes
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output

CLEAR = 0.005
"""How far from p every sum of probabilities is, so that rounding decides nothing."""


OVERFLOW = "Right for small logits. When one is large, e to the power of it is beyond float32, and ∞/∞ is NaN: "


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind, p in (("a batch of texts", 0.6), ("one text", 0.8), ("a model that is sure", 0.5)):
        batch, vocab_size = primes(generator, 2, (3, 5)), primes(generator, 1, (7, 11))[0]
        rows = 1 if kind == "one text" else batch[0]
        logits = torch.cat([_clear_row(generator, vocab_size, p, kind) for _ in range(rows)])
        if kind == "a model that is sure":  # not too sure: the second word is nearly as likely
            logits[0] = torch.tensor([0.42, 0.54] + [0.04 / (vocab_size - 2)] * (vocab_size - 2)).log()
        yield Case({"logits": logits, "p": p}, kind, {"batch": rows, "vocab_size": vocab_size})


def _clear_row(generator: torch.Generator, vocab_size: int, p: float, kind: str) -> Tensor:
    """A row whose k best reach p; 2 to 4 of them, or 1 where the model is sure."""
    while True:
        row = 1.2 * normal(generator, 1, vocab_size) - 1
        if kind == "a model that is sure":
            row[0, int(torch.randint(1, vocab_size, (1,), generator=generator))] += 5
        sums = row.softmax(-1).sort(descending=True).values.cumsum(-1)
        count = int((sums < p).sum()) + 1
        wanted = count == 1 if kind == "a model that is sure" else 2 <= count <= 4
        if wanted and float((sums - p).abs().min()) > CLEAR:
            return row


def _sorted(logits: Tensor) -> tuple[Tensor, Tensor]:
    """Probabilities, likeliest first, and whose they are."""
    best = logits.softmax(-1).sort(dim=-1, descending=True)
    return best.values, best.indices


def _only(logits: Tensor, kept_in_order: Tensor) -> Tensor:
    kept = torch.zeros_like(kept_in_order).scatter(-1, _sorted(logits)[1], kept_in_order)
    return logits.masked_fill(~kept, -torch.inf)


def _before(logits: Tensor) -> Tensor:
    """The sum of all likelier tokens, in order."""
    best = _sorted(logits)[0]
    return best.cumsum(-1) - best


def _logits_before(logits: Tensor) -> Tensor:
    best = logits.sort(dim=-1, descending=True).values
    return best.cumsum(-1) - best


def _right(logits: Tensor, p: float) -> Tensor:
    return _only(logits, _before(logits) < p)


def _shifted(logits: Tensor, p: float) -> Tensor:
    best, order = logits.sort(dim=-1, descending=True)
    dropped = best.softmax(-1).cumsum(-1) > p
    dropped[:, 1:] = dropped[:, :-1].clone()
    dropped[:, 0] = False
    return logits.masked_fill(dropped.scatter(-1, order, dropped), -torch.inf)


def _row_by_row(logits: Tensor, p: float) -> Tensor:
    result = torch.full_like(logits, -torch.inf)
    for row, probabilities in enumerate(logits.softmax(-1).tolist()):
        total = 0.0
        for token in sorted(range(len(probabilities)), key=lambda token: -probabilities[token]):
            if total >= p:
                break
            result[row, token] = logits[row, token]
            total += probabilities[token]
    return result


def _from_below(logits: Tensor, p: float) -> Tensor:
    ascending, order = logits.sort(dim=-1)
    dropped = ascending.softmax(-1).cumsum(-1) <= 1 - p
    return logits.masked_fill(dropped.scatter(-1, order, dropped), -torch.inf)


def _least_likely(logits: Tensor, p: float) -> Tensor:
    ascending, order = logits.softmax(-1).sort(dim=-1)
    kept = ascending.cumsum(-1) - ascending < p
    return logits.masked_fill(~kept.scatter(-1, order, kept), -torch.inf)


def _unsafe_before(logits: Tensor) -> Tensor:
    """The sum of all likelier tokens, by a softmax that is NaN for large logits."""
    powers = logits.sort(dim=-1, descending=True).values.exp()
    probabilities = powers / powers.sum(-1, keepdim=True)
    return probabilities.cumsum(-1) - probabilities


def _steps(logits: Tensor, p: float) -> Mapping[str, Tensor]:
    best = _sorted(logits)[0]
    return {
        "probabilities": logits.softmax(-1),
        "sorted probabilities": best,
        "running sums": best.cumsum(-1),
        "sums of all likelier tokens": _before(logits),
    }


EXERCISE = Exercise(
    id="decoder.top_p",
    title="Top-p",
    task="Keep the likeliest tokens until their probabilities together reach p, the one that crosses p included; set "
    "all others to −∞.",
    difficulty="hard",
    minutes=8,
    signature="top_p(logits: Tensor, p: float) -> Tensor",
    docstring="logits (batch, vocab_size), p between 0 and 1 → logits, the same shape, −∞ for every token that is not\n"
    "kept. With probabilities .5 .3 .2 and p = 0.6, the first two are kept.",
    reference="anatomy_utils.decoding.filters.top_p",
    returns=(Output("logits", "batch vocab_size"),),
    cases=and_large(_cases, "logits"),
    mistakes=(
        Mistake(
            "crossing_dropped",
            lambda logits, p: _only(logits, _sorted(logits)[0].cumsum(-1) <= p),
            "You drop the token that crosses p; where the first one does so, none is left.",
        ),
        Mistake(
            "one_too_many",
            lambda logits, p: _only(logits, _before(logits).roll(1, -1).index_fill(-1, torch.tensor(0), 0.0) < p),
            "You keep one token more than it takes to reach p.",
        ),
        Mistake(
            "not_put_back",
            lambda logits, p: logits.masked_fill(_before(logits) >= p, -torch.inf),
            "As many tokens as wanted are kept, but the wrong ones: your mask is still in sorted order.",
        ),
        Mistake(
            "sorted_logits",
            lambda logits, p: logits.sort(dim=-1, descending=True).values.masked_fill(_before(logits) >= p, -torch.inf),
            "The right logits are kept, but in sorted order: which token each belongs to is lost.",
        ),
        Mistake(
            "not_sorted",
            lambda logits, p: logits.masked_fill(logits.softmax(-1).cumsum(-1) - logits.softmax(-1) >= p, -torch.inf),
            "Your sum runs through the vocabulary in its own order; it should begin with the likeliest token.",
        ),
        Mistake(
            "unlikeliest",
            _least_likely,
            "Your sum begins with the unlikeliest token; it should begin with the likeliest.",
        ),
        Mistake(
            "each_at_least_p",
            lambda logits, p: logits.masked_fill(logits.softmax(-1) < p, -torch.inf),
            "You keep the tokens with a probability of at least p each; p is for all of them together.",
        ),
        Mistake(
            "share_of_the_best",
            lambda logits, p: logits.masked_fill(
                logits.softmax(-1) < p * logits.softmax(-1).amax(-1, keepdim=True), -torch.inf
            ),
            "You compare each token with p times the likeliest one. That is min-p, a younger filter.",
        ),
        Mistake(
            "zero",
            lambda logits, p: _right(logits, p).masked_fill(_right(logits, p) == -torch.inf, 0.0),
            "The right tokens are kept, but the others are 0, and e⁰ is 1: they can still be drawn.",
        ),
        Mistake(
            "probabilities",
            lambda logits, p: _right(logits, p).softmax(-1),
            "The right tokens are kept, but yours are probabilities already; logits with −∞ are wanted.",
        ),
        Mistake(
            "logits_added",
            lambda logits, p: _only(logits, _logits_before(logits) < p),
            "You add logits up, not probabilities; only those have p as a share of the whole.",
        ),
        Mistake(
            "gathered",
            lambda logits, p: logits.masked_fill((_before(logits) >= p).gather(-1, _sorted(logits)[1]), -torch.inf),
            "As many tokens as wanted are kept, but the wrong ones: your mask is sorted once more (as gather does), "
            "not put back (as scatter does).",
        ),
        Mistake(
            "overflow",
            lambda logits, p: _only(logits, _unsafe_before(logits) < p),
            OVERFLOW + "no sum is below p.",
        ),
        Mistake(
            "overflow_keeps_all",
            lambda logits, p: _only(logits, ~(_unsafe_before(logits) >= p)),
            OVERFLOW + "no sum is above p.",
        ),
        Mistake(
            "turned_round",
            lambda logits, p: _only(logits, _before(logits) >= p),
            "You keep what should go, and throw out the likeliest tokens.",
        ),
    ),
    also_right={
        "moved by one": _shifted,
        "row by row": _row_by_row,
        "from below": _from_below,
        "by the sum before": _right,
    },
    hints=(
        "Sort the probabilities, likeliest first, and add them up as you go. A token stays when those before it have "
        "not reached p.",
        "`best, order = logits.sort(dim=-1, descending=True)`. With `probabilities = best.softmax(dim=-1)`, the sum "
        "before each token is `probabilities.cumsum(dim=-1) - probabilities`.",
        "`dropped` is in sorted order; `dropped.scatter(-1, order, dropped)` gives each answer back to its token. "
        "Then `masked_fill`.",
    ),
    solution="best, order = logits.sort(dim=-1, descending=True)\n"
    "probabilities = best.softmax(dim=-1)\n"
    "dropped = probabilities.cumsum(dim=-1) - probabilities >= p\n"
    "return logits.masked_fill(dropped.scatter(-1, order, dropped), float('-inf'))",
    explanation="Holtzman et al. 2020 call what is kept the nucleus. It is one token where the model is sure, and "
    "hundreds where it hesitates; top-k keeps the same number everywhere.",
    stages=_steps,
)
