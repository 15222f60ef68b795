"""One case's numbers: each axis gets its own prime, so that none passes for another and no product for a sum."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from anatomy_course.judge.definition import Case

PRIMES = (2, 3, 5, 7, 11)
ALONE = ("one text", "one sentence")


class Draw:
    """Draws sizes and tensors by the names of axes; the same generator gives the same.

        draw = Draw(generator, "query key d_head", kind="a batch of sentences")
        yield draw.case(query=draw("query d_head"), key=draw("key d_head"))

    Args:
        generator: of random numbers.
        axes: names that get their lengths now, in this order; any other gets its own where it is first seen.
        among: different primes.
        kind: of the case; one text alone is a batch of 1.
        fixed: lengths that are not drawn: `batch=1`.

    Attributes:
        sizes: name → length, for the case.
    """

    def __init__(
        self, generator: torch.Generator, axes: str = "", among: tuple[int, ...] = PRIMES, kind: str = "", **fixed: int
    ) -> None:
        self.generator, self.kind = generator, kind
        self._left = [among[i] for i in torch.randperm(len(among), generator=generator).tolist()]
        self.sizes = {axis: self._left.pop(0) for axis in axes.split()}
        if kind in ALONE and "batch" in self.sizes:
            self.sizes["batch"] = 1
        self.sizes |= fixed

    def __getitem__(self, axis: str) -> int:
        """The length of an axis; a number is its own."""
        if axis.isdigit():
            return int(axis)
        if axis not in self.sizes:
            self.sizes[axis] = self._left.pop(0)
        return self.sizes[axis]

    def shape(self, axes: str) -> tuple[int, ...]:
        """The lengths of these axes."""
        return tuple(self[axis] for axis in axes.split())

    def __call__(self, axes: str, lead: tuple[int, ...] = ()) -> Tensor:
        """Standard normal numbers; `lead` are lengths of axes in front of those that have names."""
        return torch.randn(*lead, *self.shape(axes), generator=self.generator)

    def case(self, **arguments: Any) -> Case:
        """The case with these arguments."""
        return Case(arguments, self.kind, self.sizes)

    def weights(self, axes: str, lead: tuple[int, ...] = ()) -> Tensor:
        """Numbers of 0 or more whose rows sum to 1, far enough from even to be told from it."""
        return (2 * self(axes, lead)).softmax(-1)

    def ids(self, high: int, axes: str) -> Tensor:
        """Whole numbers from 0 to high − 1."""
        return torch.randint(high, self.shape(axes), generator=self.generator)

    def uniform(self, axes: str = "") -> Tensor:
        """Numbers from 0 to 1."""
        return torch.rand(self.shape(axes), generator=self.generator)
