"""Notebook 01: the causal mask: each word sees itself and the words before it."""

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Tensor, primes, written


def causal_mask(length: int) -> Tensor:
    """A boolean (query, key) table, True = may attend:
    each position sees itself and the ones before it."""
    return torch.ones(length, length, dtype=torch.bool).tril()


def cases(generator: Generator) -> Cases:
    drawn = [(length, "a sentence") for length in sorted(primes(generator, 3, (3, 5, 7, 11)))]
    return [Case({"length": n}, kind, {"length": n}) for n, kind in [*drawn, (1, "a single word")]]


EXERCISE = written(
    causal_mask,
    same_as="anatomy_utils.functional.masks.causal",
    title="A causal mask",
    task="Let each position attend to itself and to what came before it.",
    level="easy, 3 minutes",
    returns="mask: query key",
    cases=cases,
    mistakes="""
    not_itself: tril() ⇒ tril(-1)
        “In your mask no position may look at itself, and the first one has nothing to look at.”
    future: tril ⇒ triu
        “Your mask looks the other way: each position sees itself and what comes after it.”
    one_ahead: tril() ⇒ tril(1)
        “In your mask each position also sees the next one. That is enough to give the answer away.”
    only_itself: torch.eye(length, dtype=torch.bool)
        “In your mask each position sees itself and nothing else.”
    additive: torch.zeros(length, length).masked_fill(~result, -math.inf)
        “You have 0 and −∞, which is what other programs add to the scores; here a mask holds True and False.”
    """,
    also_right="""
    compare: torch.arange(length)[:, None] >= torch.arange(length)
    triu, inverted: ~torch.ones(length, length, dtype=torch.bool).triu(1)
    tril and bool: torch.ones(length, length).tril().bool()
    """,
    again="""
    .tril() ⇒ .tril(-1)
        “This time a position sees only what came before it, not itself.”
        Not here: future
    """,
    hints="""
    - Draw it for three words: row 0 may see word 0; row 1, words 0 and 1; row 2, all three.
    - That is a lower triangle. `tensor.tril()` keeps the lower triangle of a table and puts 0 (or False) above it.
    - `torch.ones(length, length, dtype=torch.bool)` is the table to start from.
    """,
    explanation="""
    Row i is what query i may see: keys 0 to i. Comparing positions says the same: `torch.arange(length)[:, None] >=
    torch.arange(length)`.
    """,
)
