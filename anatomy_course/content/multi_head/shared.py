"""Right and wrong ways to arrange heads: what several exercises' mistakes are made of.

A way to split takes (batch position d_model) and the number of heads, a way to merge (batch heads position d_head).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from anatomy_course.content.attention.shared import attend
from anatomy_course.content.sizes import primes

Split = Callable[[Tensor, int], Tensor]
Merge = Callable[[Tensor], Tensor]


def split(vectors: Tensor, num_heads: int) -> Tensor:
    """(batch position d_model) → (batch heads position d_head)."""
    return vectors.reshape(*vectors.shape[:2], num_heads, -1).transpose(1, 2)


def split_scrambled(vectors: Tensor, num_heads: int) -> Tensor:
    """A view straight to the wanted shape: the sentence is cut, not the vectors."""
    batch, position, d_model = vectors.shape
    return vectors.reshape(batch, num_heads, position, d_model // num_heads)


def split_interleaved(vectors: Tensor, num_heads: int) -> Tensor:
    """Head h gets every num_heads-th feature, from feature h on."""
    return vectors.reshape(*vectors.shape[:2], -1, num_heads).permute(0, 3, 1, 2)


def merge(vectors: Tensor) -> Tensor:
    """(batch heads position d_head) → (batch position d_model)."""
    return vectors.transpose(1, 2).flatten(2)


def merge_scrambled(vectors: Tensor) -> Tensor:
    """A reshape straight to the wanted shape."""
    batch, heads, position, d_head = vectors.shape
    return vectors.reshape(batch, position, heads * d_head)


def merge_interleaved(vectors: Tensor) -> Tensor:
    """Feature 0 of every head, then feature 1 of every head …"""
    return vectors.permute(0, 2, 3, 1).flatten(2)


def in_heads(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    num_heads: int,
    mask: Tensor | None = None,
    *,
    cut: Split = split,
    join: Merge = merge,
    scale: float | None = None,
) -> Tensor:
    """Split, attend, merge; with a wrong way to do any of them."""
    query, key, value = (cut(vectors, num_heads) for vectors in (query, key, value))
    return join(attend(query, key, value, query.shape[-1] ** -0.5 if scale is None else scale, mask)[0])


def lift_weights(query_weight: Tensor, key_weight: Tensor, d_head: int) -> None:
    """Where feature 0 of all vectors is 12, the scaled scores of each head grow by 144; see `lift`."""
    query_weight[0, ::d_head], key_weight[0, ::d_head] = 1.0, d_head**0.5
    query_weight[1:, ::d_head], key_weight[1:, ::d_head] = 0.0, 0.0


def head_sizes(generator: torch.Generator) -> Iterator[tuple[str, dict[str, int]]]:
    """Kind and sizes of each case of splitting and merging."""
    for kind in ("a batch of sentences", "a batch of sentences", "one sentence"):
        position, heads, d_head, batch = primes(generator, 4, (2, 3, 5, 7))
        batch = 1 if kind == "one sentence" else batch
        yield kind, {"batch": batch, "position": position, "heads": heads, "d_head": d_head}
