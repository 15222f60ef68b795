"""Measuring what attention costs on the machine at hand: seconds by the clock, bytes by counting.

Used where a notebook claims a price. The comparison with other libraries lives in `tools/benchmarks/`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

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


def attention_costs(
    lengths: Sequence[int], *, num_heads: int = 8, d_head: int = 64, repeats: int = 5
) -> dict[str, list[AttentionCost]]:
    """Time and memory of attention by the number of positions, written out and in torch's fused kernel.

    The two take turns in every repeat, so that a busy machine slows both alike.

    Args:
        lengths: numbers of positions to try.
        num_heads: heads side by side.
        d_head: width of each head.
        repeats: rounds, after one that is not counted.

    Returns:
        `"explicit"` and `"fused"` → one cost per length.
    """
    kinds: dict[str, Callable[[Tensor], object]] = {
        "explicit": lambda vectors: scaled_dot_product_attention(vectors, vectors, vectors),
        "fused": lambda vectors: F.scaled_dot_product_attention(vectors, vectors, vectors),
    }
    costs: dict[str, list[AttentionCost]] = {kind: [] for kind in kinds}
    generator = torch.Generator().manual_seed(0)
    for length in lengths:
        vectors = torch.randn(1, num_heads, length, d_head, generator=generator)
        seconds: dict[str, list[float]] = {kind: [] for kind in kinds}
        largest = {}
        with torch.no_grad():
            for kind, call in kinds.items():
                with largest_tensor() as size:
                    call(vectors)
                largest[kind] = size[0]
            for _ in range(repeats):
                for kind, call in kinds.items():
                    start = time.perf_counter()
                    call(vectors)
                    seconds[kind].append(time.perf_counter() - start)
        for kind in kinds:
            costs[kind].append(AttentionCost(min(seconds[kind]), largest[kind]))
    return costs


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
