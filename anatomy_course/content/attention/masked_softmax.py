"""Notebook 01: softmax with a mask; keys that are masked get no weight."""

import torch

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, written


# fmt: off
def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """scores (…, query, key), mask (bool, broadcast to it; True = may attend)
    → weights (…, query, key).
    Rows sum to 1, or are all 0 where there is nothing to attend to.
    """
    weights = scores.masked_fill(~mask, float('-inf')).softmax(dim=-1)
    return weights.masked_fill(~mask, 0.0)
# fmt: on


def cases(generator: Generator) -> Cases:
    padded, row, best = "a padded batch with heads", "a row with nothing to attend to", "forbidden keys that match best"
    for kind, lead in (("one sentence", ()), (row, ()), (padded, (2, 3)), (row, (2,)), (best, (1,))):
        draw = Draw(generator, "query key", (3, 5, 7), kind)
        places = torch.arange(draw["key"])
        if kind == padded:
            mask = places < torch.randint(1, len(places), (2, 1, 1, 1), generator=generator)
        else:
            mask = draw.uniform("query key") < 0.6
            mask[:, 0], mask[0, 1], mask[1] = True, False, places != 2
            mask[2] |= kind != best
        if kind == row:
            mask[1] = False
        scores = 2 * draw("query key", lead) + 1
        if kind == "one sentence":
            scores[..., 0] = 0.0  # a score of 0 is allowed like any other
        if kind == best:
            scores -= 150.0 * mask  # e to their power is 0 in float32
        yield draw.case(scores=scores, mask=mask)


EXERCISE = written(
    masked_softmax,
    same_as="anatomy_utils.functional.attention.masked_softmax",
    title="Softmax with a mask",
    task="Turn scores into weights over the allowed keys only; a row with nothing allowed becomes all 0.",
    level="hard, 6 minutes",
    returns="weights: query key",
    cases=cases,
    stages="""
    masked scores: scores.masked_fill(~mask, float('-inf'))
    weights, with NaN in empty rows: weights
    weights: weights.masked_fill(~mask, 0.0)
    """,
    mistakes="""
    inverted_nan: scores.masked_fill(mask, -math.inf).softmax(-1)
        “Your weights are on the forbidden keys, as if −∞ went to the allowed ones. Rows that allow everything became
        NaN.”
    zero_afterwards: .masked_fill(~mask, float('-inf')) ⇒
        “Your forbidden weights are 0, but they took their share first: the rows no longer sum to 1.”
    zero_before: (scores * mask).softmax(-1)
        “Your forbidden scores count as 0 in the softmax, and e⁰ is 1: forbidden keys get a weight.”
    nan_rows: weights.masked_fill(~mask, 0.0) ⇒ weights
        “Right wherever something is allowed. A row with nothing allowed has become 0/0, which is NaN.”
    even_rows (nan_rows): float('-inf') ⇒ -1e9
        “Right wherever something is allowed. In a row with nothing allowed all keys get the same weight.”
    ignored: scores.softmax(-1)
        “Your weights are the ones without any mask.”
    wrong_axis: dim=-1 ⇒ dim=-2
        “Your columns sum to 1, not your rows: the softmax ran over the queries.”
    mask_added: (scores + mask).softmax(-1)
        “Your mask was added as 1 and 0: allowed keys are favored a little, forbidden ones still count.”
    """,
    also_right="""
    −∞, then NaN to 0: weights.masked_fill(~mask, 0.0) ⇒ weights.nan_to_num(0.0)
    −1e9, then the mask:
        float('-inf') ⇒ -1e9
        weights.masked_fill(~mask, 0.0) ⇒ weights * mask
    additive: F.softmax(scores + (1 - mask.float()) * -1e9, dim=-1) * mask
    """,
    again="""
    return weights.masked_fill(~mask, 0.0) ⇒
        none = ~mask.any(dim=-1, keepdim=True)
        return weights.masked_fill(~mask, 0.0).masked_fill(none, 1 / scores.shape[-1])
        “This time a row with nothing allowed is not 0: there each key gets the same weight, and the row sums to 1
        as well.”
        Not here: wrong_axis
    """,
    hints="""
    - A forbidden key must have no weight, and the weights of the allowed keys must sum to 1. Which score gets the
      weight 0 from a softmax?
    - `scores.masked_fill(~mask, −∞)` before the softmax. In a row where everything is −∞ that gives NaN: repair it
      afterwards.
    - Fill in −∞, take the softmax, then `.masked_fill(~mask, 0.0)`: this last step changes nothing in good rows and
      empties the others.
    """,
    explanation="""
    e to the power of −∞ is 0, so a forbidden key takes nothing from the others. A row of nothing but −∞ would be 0/0;
    the second line puts 0 in all of it.
    """,
)
