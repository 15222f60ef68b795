"""Window costs: what all pairs, a window and a sparse pattern cost, counted and measured by the length of the text.

Counting tells how costs grow; whether a pattern saves anything on a machine depends on whether the other pairs are
really left out, so that is measured. Notebook 06.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import median

import torch
from torch import Tensor

from anatomy_utils.experiments.attention_cost import AttentionCost, largest_tensor
from anatomy_utils.functional.attention import scaled_dot_product_attention
from anatomy_utils.functional.masks import local
from anatomy_utils.functional.window_attention import bigbird_blocks, window_attention, window_pairs

REACH = 64
"""To either side; a window of 128 neighbours."""
BLOCK = 64
"""Positions of one of BigBird's blocks, as in the published models."""
LENGTHS = (256, 512, 1024, 2048, 4096)


def count_pairs(lengths: Sequence[int] = LENGTHS, *, reach: int = REACH) -> dict[str, list[int]]:
    """How many pairs of positions meet in one head: as many scores, and as many weights.

    Args:
        lengths: numbers of positions; multiples of 64, for BigBird's blocks.
        reach: of the window, to either side.

    Returns:
        "all pairs" (n²), "window", "BigBird" → one count per length.

    Raises:
        ValueError: a length is no multiple of 64.

    >>> count_pairs([128])
    {'all pairs': [16384], 'window': [12352], 'BigBird': [16384]}
    """
    if odd := [length for length in lengths if length % BLOCK]:
        raise ValueError(f"BigBird's blocks have {BLOCK} positions; {odd[0]} is no multiple of it.")
    generator = torch.Generator().manual_seed(0)
    return {
        "all pairs": [length**2 for length in lengths],
        "window": [window_pairs(length, reach) for length in lengths],
        "BigBird": [int(bigbird_blocks(length // BLOCK, generator).sum()) * BLOCK**2 for length in lengths],
    }


def measure_window_costs(
    lengths: Sequence[int] = LENGTHS,
    *,
    reach: int = REACH,
    num_heads: int = 1,
    d_head: int = 32,
    repeats: int = 3,
) -> dict[str, list[AttentionCost]]:
    """Time and memory of attention: all pairs, a window by a mask, and a window whose other pairs are left out.

    They take turns in every repeat, so that a busy machine slows all alike; seconds are the median.

    Args:
        lengths: numbers of positions to try.
        reach: of the window, to either side.
        num_heads: heads side by side.
        d_head: width of each head.
        repeats: rounds, after one that is not counted.

    Returns:
        "all pairs", "window by a mask", "window" → one cost per length.
    """
    ways: dict[str, Callable[[Tensor], object]] = {
        "all pairs": lambda vectors: scaled_dot_product_attention(vectors, vectors, vectors),
        "window by a mask": lambda vectors: scaled_dot_product_attention(
            vectors, vectors, vectors, local(vectors.shape[-2], reach)
        ),
        "window": lambda vectors: window_attention(vectors, vectors, vectors, reach),
    }
    costs: dict[str, list[AttentionCost]] = {way: [] for way in ways}
    for length in lengths:
        vectors = torch.randn(1, num_heads, length, d_head, generator=torch.Generator().manual_seed(0))
        seconds: dict[str, list[float]] = {way: [] for way in ways}
        largest = {}
        with torch.no_grad():
            for way, attend in ways.items():  # the round that is not counted
                with largest_tensor() as size:
                    attend(vectors)
                largest[way] = size[0]
            for _ in range(repeats):
                for way, attend in ways.items():
                    start = time.perf_counter()
                    attend(vectors)
                    seconds[way].append(time.perf_counter() - start)
        for way, taken in seconds.items():
            costs[way].append(AttentionCost(median(taken), largest[way]))
    return costs
