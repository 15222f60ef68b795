"""Notebook 05: top-p, as many tokens as it takes."""

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Tensor, and_large, primes, written
from anatomy_utils.decoding import filters


# fmt: off
def top_p(logits: Tensor, p: float) -> Tensor:
    """logits (batch, vocab_size), p between 0 and 1 → logits, the same shape,
    −∞ for every token that is not kept.
    With probabilities .5 .3 .2 and p = 0.6, the first two are kept."""
    best, order = logits.sort(dim=-1, descending=True)
    probabilities = best.softmax(dim=-1)
    dropped = probabilities.cumsum(dim=-1) - probabilities >= p
    return logits.masked_fill(dropped.scatter(-1, order, dropped), float('-inf'))
# fmt: on


SURE = "a model that is sure"
CLEAR = 0.005
"""How far from p every sum of probabilities is, so that rounding decides nothing."""


def cases(generator: Generator) -> Cases:
    for kind, p in (("a batch of texts", 0.6), ("one text", 0.8), (SURE, 0.5)):
        (batch, _), (vocab_size,) = primes(generator, 2, (3, 5)), primes(generator, 1, (7, 11))
        batch = 1 if kind == "one text" else batch
        logits = torch.cat([clear_row(generator, vocab_size, p, kind) for _ in range(batch)])
        if kind == SURE:  # not too sure: the second word is nearly as likely
            logits[0] = torch.tensor([0.42, 0.54] + [0.04 / (vocab_size - 2)] * (vocab_size - 2)).log()
        yield Case({"logits": logits, "p": p}, kind, {"batch": batch, "vocab_size": vocab_size})


def clear_row(generator: torch.Generator, vocab_size: int, p: float, kind: str) -> Tensor:
    """A row whose k best reach p; 2 to 4 of them, or 1 where the model is sure."""
    while True:
        row = 1.2 * torch.randn(1, vocab_size, generator=generator) - 1
        if kind == SURE:
            row[0, int(torch.randint(1, vocab_size, (1,), generator=generator))] += 5
        sums = row.softmax(-1).sort(descending=True).values.cumsum(-1)
        count = int((sums < p).sum()) + 1
        wanted = count == 1 if kind == SURE else 2 <= count <= 4
        if wanted and float((sums - p).abs().min()) > CLEAR:
            return row


EXERCISE = written(
    top_p,
    same_as=filters.top_p,
    title="Top-p",
    task="Keep the likeliest tokens until their probabilities together reach p, the one that crosses p included; set "
    "all others to −∞.",
    level="hard, 8 minutes",
    returns="logits: batch vocab_size",
    cases=and_large(cases, "logits"),
    stages="""
    probabilities: logits.softmax(dim=-1)
    sorted probabilities: probabilities
    running sums: probabilities.cumsum(dim=-1)
    sums of all likelier tokens: probabilities.cumsum(dim=-1) - probabilities
    """,
    also_right="""
    moved by one:
        dropped = probabilities.cumsum(dim=-1) - probabilities >= p ⇒
            dropped = (probabilities.cumsum(dim=-1) > p).roll(1, dims=-1)
            dropped[:, 0] = False
    by the sum before:
        dropped = probabilities.cumsum(dim=-1) - probabilities >= p ⇒
            kept = probabilities.cumsum(dim=-1) - probabilities < p
        dropped.scatter(-1, order, dropped) ⇒ ~kept.scatter(-1, order, kept)
    from below:
        descending=True ⇒ descending=False
        - probabilities >= p ⇒ <= 1 - p
    """,
    mistakes="""
    crossing_dropped: - probabilities >= p ⇒ > p
        “You drop the token that crosses p; where the first one does so, none is left.”
    one_too_many (moved by one): > p ⇒ - probabilities >= p
        “You keep one token more than it takes to reach p.”
    not_put_back: dropped.scatter(-1, order, dropped) ⇒ dropped
        “As many tokens as wanted are kept, but the wrong ones: your mask is still in sorted order.”
    sorted_logits: logits.masked_fill(dropped.scatter(-1, order, dropped) ⇒ best.masked_fill(dropped
        “The right logits are kept, but in sorted order: which token each belongs to is lost.”
    not_sorted (not_put_back): best.softmax ⇒ logits.softmax
        “Your sum runs through the vocabulary in its own order; it should begin with the likeliest token.”
    unlikeliest: descending=True ⇒ descending=False
        “Your sum begins with the unlikeliest token; it should begin with the likeliest.”
    each_at_least_p: probabilities.cumsum(dim=-1) - probabilities >= p ⇒ probabilities < p
        “You keep the tokens with a probability of at least p each; p is for all of them together.”
    share_of_the_best: probabilities.cumsum(dim=-1) - probabilities >= p ⇒ probabilities < p * probabilities[:, :1]
        “You compare each token with p times the likeliest one. That is min-p, a younger filter.”
    zero: float('-inf') ⇒ 0.0
        “The right tokens are kept, but the others are 0, and e⁰ is 1: they can still be drawn.”
    probabilities: result.softmax(dim=-1)
        “The right tokens are kept, but yours are probabilities already; logits with −∞ are wanted.”
    logits_added: best.softmax(dim=-1) ⇒ best
        “You add logits up, not probabilities; only those have p as a share of the whole.”
    gathered: dropped.scatter(-1, order, dropped) ⇒ dropped.gather(-1, order)
        “As many tokens as wanted are kept, but the wrong ones: your mask is sorted once more (as gather does), not put
        back (as scatter does).”
    overflow:
        best.softmax(dim=-1) ⇒ best.exp() / best.exp().sum(dim=-1, keepdim=True)
        probabilities.cumsum(dim=-1) - probabilities >= p ⇒ ~(probabilities.cumsum(dim=-1) - probabilities < p)
        “Right for small logits. When one is large, e to the power of it is beyond float32, and ∞/∞ is NaN: no sum is
        below p.”
    overflow_keeps_all: best.softmax(dim=-1) ⇒ best.exp() / best.exp().sum(dim=-1, keepdim=True)
        “Right for small logits. When one is large, e to the power of it is beyond float32, and ∞/∞ is NaN: no sum is
        above p.”
    turned_round: >= p ⇒ < p
        “You keep what should go, and throw out the likeliest tokens.”
    """,
    again="""
    best, order = logits.sort(dim=-1, descending=True) ⇒ probabilities = logits.softmax(dim=-1)
    probabilities = best.softmax(dim=-1) ⇒ dropped = probabilities < p * probabilities.amax(dim=-1, keepdim=True)
    dropped = probabilities.cumsum(dim=-1) - probabilities >= p ⇒
    dropped.scatter(-1, order, dropped) ⇒ dropped
        “This time p is a share of the largest probability: keep the tokens that have at least p times as much
        (min-p). With .5 .3 .2 and p = 0.5, the first two are kept.”
    """,
    hints="""
    - Sort the probabilities, likeliest first, and add them up as you go. A token stays when those before it have not
      reached p.
    - `best, order = logits.sort(dim=-1, descending=True)`. With `probabilities = best.softmax(dim=-1)`, the sum before
      each token is `probabilities.cumsum(dim=-1) - probabilities`.
    - `dropped` is in sorted order; `dropped.scatter(-1, order, dropped)` gives each answer back to its token. Then
      `masked_fill`.
    """,
    explanation="""
    Holtzman et al. 2020 call what is kept the nucleus. It is one token where the model is sure, and hundreds where it
    hesitates; top-k keeps the same number everywhere.
    """,
)
