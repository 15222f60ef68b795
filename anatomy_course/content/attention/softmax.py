"""Notebook 01: softmax over the keys, numerically safe."""

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, written


def softmax(scores: Tensor) -> Tensor:
    """eˢ / Σ eˢ over the last axis (key): scores (…, query, key) → weights (…, query, key)."""
    powers = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return powers / powers.sum(dim=-1, keepdim=True)


def cases(generator: Generator) -> Cases:
    large, low = "large numbers", "numbers far below zero"
    for kind, lead in (("small numbers", (1,)), ("several heads", (2,)), (large, ()), (low, ())):
        draw = Draw(generator, "query key", (3, 5, 7), kind)
        scores = draw("query key", lead) + 1
        if kind == large:
            scores *= 300.0
            scores[..., 0] = 200.0 + scores[..., 0].abs()  # exp of it is beyond float32 in every row
        if kind == low:
            scores -= 150.0  # exp of it is 0 in float32
            scores[..., 1, :] -= 3000.0  # the largest score of the whole table leaves nothing of this row
        yield draw.case(scores=scores)


EXERCISE = written(
    softmax,
    title="Softmax that survives large numbers",
    task="Turn each row of scores into weights that are 0 or more and sum to 1, even when a score is 1000.",
    level="medium, 5 minutes",
    returns="weights: query key",
    cases=cases,
    stages="""
    exponentials: powers
    weights: powers / powers.sum(dim=-1, keepdim=True)
    """,
    mistakes="""
    overflow: - scores.amax(dim=-1, keepdim=True) ⇒
        “Right for small scores. When a score is large, e to the power of it is beyond float32, and ∞/∞ is NaN.”
    one_largest_for_all: scores.amax(dim=-1, keepdim=True) ⇒ scores.max()
        “Your weights are right where the largest scores of all rows are close together. Where a whole row is far below
        the table's largest score, e to the power of each difference is 0 in that row, and 0/0 is NaN.”
    wrong_axis: dim=-1 ⇒ dim=-2
        “Your columns sum to 1: the softmax ran over the queries.”
    all_together: dim=-1 ⇒ dim=(-2, -1)
        “The weights of the whole table sum to 1, not each row by itself.”
    largest_is_one: powers.sum(dim=-1, keepdim=True) ⇒ powers.sum(dim=-1, keepdim=True).sqrt()
        “Your rows were divided by the root of their sum.”
    logarithm: scores.log_softmax(-1)
        “You have the logarithms of the weights: they are all 0 or less.”
    no_exponential: scores / scores.sum(-1, keepdim=True)
        “You have divided the scores themselves by their sum. The rows sum to 1, but there are weights below 0.”
    hard: F.one_hot(scores.argmax(-1), scores.shape[-1]).float()
        “The largest score of each row has the whole weight, the others none.”
    """,
    also_right="""
    functional: F.softmax(scores, dim=-1)
    logsumexp: (scores - scores.logsumexp(-1, keepdim=True)).exp()
    float64 inside: scores.double().softmax(-1).float()
    """,
    again="""
    .exp() ⇒ .exp2()
        “This time the powers are of 2 and not of e: 2ˢ / Σ 2ˢ.”
        Not here: overflow one_largest_for_all
    """,
    hints="""
    - Two steps: e to the power of each score, then divide each row by its sum. keepdim=True keeps the row's axis.
    - e¹⁰⁰⁰ is too large for the computer. Subtracting the same number from every score of a row leaves the weights as
      they are.
    - Subtract each row's largest score first (`scores.amax(dim=-1, keepdim=True)`); then no power is above 1.
    """,
    explanation="""
    A number subtracted from all scores of a row becomes one factor above and below the fraction bar, and cancels. With
    the largest subtracted, every power is between 0 and 1. `scores.softmax(dim=-1)` does the same.
    """,
)
