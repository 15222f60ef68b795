"""Notebook 02: the projections of all heads, side by side in one large matrix."""

import torch

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, written
from anatomy_utils.functional import multi_head


def stack_heads(weights: Tensor) -> Tensor:
    """weights (heads, d_model, d_head), one matrix per head → (d_model, heads·d_head): the first d_head columns
    are head 0's, so that splitting x @ result into heads gives x @ weights[0], x @ weights[1], …
    """
    return torch.cat(list(weights), dim=1)


def cases(generator: Generator) -> Cases:
    for kind in ("several heads", "several heads", "a single head"):
        draw = Draw(generator, "heads d_model d_head", (2, 3, 5, 7), kind)
        if kind == "a single head":
            draw.sizes["heads"] = 1
        yield draw.case(weights=draw("heads d_model d_head"))


EXERCISE = written(
    stack_heads,
    same_as=multi_head.stack_heads,
    title="One large projection",
    task="Make one large matrix from the heads' small ones, so that one product projects into every head at once.",
    level="medium, 4 minutes",
    returns="matrix: d_model all_heads",
    cases=cases,
    mistakes="""
    reshape_alone: weights.reshape(weights.shape[1], -1)
        “Your shape is right, but the numbers were only read into other rows: a row of yours mixes several rows of one
        head.”
    one_below_the_other: dim=1 ⇒ dim=0
        “Your small matrices are one below the other: such a matrix needs an input that is heads times as wide.”
    interleaved: weights.permute(1, 2, 0).flatten(1)
        “Your columns are those of the heads, but in turn: column 0 of every head, then column 1 of every head.”
    as_linear_stores_it: result.T
        “You have the transpose: one row per feature of a head. nn.Linear stores a weight in this way, but here x @
        matrix must work.”
    blocks_on_the_diagonal: torch.block_diag(*weights)
        “Your small matrices are on a diagonal, so each head would read only some features. All heads read the same
        d_model features.”
    """,
    also_right="""
    permute and reshape: weights.permute(1, 0, 2).reshape(weights.shape[1], -1)
    hstack: torch.hstack(weights.unbind(0))
    einsum: torch.einsum("hmd->mhd", weights).reshape(weights.shape[1], -1)
    """,
    hints="""
    - Column j of a matrix makes feature j of x @ matrix. Which columns should come first?
    - Every head reads all d_model features, so the small matrices go side by side: as many rows as before, more
      columns.
    - `torch.cat(list(weights), dim=…)` joins a list of matrices along an axis. Which one counts the columns?
    """,
    explanation="""
    The columns of a matrix product do not depend on each other, so one product with the large matrix computes the same
    as many with the small ones. That is why models hold one matrix per role and not one per head.
    """,
)
