"""Attention in several heads, as functions of plain matrices: what `MultiHeadAttention` does, written out.

Each head looks for something of its own in a subspace of its own; the output projection mixes what they found.
Notebook 02 teaches these functions and takes real heads apart with them. They know no bias, cache or rotation: a model
runs `attention.MultiHeadAttention`.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from anatomy_utils.functional.attention import scaled_dot_product_attention
from anatomy_utils.functional.masks import Mask


def attend_in_heads(
    query: Float[Tensor, "*batch query d_model"],
    key: Float[Tensor, "*batch key d_model"],
    value: Float[Tensor, "*batch key d_model"],
    num_heads: int,
    mask: Mask | None = None,
) -> Float[Tensor, "*batch query d_model"]:
    """Split into heads, attend in each, and merge: the middle of multi-head attention, between its projections.

    Vaswani et al. 2017, section 3.2.2 (arXiv:1706.03762). Scores are divided by √d_head, not by √d_model.

    Args:
        query: what each position is looking for, all heads side by side.
        key: what each position offers to be found by.
        value: what each position gives when found.
        num_heads: divides d_model.
        mask: boolean, True = may attend; or numbers added to the scores. Broadcast to … heads query key.

    Returns:
        The context of all heads, side by side.

    Raises:
        ValueError: `num_heads` does not divide d_model, or the mask does not fit.

    >>> query, key = torch.zeros(1, 2), torch.tensor([[100.0, 0.0], [0.0, 100.0]])
    >>> query[0, 0] = 1.0  # head 0 finds the first key; head 1 looks for nothing and takes the average
    >>> attend_in_heads(query, key, key, num_heads=2).tolist()
    [[100.0, 50.0]]
    """
    query, key, value = (split_heads(vectors, num_heads) for vectors in (query, key, value))
    return merge_heads(scaled_dot_product_attention(query, key, value, mask).context)


def multi_head_attention(
    hidden_states: Float[Tensor, "*batch position d_model"],
    query_weight: Float[Tensor, "d_model all_heads"],
    key_weight: Float[Tensor, "d_model all_heads"],
    value_weight: Float[Tensor, "d_model all_heads"],
    output_weight: Float[Tensor, "all_heads d_model"],
    num_heads: int,
    mask: Mask | None = None,
) -> Float[Tensor, "*batch position d_model"]:
    """Concat(head_1, …, head_h) W_O with head_i = Attention(X W_Qi, X W_Ki, X W_Vi).

    Vaswani et al. 2017, section 3.2.2 (arXiv:1706.03762).

    Args:
        hidden_states: X; they ask and are asked.
        query_weight: W_Q of all heads side by side. torch's `nn.Linear` stores the transpose of it.
        key_weight: W_K.
        value_weight: W_V.
        output_weight: W_O.
        num_heads: divides the width of all heads together.
        mask: as in `attend_in_heads`.

    >>> one = torch.eye(2)
    >>> multi_head_attention(torch.tensor([[4.0, 6.0]]), one, one, one, 10 * one, num_heads=2).tolist()
    [[40.0, 60.0]]
    """
    return cross_attention(
        hidden_states, hidden_states, query_weight, key_weight, value_weight, output_weight, num_heads, mask
    )


def cross_attention(
    hidden_states: Float[Tensor, "*batch query d_model"],
    memory: Float[Tensor, "*batch key d_memory"],
    query_weight: Float[Tensor, "d_model all_heads"],
    key_weight: Float[Tensor, "d_memory all_heads"],
    value_weight: Float[Tensor, "d_memory all_heads"],
    output_weight: Float[Tensor, "all_heads d_model"],
    num_heads: int,
    mask: Mask | None = None,
) -> Float[Tensor, "*batch query d_model"]:
    """Multi-head attention whose keys and values come from elsewhere: `hidden_states` ask, `memory` is asked.

    Args:
        hidden_states: the vectors that ask, and get an output each.
        memory: the vectors that are asked, of any number and width.
        query_weight, key_weight, value_weight, output_weight, num_heads, mask: as in `multi_head_attention`.

    >>> one, memory = torch.eye(2), torch.tensor([[4.0, 6.0]])
    >>> cross_attention(torch.tensor([[7.0, 8.0]]), memory, one, one, one, one, num_heads=2).tolist()
    [[4.0, 6.0]]
    """
    query, key, value = hidden_states @ query_weight, memory @ key_weight, memory @ value_weight
    return attend_in_heads(query, key, value, num_heads, mask) @ output_weight


def head_outputs(
    context: Float[Tensor, "*batch heads position d_head"], output_weight: Float[Tensor, "all_heads d_model"]
) -> Float[Tensor, "*batch heads position d_model"]:
    """What each head by itself adds to the output: its context through its own rows of W_O.

    Concat(head_1, …, head_h) W_O = Σ_i head_i W_Oi: the output is the sum of these over the heads.

    Args:
        context: what each head found.
        output_weight: W_O; rows i·d_head to (i + 1)·d_head are those of head i.

    >>> context = torch.tensor([[[2.0]], [[3.0]]])  # two heads of width 1, one position
    >>> head_outputs(context, torch.tensor([[1.0, 0.0], [10.0, 100.0]])).tolist()
    [[[2.0, 0.0]], [[30.0, 300.0]]]
    """
    return context @ output_weight.unflatten(0, (context.shape[-3], -1))


def switch_off(
    context: Float[Tensor, "*batch position d_model"], head: int, num_heads: int
) -> Float[Tensor, "*batch position d_model"]:
    """The context without one head: 0 wherever that head's features stand. Fit for `edit`, on the tap `context`.

    Michel, Levy and Neubig 2019 (arXiv:1905.10650) switch heads off like this to see which ones matter.

    Args:
        context: all heads side by side, as it goes into the output projection.
        head: which one, from 0.
        num_heads: how many there are.

    Raises:
        ValueError: there is no such head, or `num_heads` does not divide d_model.

    >>> switch_off(torch.tensor([[1.0, 2.0, 3.0, 4.0]]), head=1, num_heads=2).tolist()
    [[1.0, 2.0, 0.0, 0.0]]
    """
    if not 0 <= head < num_heads:
        raise ValueError(f"There is no head {head} among {num_heads}; they are numbered from 0 to {num_heads - 1}.")
    kept = torch.arange(num_heads, device=context.device) != head
    return merge_heads(split_heads(context, num_heads) * kept[:, None, None])


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

    >>> merge_heads(torch.tensor([[[1.0, 2.0], [5.0, 6.0]], [[3.0, 4.0], [7.0, 8.0]]])).tolist()
    [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]
    """
    return vectors.transpose(-3, -2).flatten(-2)  # … heads position d_head → … position heads·d_head


def share_heads(
    vectors: Float[Tensor, "*batch kv_heads position d_head"], num_heads: int
) -> Float[Tensor, "*batch heads position d_head"]:
    """Give every query head a key (or value) head: neighboring query heads share one.

    With 6 query heads and 2 key/value heads, query heads 0, 1, 2 use the first and 3, 4, 5 the second. Grouped-query
    attention, Ainslie et al. 2023 (arXiv:2305.13245); with a single key/value head it is multi-query attention, Shazeer
    2019 (arXiv:1911.02150).

    Args:
        vectors: keys or values.
        num_heads: how many query heads; a multiple of the number of key/value heads.

    Raises:
        ValueError: the key/value heads do not divide `num_heads`.

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
