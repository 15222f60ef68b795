"""Notebook 01: attention one block of keys at a time, as fused kernels compute it."""

from collections.abc import Callable
from typing import Any

import torch

from anatomy_course.content.writing import Cases, Draw, Generator, Objection, Tensor, written


def add_block(
    largest: Tensor, total: Tensor, summed: Tensor, scores: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Update each query's running statistics with one more block of keys.

    largest (query): the largest score so far, at first −∞;
    total (query): Σ e^(score − largest), at first 0;
    summed (query, d_value): Σ e^(score − largest) · value, at first 0.
    The block: scores (query, key), where −∞ is a forbidden key, and value (key, d_value).
    In the end, summed / total is the context."""
    new = torch.maximum(largest, scores.amax(dim=-1))
    shift = new.masked_fill(new.isinf(), 0.0)  # nothing allowed so far: −∞ minus −∞ would be NaN
    factor = (largest - shift).exp()
    powers = (scores - shift[:, None]).exp()
    return new, factor * total + powers.sum(dim=-1), factor[:, None] * summed + powers @ value


def cases(generator: Generator) -> Cases:
    empty, late = "a block with nothing allowed in it", "nothing allowed in the first block"
    low, alone = "scores far below 0", "a single query"
    for kind in ("one block", "two blocks", "blocks of unequal size", "scores of hundreds", low, alone, late, empty):
        draw = Draw(generator, "query d_value key", (3, 5, 7, 11), kind, **({"query": 1} if kind == alone else {}))
        blocks = [draw["key"]] if kind == "one block" else [2, draw["key"]]
        blocks += [4, 1] if kind not in ("one block", "two blocks") else []
        scores = 2 * draw(f"query {sum(blocks)}")
        if kind == "scores of hundreds":
            scores = 150 * scores
            scores[0, -1] = 900.0  # in the last block, which is a single key
        if kind in (low, late):
            scores = 10 * scores - 200
        if kind in (empty, late):
            start, end = (0, 2) if kind == late else (2, 2 + draw["key"])
            scores[:2, start:end] = -torch.inf
        yield draw.case(scores=scores, value=draw(f"{sum(blocks)} d_value"), blocks=torch.tensor(blocks))


def drive(
    answer: Callable[..., object], scores: Tensor, value: Tensor, blocks: Tensor
) -> tuple[Tensor, ...] | Objection | None:
    """The context after all blocks: what is kept between them is the answer's own affair."""
    known: Any = torch.full(scores.shape[:1], -torch.inf), torch.zeros(len(scores)), torch.zeros_like(scores @ value)
    wanted = [each.shape for each in known]
    for rows, values in zip(scores.split(blocks.tolist(), 1), value.split(blocks.tolist()), strict=True):
        known = answer(*known, rows, values)
        if known is None:
            return None
        if not isinstance(known, tuple) or not all(isinstance(each, Tensor) for each in known) or len(known) != 3:
            return Objection("three", "Return three tensors: `return largest, total, summed`, with the block taken in.")
        if [each.shape for each in known] != wanted:
            shapes = ", ".join(str(tuple(each.shape)) for each in known)
            return Objection("shapes", f"You return tensors of shapes {shapes}; keep the shapes that you were given.")
    total, summed = known[1:]
    return (summed / total[:, None],)


EXERCISE = written(
    add_block,
    title="Attention block by block",
    task="Take one more block of keys into the running maximum, the running sum and the running weighted values.",
    level="hard, 12 minutes",
    returns="context: query d_value",
    cases=cases,
    observe=drive,
    mistakes="""
    not_rescaled: factor = (largest - shift).exp() ⇒ factor = torch.ones_like(largest)
        “Right while the largest score is in the first block. When a later block has a larger one, the old powers stay
        measured from the old maximum: they must shrink, in both sums.”
    total_not_rescaled: factor * total ⇒ total
        “You shrink the weighted values when the maximum grows, but not the total that they are divided by.”
    values_not_rescaled: factor[:, None] * summed ⇒ summed
        “You shrink the total when the maximum grows, but not the weighted values.”
    upside_down: (largest - shift).exp() ⇒ (shift - largest).exp()
        “Your factor is the reciprocal: when the maximum grows, what was summed before must become smaller.”
    maximum_of_the_block: torch.maximum(largest, scores.amax(dim=-1)) ⇒ scores.amax(dim=-1)
        “Your maximum is that of the last block alone. After a block of low scores it falls, and old powers overflow.”
    one_maximum: scores.amax(dim=-1)) ⇒ scores.max().expand(len(scores)))
        “You keep one maximum for all queries: in a row far below it every power is 0.”
    no_maximum: (new.isinf(), 0.0) ⇒ (new < torch.inf, 0.0)
        “You subtract no maximum: right for small scores, but e to the power of hundreds is beyond float32.”
    empty_is_nan: new.masked_fill(new.isinf(), 0.0) ⇒ new
        “Right where the first block allows something. Until then the maximum is −∞, and −∞ − (−∞) is NaN.”
    last_block_only:
        factor * total + ⇒
        factor[:, None] * summed + ⇒
        “You return the sums of the last block alone; what was there before is lost.”
    averaged: result[0], result[1], result[2] / result[1][:, None]
        “You divide by the total in every block. Divide once, at the end: summed is a sum, not yet an average.”
    """,
    also_right="""
    an average in between:
        new = torch.maximum(largest, scores.logsumexp(-1))
        both = torch.logaddexp(largest + total.log(), scores.logsumexp(-1))
        shift = both.masked_fill(both.isinf(), 0.0)
        old = (largest + total.log() - shift).exp()[:, None] * summed / total[:, None].clamp_min(1e-30)
        return both, (both - shift).exp(), old + (scores - shift[:, None]).exp() @ value
    NaN mended:
        shift = new.masked_fill(new.isinf(), 0.0) ⇒ shift = new
        factor = (largest - shift).exp() ⇒ factor = (largest - shift).exp().nan_to_num(0.0)
        powers = (scores - shift[:, None]).exp() ⇒ powers = (scores - shift[:, None]).exp().nan_to_num(0.0)
    a floor: new.masked_fill(new.isinf(), 0.0) ⇒ new.clamp_min(-1e30)
    """,
    hints="""
    - What a softmax subtracts cancels out, as long as it is the same number for all keys. So what has to happen to the
      old sums when the maximum grows?
    - The new maximum is `torch.maximum(largest, scores.amax(dim=-1))`. Old powers were e^(score − largest); times
      e^(largest − new) they become e^(score − new). Both sums take this factor.
    - `factor = (largest - new).exp()`, `powers = (scores - new[:, None]).exp()`; the total becomes `factor * total +
      powers.sum(-1)`, and summed likewise with `powers @ value`. Where new is still −∞, subtract 0 in its place.
    """,
    explanation="""
    Milakov and Gimelshein 2018 (arXiv:1805.02867) found this way to compute a softmax in one pass; FlashAttention (Dao
    et al. 2022, arXiv:2205.14135) makes attention of it. No row of scores is ever complete; the result is the same.
    """,
)
