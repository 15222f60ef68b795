"""Permuted order: the words stay where they are, but are predicted in an order drawn at random.

Over many orders each word is predicted from many sets of others, on both sides, and no [MASK] is ever read: the order
lives in the mask alone. Yang et al. 2019, section 2.2 (XLNet, arXiv:1906.08237). Notebook 07.
"""

from __future__ import annotations

from jaxtyping import Bool, Int
from torch import Tensor


def permutation_mask(order: Int[Tensor, " position"], *, sees_itself: bool = False) -> Bool[Tensor, "query key"]:
    """Each position may attend to those that come before it in the order.

    Args:
        order: a permutation of 0 … length − 1; `order[k]` is the position that is predicted k-th.
        sees_itself: False for the stream that predicts (XLNet's *query stream*: it must not see the answer), True for
            the one that the others read (its *content stream*).

    Raises:
        ValueError: `order` is no permutation.

    >>> import torch
    >>> permutation_mask(torch.tensor([2, 0, 1])).int().tolist()  # 2 first, then 0 sees 2, then 1 sees both
    [[0, 0, 1], [1, 0, 1], [0, 0, 0]]
    """
    if order.sort().values.tolist() != list(range(len(order))):
        raise ValueError(f"order is {order.tolist()}; expected each of 0 to {len(order) - 1} once.")
    turn = order.argsort()  # when each position is predicted
    return turn[None, :] <= turn[:, None] if sees_itself else turn[None, :] < turn[:, None]
