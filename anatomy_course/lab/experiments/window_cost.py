"""Window costs: what all pairs, a window and a sparse pattern cost, counted and measured by the length of the text.

Counting tells how costs grow; whether a pattern saves anything on a machine depends on whether the other pairs are
really left out, so that is measured. Notebook 07.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

from anatomy_course.lab.experiments.attention_cost import AttentionCost, Ways, costs_by_length
from anatomy_utils.functional.attention import scaled_dot_product_attention
from anatomy_utils.functional.masks import local
from anatomy_utils.functional.window_attention import bigbird_blocks, window_attention, window_pairs
from anatomy_utils.training.threads import seconds_computed, threads

REACH = 64
"""To either side; a window of 128 neighbors."""
BLOCK = 64
"""Positions of one of BigBird's blocks, as in the published models."""
LENGTHS = (256, 512, 1024, 2048, 4096)
SHORT = 1000
"""Below, one reading takes so little time that it is cheap to repeat."""


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
    repeats: int = 5,
) -> dict[str, list[AttentionCost]]:
    """Time and memory of attention: all pairs, a window by a mask, and a window whose other pairs are left out.

    They take turns in every repeat on one core; of each the fastest repeat counts, in time that was really computed.

    Args:
        lengths: numbers of positions to try.
        reach: of the window, to either side.
        num_heads: heads side by side.
        d_head: width of each head.
        repeats: rounds, after one that is not counted; ten times as many for short texts.

    Returns:
        "all pairs", "window by a mask", "window" → one cost per length.
    """
    ways: Ways = {
        "all pairs": lambda vectors: scaled_dot_product_attention(vectors, vectors, vectors),
        "window by a mask": lambda vectors: scaled_dot_product_attention(
            vectors, vectors, vectors, local(vectors.shape[-2], reach)
        ),
        "window": lambda vectors: window_attention(vectors, vectors, vectors, reach),
    }

    with threads(1):
        return costs_by_length(
            ways,
            lengths,
            (num_heads, d_head),
            lambda length: repeats * (10 if length < SHORT else 1),
            seconds_computed,
        )


def growth(lengths: Sequence[int], values: Mapping[str, Sequence[float]], *, over: int = 2) -> dict[str, float]:
    """How many times as much the last length costs as the one `over` places before it.

    Four times the length costs 16 times as much where costs grow with the square of the length, four times as much
    where they grow in proportion to it; on a real machine somewhat less, since every call costs something by itself.

    Args:
        lengths: numbers of positions, growing.
        values: way → its cost at each length.
        over: how many places to go back.

    Raises:
        ValueError: too few lengths, or another number of values.

    >>> growth([1, 2, 4], {"square": [1.0, 4.0, 16.0], "in proportion": [3.0, 6.0, 12.0]})
    {'square': 16.0, 'in proportion': 4.0}
    """
    if len(lengths) <= over or any(len(each) != len(lengths) for each in values.values()):
        counts = ", ".join(f"{way} {len(each)}" for way, each in values.items())
        raise ValueError(f"{len(lengths)} lengths and {counts} values: give equally many, and more than {over}.")
    return {way: each[-1] / each[-1 - over] for way, each in values.items()}
