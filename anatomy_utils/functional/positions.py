"""Positions as formulas: waves, rotations, buckets and penalties that depend on where a token is.

Notebook 04 teaches them; `nn.positions` and `nn.relative_positions` hold the modules that models are built with.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor

Layout = Literal["halves", "neighbors"]


def sinusoids(
    positions: Int[Tensor, "*batch position"], d_model: int, *, interleaved: bool = True
) -> Float[Tensor, "*batch position d_model"]:
    """PE(p, 2i) = sin(p / 10000^(2i / d_model)), PE(p, 2i + 1) = cos(p / 10000^(2i / d_model)).

    Vaswani et al. 2017, section 3.5 (arXiv:1706.03762).

    Raises:
        ValueError: `d_model` is odd.

    >>> sinusoids(torch.tensor([0, 1]), 4).mul(100).round().int().tolist()
    [[0, 100, 0, 100], [84, 54, 1, 100]]
    """
    if d_model % 2:
        raise ValueError(f"Sines and cosines come in pairs, but d_model is {d_model}; choose an even width.")
    angles = positions[..., None] * frequencies(d_model, 10_000.0, positions.device)
    waves = torch.stack([angles.sin(), angles.cos()], dim=-1)  # … position pair 2
    return waves.flatten(-2) if interleaved else waves.transpose(-2, -1).flatten(-2)


def frequencies(width: int, base: float, device: torch.device | None) -> Float[Tensor, " pair"]:
    """1 / base^(2i / width) for every pair i."""
    return base ** (-torch.arange(0, width, 2, device=device).float() / width)


@dataclass(frozen=True)
class Yarn:
    """How rotary positions are stretched to texts longer than those of training.

    Peng et al. 2023, section 3 (arXiv:2309.00071).

    Attributes:
        factor: how much longer texts may be.
        original_positions: how long they were in training.
        fast: waves that turn at least so often in a training text stay as they are.
        slow: those that turn at most so often are stretched by the factor; those between by a part of it.
        truncate: whether the first and last pair of features in between are rounded outward.
        magnitude: what turned queries and keys are multiplied by.
    """

    factor: float
    original_positions: int
    fast: float = 32.0
    slow: float = 1.0
    truncate: bool = True
    magnitude: float = 1.0


def yarn_frequencies(width: int, base: float, yarn: Yarn, device: torch.device | None = None) -> Float[Tensor, " pair"]:
    """The frequency of every pair: its own, or divided by the factor, or between the two.

    >>> own, stretched = frequencies(4, 100.0, None), yarn_frequencies(4, 100.0, Yarn(10.0, 64, fast=9.0, slow=2.0))
    >>> (own / stretched).round().tolist()  # in 64 positions the first pair turns ten times, the second once
    [1.0, 10.0]
    """

    def pair_that_turns(times: float) -> float:
        return width * math.log(yarn.original_positions / (times * 2 * math.pi)) / (2 * math.log(base))

    first, last = pair_that_turns(yarn.fast), pair_that_turns(yarn.slow)
    if yarn.truncate:
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, width - 1)
    last += 0.001 * (first == last)
    share = ((torch.arange(width // 2, device=device) - first) / (last - first)).clamp(0, 1)
    own = frequencies(width, base, device)
    return own * (1 - share) + own / yarn.factor * share


@dataclass(frozen=True)
class Rotation:
    """The turn of certain positions, to be applied to their queries and keys."""

    cosines: Float[Tensor, "*any position d_head"]
    sines: Float[Tensor, "*any position d_head"]
    layout: Layout

    def __call__(self, vectors: Float[Tensor, "batch heads position d"]) -> Float[Tensor, "batch heads position d"]:
        """Queries or keys, turned. Their lengths stay the same, unless the rotation was stretched with a magnitude;
        features beyond the turned ones stay as they are."""
        width = self.cosines.shape[-1]
        cosines, sines = self.cosines.to(vectors.dtype), self.sines.to(vectors.dtype)
        if width == vectors.shape[-1]:
            return vectors * cosines + self._quarter_turn(vectors) * sines
        turned, rest = vectors[..., :width], vectors[..., width:]
        return torch.cat([turned * cosines + self._quarter_turn(turned) * sines, rest], dim=-1)

    def _quarter_turn(self, vectors: Tensor) -> Tensor:
        """(a, b) → (−b, a) for every pair."""
        if self.layout == "halves":
            first, second = vectors.chunk(2, dim=-1)
            return torch.cat([-second, first], dim=-1)
        pairs = vectors.unflatten(-1, (-1, 2))
        return torch.stack([-pairs[..., 1], pairs[..., 0]], dim=-1).flatten(-2)


def rotary(
    vectors: Float[Tensor, "batch heads position d_head"],
    cosines: Float[Tensor, "*any position d_head"],
    sines: Float[Tensor, "*any position d_head"],
) -> Float[Tensor, "batch heads position d_head"]:
    """Turn features i and i + d_head/2 of each vector by its position's angle.

    Su et al. 2021 (arXiv:2104.09864), paired as in Llama.
    """
    return Rotation(cosines, sines, "halves")(vectors)


def t5_bucket(
    offsets: Int[Tensor, "*any"], *, bidirectional: bool, num_buckets: int = 32, max_distance: int = 128
) -> Int[Tensor, "*any"]:
    """The bucket of each offset (key position − query position).

    >>> t5_bucket(torch.tensor([-200, -9, -8, -1, 0, 1, 9]), bidirectional=True).tolist()
    [15, 8, 8, 1, 0, 17, 24]
    """
    bucket = torch.zeros_like(offsets)
    if bidirectional:
        num_buckets //= 2
        bucket = (offsets > 0).to(offsets.dtype) * num_buckets
        distance = offsets.abs()
    else:
        distance = (-offsets).clamp(min=0)
    exact = num_buckets // 2
    share = (distance.clamp(min=1).float() / exact).log() / math.log(max_distance / exact)
    wide = (exact + (share * (num_buckets - exact)).to(offsets.dtype)).clamp(max=num_buckets - 1)
    return bucket + torch.where(distance < exact, distance, wide)


def alibi_slopes(num_heads: int) -> Float[Tensor, " heads"]:
    """A geometric row that starts at 2^(−8 / heads); other than powers of two borrow from the next finer row.

    >>> alibi_slopes(4).tolist()
    [0.25, 0.0625, 0.015625, 0.00390625]
    """
    nearest = 2 ** math.floor(math.log2(num_heads))
    slopes = [2 ** (-8 * (i + 1) / nearest) for i in range(nearest)]
    finer = [2 ** (-4 * (i + 1) / nearest) for i in range(0, 2 * nearest, 2)]
    return torch.tensor(slopes + finer[: num_heads - nearest], device="cpu")


def offset_row(offsets: Int[Tensor, "*any"], num_buckets: int, max_distance: int) -> Int[Tensor, "*any"]:
    """Offset (query position − key position) → row of the table; the middle row is that of offset 0.

    >>> offset_row(torch.tensor([-9, -1, 0, 2, 9]), num_buckets=0, max_distance=3).tolist()
    [0, 2, 3, 5, 5]
    """
    middle = num_buckets or max_distance
    buckets = log_bucket(offsets, num_buckets, max_distance) if num_buckets else offsets
    return (buckets + middle).clamp(0, 2 * middle - 1)


def log_bucket(offsets: Int[Tensor, "*any"], num_buckets: int, max_distance: int) -> Int[Tensor, "*any"]:
    """Near offsets stay as they are; from half of `num_buckets` on, buckets widen with the logarithm of the distance.

    He et al. 2021, code of DeBERTa v2 (arXiv:2006.03654). Mirrored: the bucket of −offset is −bucket.

    Args:
        offsets: query position − key position.
        num_buckets: on each side.
        max_distance: the first offset beyond the buckets; farther ones go on counting and have to be cut off.

    >>> log_bucket(torch.tensor([-40, -3, 0, 4, 5, 8, 63]), 8, 64).tolist()  # 5 to 8 share a bucket
    [-7, -3, 0, 4, 5, 5, 7]
    """
    near, distance = num_buckets // 2, offsets.abs()
    # Both logarithms in float32, as published: the last offset falls onto its bucket's edge exactly.
    share = (distance.clamp(min=near) / near).log() / torch.tensor((max_distance - 1) / near).log()
    far = near + (share * (near - 1)).ceil().to(offsets.dtype)
    return torch.where(distance <= near, offsets, offsets.sign() * far)
