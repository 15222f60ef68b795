"""Window attention: each position attends to its neighbors only, and only these scores are ever computed.

Full attention compares every position with every other, n² times. Forbidding most of these pairs by a mask saves
nothing, for their scores are computed and thrown away. Here queries are cut into blocks, and each block meets only the
keys that one of its queries may see: n · window scores instead of n² (Beltagy et al. 2020, section 3.1 and appendix A,
arXiv:2004.05150). The result is what `scaled_dot_product_attention` gives with `masks.local`. Notebook 07.
"""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional as F

from anatomy_utils.functional.attention import masked_softmax, scores, weighted_average


def window_attention(
    query: Float[Tensor, "*batch position d_head"],
    key: Float[Tensor, "*batch position d_head"],
    value: Float[Tensor, "*batch position d_value"],
    reach: int,
) -> Float[Tensor, "*batch position d_value"]:
    """Attention from each position to itself and its neighbors on both sides.

    Args:
        query: what each position is looking for.
        key: what each position offers to be found by.
        value: what each position gives when found.
        reach: the farthest neighbor, at least 0.

    Returns:
        The context vectors. Time and memory grow in proportion to position · reach.

    Raises:
        ValueError: the reach is negative.

    >>> vectors = torch.tensor([[0.0], [3.0], [6.0]])
    >>> window_attention(torch.zeros(3, 1), vectors, vectors, reach=1).tolist()  # averages of 2, 3 and 2 neighbors
    [[1.5], [3.0], [4.5]]
    """
    if reach < 0:
        raise ValueError(f"The farthest neighbor is {reach} positions away; give a reach of 0 or more.")
    length, block = query.shape[-2], max(reach, 1)
    behind = -length % block
    count = (length + behind) // block
    query = F.pad(query, (0, 0, 0, behind)).unflatten(-2, (count, block))  # … block query d_head
    key, value = (_with_neighbors(vectors, block, behind) for vectors in (key, value))  # … block key d_head
    allowed = _allowed(length, count, block, reach, query.device)
    context = weighted_average(masked_softmax(scores(query, key), allowed), value)
    return context.flatten(-3, -2)[..., :length, :]


def _with_neighbors(
    vectors: Float[Tensor, "*batch position d"], block: int, behind: int
) -> Float[Tensor, "*batch count key d"]:
    """Each block with the block before it and the block after it."""
    padded = F.pad(vectors, (0, 0, block, behind + block))
    return padded.unfold(-2, 3 * block, block).mT


def _allowed(length: int, count: int, block: int, reach: int, device: torch.device) -> Bool[Tensor, "count query key"]:
    """Which of the three blocks' keys each query may attend to: none out of reach, and none that only fill up."""
    key = torch.arange(-block, 2 * block, device=device)  # counted from the first query of the block
    within = (torch.arange(block, device=device)[:, None] - key).abs() <= reach  # query key
    position = torch.arange(0, count * block, block, device=device)[:, None] + key  # count key
    real = (position >= 0) & (position < length)
    return within & real[:, None]


def window_pairs(length: int, reach: int) -> int:
    """How many pairs of positions a window lets meet.

    >>> window_pairs(4, 1)  # 2 + 3 + 3 + 2
    10
    """
    reach = min(reach, length - 1)
    return length * (2 * reach + 1) - reach * (reach + 1)


def bigbird_blocks(count: int, generator: torch.Generator, *, random: int = 3) -> Bool[Tensor, "query_block key_block"]:
    """Which blocks of positions meet in BigBird's pattern: neighbors, two that see and are seen by all, and chance.

    Zaheer et al. 2020, section 2 and appendix D (arXiv:2007.14062): the first and the last block are the global ones.

    Args:
        count: how many blocks the text is cut into; in the published models each has 64 positions.
        generator: draws the random blocks.
        random: how many further blocks each block sees.

    >>> bigbird_blocks(5, torch.Generator(), random=0).int().tolist()[2]
    [1, 1, 1, 1, 1]
    """
    number = torch.arange(count)
    meets = (number[:, None] - number).abs() <= 1
    for everywhere in (0, count - 1):
        meets[everywhere] = meets[:, everywhere] = True
    for row in meets:
        others: Int[Tensor, " block"] = (~row).nonzero()[:, 0]
        row[others[torch.randperm(len(others), generator=generator)[:random]]] = True
    return meets
