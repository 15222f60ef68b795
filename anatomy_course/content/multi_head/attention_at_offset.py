"""Notebook 02: a measure of heads, how much of their attention goes a fixed number of tokens back or ahead."""

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Tensor, normal, primes, written
from anatomy_utils.interpret import attention_patterns


def attention_at_offset(weights: Tensor, offset: int) -> Tensor:
    """weights (heads, query, key), with as many keys as queries → (heads,):
    the mean weight that a query gives to the key `offset` places after it (-1: the previous token).
    Queries without such a key do not count."""
    found = weights.diagonal(offset, dim1=-2, dim2=-1)  # heads, queries that have such a key
    return found.mean(dim=-1)


def cases(generator: Generator) -> Cases:
    kinds = {"the previous token": -1, "the next token": 1, "the token itself": 0, "three tokens back": -3}
    # Kind, heads, tokens and offset of the cases in which an axis is short.
    short = (("a single head", 1, 5, 1), ("two tokens", 3, 2, -1), ("a single token", 2, 1, 0))
    wanted = []
    for kind, offset in kinds.items():
        heads, length = sorted(primes(generator, 2, (3, 5, 7, 11)))  # three tokens back needs four or more
        wanted.append((kind, heads, length, offset))
    for kind, heads, length, offset in (*wanted, *short):
        scores = 2 * normal(generator, heads, length, length)
        if kind in kinds:
            scores.diagonal(offset, -2, -1)[:, 0] = -torch.inf  # a query that gives such a key nothing counts, too
        yield Case({"weights": scores.softmax(-1), "offset": offset}, kind, {"heads": heads, "query": length})


EXERCISE = written(
    attention_at_offset,
    same_as=attention_patterns.attention_at_offset,
    title="A measure of a head",
    task="Measure how much weight each head gives, on average, to the key that is offset places after the query.",
    level="medium, 5 minutes",
    returns="measure: heads",
    cases=cases,
    stages="the weights at that offset: found",
    mistakes="""
    other_direction: diagonal(offset ⇒ diagonal(-offset
        “You measure in the other direction: offset -1 is the previous token, and yours gives the next one.”
    divided_by_all_queries: found.mean(dim=-1) ⇒ found.sum(dim=-1) / weights.shape[-1]
        “You have the right weights, but you divide their sum by the number of all queries. Some queries have no such
        key, and those do not count.”
    zeros_do_not_count: found.mean(dim=-1) ⇒ found.sum(dim=-1) / (found > 0).sum(dim=-1)
        “You divide the right sum by the number of weights that are not 0. A query that has such a key, but gives it the
        weight 0, counts as well.”
    added_up: found.mean ⇒ found.sum
        “You have the sum of the right weights; their mean is wanted.”
    one_column: weights[..., offset].mean(-1)
        “You use offset as the number of a key, so you measure one column of the table. The key wanted is a different
        one for each query.”
    one_row: weights[..., offset, :].mean(-1)
        “You average whole rows of the table. A row sums to 1, so every head gets the same number.”
    wrapped_around:
        places = torch.arange(weights.shape[-1])
        return weights[:, places, (places + offset) % len(places)].mean(-1)
        “Your offset runs around the ends of the sentence: for you, the first token's previous token is the last one.
        Queries without such a key do not count.”
    wrapped_in_the_other_direction (wrapped_around): places + offset ⇒ places - offset
        “You measure in the other direction, and around the ends of the sentence. For offset -1 you take the next token,
        and for the last token the first one.”
    everything_up_to: weights.tril(offset).sum(-1).mean(-1)
        “You add up the weights of all keys up to that offset; only the key at exactly that offset is wanted.”
    largest: found.mean ⇒ found.amax
        “You have the largest of the right weights; their mean is wanted.”
    over_the_heads: .mean(dim=-1) ⇒ .mean(dim=0)
        “Your mean runs over the heads and leaves one number for each query; one number for each head is wanted.”
    mean_of_the_whole_table: found.mean(dim=-1) ⇒ found.sum(dim=-1) / weights[0].numel()
        “You have the sum of the right weights, divided by the number of all cells of the table, as if zeros counted,
        too.”
    """,
    also_right="""
    diagonal: torch.diagonal(weights, offset, -2, -1).mean(-1)
    times a mask:
        wanted = torch.ones_like(weights[0]).tril(offset).triu(offset)
        return (weights * wanted).sum((-2, -1)) / wanted.sum()
    chosen by a mask (times a mask): (weights * wanted).sum((-2, -1)) / wanted.sum() ⇒ weights[:, wanted == 1].mean(-1)
    """,
    again="""
    found.mean(dim=-1) ⇒ found.amin(dim=-1)
        “This time return the smallest of these weights, not their mean.”
    """,
    hints="""
    - Write down a table of 4 × 4 weights. Which cells hold the weight of each query's previous token? Which row has no
      such cell?
    - The cells are on a diagonal: the main one for offset 0, one place to its left for offset -1.
      `torch.Tensor.diagonal` takes an offset, and two axes.
    - `weights.diagonal(offset, dim1=-2, dim2=-1)` is (heads, queries that have such a key). Over which axis does the
      mean run?
    """,
    explanation="""
    A diagonal of the table holds all pairs of the same distance. One line makes 72 tables into 72 numbers, and numbers
    can be sorted. Clark et al. 2019 (arXiv:1906.04341) asked such questions of BERT's heads.
    """,
)
