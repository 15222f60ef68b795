"""How numbers move between d_model and the heads: nothing is computed here, numbers only change their places.

A head is a run of neighbouring features: head 0 has the first d_head of them, head 1 the next, and so on, as BERT,
GPT-2 and Llama store theirs. Notebook 02 teaches the functions; attention in several heads (`multi_head`) is made of
them.
"""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor


def split_heads(
    vectors: Float[Tensor, "*batch position d_model"], num_heads: int
) -> Float[Tensor, "*batch heads position d_head"]:
    """Cut each vector into `num_heads` pieces, and put the heads in front of the positions.

    A view alone (… heads position d_head) would have the right shape too, but would cut the sentence instead of the
    vectors: the axes must change places.

    Args:
        vectors: one vector per position.
        num_heads: 1 or more; divides d_model.

    Raises:
        ValueError: `num_heads` does not divide d_model.

    >>> import torch
    >>> split_heads(torch.tensor([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]), 2).tolist()
    [[[1.0, 2.0], [5.0, 6.0]], [[3.0, 4.0], [7.0, 8.0]]]
    """
    d_model = vectors.shape[-1]
    if num_heads < 1 or d_model % num_heads:
        raise ValueError(
            f"d_model {d_model} cannot be split into {num_heads} heads of equal width; "
            "choose a number of heads that divides it."
        )
    return vectors.unflatten(-1, (num_heads, -1)).transpose(-3, -2)  # … position heads d_head → … heads position d_head


def merge_heads(vectors: Float[Tensor, "*batch heads position d_head"]) -> Float[Tensor, "*batch position d_model"]:
    """Put the heads' pieces of each position side by side again: the inverse of `split_heads`.

    >>> import torch
    >>> merge_heads(torch.tensor([[[1.0, 2.0], [5.0, 6.0]], [[3.0, 4.0], [7.0, 8.0]]])).tolist()
    [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]
    """
    return vectors.transpose(-3, -2).flatten(-2)  # … heads position d_head → … position heads·d_head


def stack_heads(weights: Float[Tensor, "heads d_model d_head"]) -> Float[Tensor, "d_model all_heads"]:
    """Many small projections as one large one: the heads' matrices side by side.

    `split_heads(x @ stack_heads(weights), num_heads)[h]` is `x @ weights[h]`.

    Returns:
        (d_model heads·d_head); columns h·d_head to (h + 1)·d_head are those of head h.

    >>> import torch
    >>> stack_heads(torch.tensor([[[1.0], [2.0]], [[3.0], [4.0]]])).tolist()  # two heads of width 1
    [[1.0, 3.0], [2.0, 4.0]]
    """
    return weights.transpose(0, 1).flatten(1)


def share_heads(
    vectors: Float[Tensor, "*batch kv_heads position d_head"], num_heads: int
) -> Float[Tensor, "*batch heads position d_head"]:
    """Give every query head a key (or value) head: neighbouring query heads share one.

    With 6 query heads and 2 key/value heads, query heads 0, 1, 2 use the first and 3, 4, 5 the second. Grouped-query
    attention, Ainslie et al. 2023 (arXiv:2305.13245); with a single key/value head it is multi-query attention, Shazeer
    2019 (arXiv:1911.02150).

    Args:
        vectors: keys or values.
        num_heads: how many query heads; a multiple of the number of key/value heads.

    Raises:
        ValueError: the key/value heads do not divide `num_heads`.

    >>> import torch
    >>> share_heads(torch.tensor([[[1.0]], [[2.0]]]), 4).flatten().tolist()
    [1.0, 1.0, 2.0, 2.0]
    """
    kv_heads = vectors.shape[-3]
    if num_heads % kv_heads:
        raise ValueError(
            f"{num_heads} heads cannot share {kv_heads} key/value heads evenly; "
            "choose a number of key/value heads that divides the number of heads."
        )
    return vectors.repeat_interleave(num_heads // kv_heads, dim=-3)
