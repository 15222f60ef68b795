"""Notebook 01: the scores of all queries against all keys."""

from anatomy_course.content.attention.shared import normal_cases
from anatomy_course.content.writing import Tensor, written
from anatomy_utils.functional.attention import scores


def attention_scores(query: Tensor, key: Tensor) -> Tensor:
    """How well each query matches each key, scaled.

    query (…, query, d_head), key (…, key, d_head) → scores (…, query, key).
    """
    return query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5


EXERCISE = written(
    attention_scores,
    same_as=scores,
    title="Scaled scores",
    task="Score every query against every key: the dot product, divided by √d_head.",
    level="medium, 4 minutes",
    returns="scores: query key",
    cases=normal_cases("query key d_head", query="query d_head", key="key d_head"),
    stages="dot products: query @ key.mT",
    mistakes="""
    no_scale: / query.shape[-1] ** 0.5 ⇒
        “You have the bare dot products: the larger d_head, the larger they grow.”
    no_root: ** 0.5 ⇒
        “Your dot products were divided by d_head itself, so they are too small.”
    root_of_keys: query.shape[-1] ⇒ key.shape[-2]
        “Your dot products were divided by the root of the number of keys, so your scores change with the sentence's
        length.”
    multiplied: / query ⇒ * query
        “Your dot products were multiplied by √d_head: they are even larger than the bare ones.”
    cosine: torch.nn.functional.cosine_similarity(query[..., :, None, :], key[..., None, :, :], dim=-1)
        “You have cosine similarities: the lengths of queries and keys have been divided out.”
    """,
    also_right="""
    einsum: torch.einsum("...qd,...kd->...qk", query, key) / query.shape[-1] ** 0.5
    multiply and sum: (query[..., :, None, :] * key[..., None, :, :]).sum(-1) / key.shape[-1] ** 0.5
    in place on an own tensor: (query @ key.mT).div_(torch.tensor(float(query.shape[-1])).sqrt())
    """,
    again="""
    query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5 ⇒
        -(query[..., :, None, :] - key[..., None, :, :]).square().sum(dim=-1)
        “This time a score is the squared distance between query and key, with a minus; nothing is divided.”
    """,
    hints="""
    - A dot product multiplies two vectors and adds up over d_head. The result has one row per query and one column per
      key.
    - `@` sums over the last axis of the left and the last but one of the right: the last two axes of `key` must swap
      places.
    - `key.transpose(-2, -1)` swaps them, with or without a batch in front. Then divide by `query.shape[-1] ** 0.5`.
    """,
    explanation="""
    Every query meets every key: a table of dot products. Their variance grows with d_head; dividing by √d_head brings
    the variance back to about 1, so that the softmax does not saturate.
    """,
)
