"""Sizes for cases: distinct primes, so that no axis passes for another and no product for a sum."""

from __future__ import annotations

import torch


def primes(generator: torch.Generator, count: int, among: tuple[int, ...] = (2, 3, 5, 7, 11)) -> list[int]:
    """`count` different numbers out of `among`, in random order."""
    return [among[i] for i in torch.randperm(len(among), generator=generator)[:count].tolist()]


def normal(generator: torch.Generator, *shape: int) -> torch.Tensor:
    """Standard normal numbers."""
    return torch.randn(shape, generator=generator)


def weights(generator: torch.Generator, *shape: int) -> torch.Tensor:
    """Numbers of 0 or more whose rows sum to 1, far enough from even to be told from it."""
    return (2 * torch.randn(shape, generator=generator)).softmax(-1)
