"""Measuring what attention costs on the machine at hand: seconds by the clock, bytes by counting.

Used where a notebook claims a price. The comparison with other libraries lives in `tools/benchmarks/`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode

from anatomy_utils.functional.attention import scaled_dot_product_attention


@dataclass(frozen=True)
class AttentionCost:
    """What one call costs.

    Attributes:
        seconds: of the fastest repeat; the others had to share the machine.
        largest: bytes of the largest tensor that the call made.
    """

    seconds: float
    largest: int


Ways = Mapping[str, Callable[[Tensor], object]]
"""Name → what is measured on the vectors of a text."""


def attention_costs(
    lengths: Sequence[int], *, num_heads: int = 8, d_head: int = 64, repeats: int = 5
) -> dict[str, list[AttentionCost]]:
    """Time and memory of attention by the number of positions, written out and in torch's fused kernel.

    Args:
        lengths: numbers of positions to try.
        num_heads: heads side by side.
        d_head: width of each head.
        repeats: rounds, after one that is not counted.

    Returns:
        `"explicit"` and `"fused"` → one cost per length.
    """
    ways: Ways = {
        "explicit": lambda vectors: scaled_dot_product_attention(vectors, vectors, vectors),
        "fused": lambda vectors: F.scaled_dot_product_attention(vectors, vectors, vectors),
    }
    return costs_by_length(ways, lengths, (num_heads, d_head), lambda length: repeats)


def costs_by_length(
    ways: Ways,
    lengths: Sequence[int],
    size: tuple[int, int],
    rounds: Callable[[int], int],
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, list[AttentionCost]]:
    """What each way costs, by length, on vectors of so many heads and features, after one round that is not counted."""
    costs: dict[str, list[AttentionCost]] = {way: [] for way in ways}
    for length in lengths:
        vectors = torch.randn(1, size[0], length, size[1], generator=torch.Generator().manual_seed(0))
        largest = {}
        with torch.no_grad():
            for way, attend in ways.items():
                with largest_tensor() as counted:
                    attend(vectors)
                largest[way] = counted[0]
            seconds = take_turns({way: partial(attend, vectors) for way, attend in ways.items()}, rounds(length), clock)
        for way, fastest in seconds.items():
            costs[way].append(AttentionCost(fastest, largest[way]))
    return costs


def take_turns(
    ways: Mapping[str, Callable[[], object]], rounds: int, clock: Callable[[], float] = time.perf_counter
) -> dict[str, float]:
    """The seconds of each way's fastest round. They take turns, so that a busy machine slows all of them alike."""
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way, call in ways.items():
            start = clock()
            call()
            seconds[way].append(clock() - start)
    return {way: min(taken) for way, taken in seconds.items()}


@contextmanager
def largest_tensor() -> Iterator[list[int]]:
    """Count, inside the `with` block, the bytes of the largest tensor that any torch operation makes.

    Yields:
        A list whose only entry grows; what a kernel allocates and frees inside itself is not seen.
    """
    size = [0]

    class Counting(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            result = func(*args, **(kwargs or {}))
            for made in result if isinstance(result, tuple | list) else [result]:
                if isinstance(made, Tensor):
                    size[0] = max(size[0], made.numel() * made.element_size())
            return result

    with Counting():
        yield size
