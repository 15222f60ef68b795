"""Notebook 01's case: find out what is wrong with `almost_right_attention`, and write it right."""

import torch

from anatomy_course.content.attention.shared import lift
from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, written


# fmt: off
def repaired_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor
) -> tuple[Tensor, Tensor]:
    """query (…, query, d_head), key (…, key, d_head), value (…, key, d_value),
    mask (bool, True = may attend) → context (…, query, d_value), weights (…, query, key).
    A row of the mask with nothing allowed gives zeros."""
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    weights = scores.masked_fill(~mask, float('-inf')).softmax(dim=-1)
    weights = weights.masked_fill(~mask, 0.0)
    return weights @ value, weights
# fmt: on


def cases(generator: Generator) -> Cases:
    kinds: dict[str, tuple[int, ...]] = {
        "a mask of its own for each query": (),
        "a padded batch": (2,),
        "a long sentence": (1,),
        "a batch with heads": (2, 3),
        "padding that matches best": (2,),
        "a key of zeros": (2,),
    }
    for kind, lead in kinds.items():
        draw = Draw(generator, "query key d_head d_value", (3, 5, 7, 11), kind)
        if kind == "a long sentence":
            draw.sizes["key"] = 4 * draw["key"] + 1
        if kind == "a mask of its own for each query":
            mask = draw.uniform("query key") < 0.6
            mask[:, 1], mask[0, 2], mask[2] = True, False, False  # the last query has nothing to attend to
        else:
            real = torch.randint(2, draw["key"], (*lead, 1, 1), generator=generator)
            mask = torch.arange(draw["key"]) < real  # … 1 key
        query, key, value = 2 * draw("query d_head", lead), draw("key d_head", lead), draw("key d_value", lead)
        if kind == "padding that matches best":
            lift(query, key, -144.0 * mask[:, 0])
        if kind == "a key of zeros":
            key[..., 0, :] = 0.0  # all its scores are 0, and it is allowed
        yield draw.case(query=query, key=key, value=value, mask=mask)


EXERCISE = written(
    repaired_attention,
    same_as="anatomy_utils.functional.attention.scaled_dot_product_attention",
    title="The case: almost right",
    task="Write what `almost_right_attention` should have been; you may call your earlier functions.",
    level="medium, 4 minutes",
    returns="context: query d_value; weights: query key",
    cases=cases,
    look_first="weights context",
    uses="attention.scores attention.masked_softmax",
    mistakes="""
    unchanged: query.shape[-1] ⇒ key.shape[-2]
        “Your mask works, but the weights are still the colleague's: too even in long sentences, too sharp in short
        ones.”
    unchanged_and_unmasked (unchanged):
        .masked_fill(~mask, float('-inf')) ⇒
        weights = weights.masked_fill(~mask, 0.0) ⇒ pass
        “These are the colleague's own weights, and the mask has no effect yet.”
    mask_ignored:
        .masked_fill(~mask, float('-inf')) ⇒
        weights = weights.masked_fill(~mask, 0.0) ⇒ pass
        “The scale is repaired. The mask has no effect yet: forbidden keys still get a weight.”
    mask_inverted: ~mask ⇒ mask
        “The scale is repaired, but your weights are on the forbidden keys: True means 'may attend'.”
    nan_rows: weights = weights.masked_fill(~mask, 0.0) ⇒ pass
        “The scale is repaired. A row of the mask with nothing allowed has become NaN.”
    zero_afterwards: .masked_fill(~mask, float('-inf')) ⇒
        “The scale is repaired, but the mask acts as if it came after the softmax: your rows no longer sum to 1.”
    wrong_direction: / query.shape[-1] ⇒ * key.shape[-2]
        “Now your weights get sharper as the sentence gets longer: the number of keys still matters.”
    no_scale: / query.shape[-1] ** 0.5 ⇒
        “The sentence's length no longer matters, but your weights are too sharp: they are those of bare dot products.”
    no_root: ** 0.5 ⇒
        “The sentence's length no longer matters, but your weights are too even: d_head divides without its root.”
    both: query.shape[-1] ⇒ (key.shape[-2] * query.shape[-1])
        “Your scores are now as if divided twice: the colleague's divisor is still in them.”
    root_of_values: query.shape[-1] ⇒ value.shape[-1]
        “The sentence's length no longer matters, but your weights depend on the width of the values.”
    zero_is_forbidden: ~mask ⇒ ~mask | (scores == 0)
        “Your scale and your mask work, but an allowed key whose score is exactly 0 gets no weight, as if it were
        forbidden. 0 is a score like any other.”
    cosine:
        query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5 ⇒
            F.normalize(query, dim=-1) @ F.normalize(key, dim=-1).mT
        “Your scores are cosines now: the lengths of queries and keys are lost.”
    """,
    also_right="""
    with a factor: / query.shape[-1] ** 0.5 ⇒ * query.shape[-1] ** -0.5
    undoing the division:
        query @ key.transpose(-2, -1) ⇒ (query * (key.shape[-2] / key.shape[-1]) ** 0.5) @ key.mT
        / query.shape[-1] ** 0.5 ⇒ / key.shape[-2] ** 0.5
    einsum:
        scores = torch.einsum("...qd,...kd->...qk", query, key) * key.shape[-1] ** -0.5
        weights = (scores + (1 - mask.float()) * -1e9).softmax(-1) * mask
        return torch.einsum("...qk,...kv->...qv", weights, value), weights
    """,
    hints="""
    - Look down the table of symptoms: d_head stays the same. What changes from row to row, and what changes with it?
    - The favorites are right and the rows sum to 1, so softmax and dot products are fine. Only their scale can be
      wrong: which number is under the root, and which should be?
    - Divide by the root of `query.shape[-1]`. The rest is your `masked_softmax(scores, mask)`, and `weights @ value`.
    """,
    explanation="""
    The colleague divides by the root of the number of keys: `key.shape[-2]` where `key.shape[-1]` should be. One index,
    no error message, and a picture that looks fine.
    """,
)
