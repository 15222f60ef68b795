"""Look-up: four colored things are on a street, and the question is what color one of them has.

The smallest task that an average cannot solve and one attention can: the question names a thing, its key must be found
by that thing, and what must be passed on is the color. The vectors are given and stay as they are; a learner trains
W_Q, W_K and W_V. Associative recall of this kind is an old test of a network's memory (Graves et al. 2014,
arXiv:1410.5401, section 4.3). Notebook 01.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

THINGS = ("bus", "car", "bike", "van", "tram", "truck", "taxi", "cart")
COLORS = ("red", "blue", "green", "white", "black", "yellow", "brown", "gray")
ON_A_STREET = 4
"""How many things there are on a street, all of them different and all of different colors."""


class LookupBatch(NamedTuple):
    """Streets, a question about each, and the answers."""

    street: Float[Tensor, "batch key d_model"]
    question: Float[Tensor, "batch query d_model"]
    color: Int[Tensor, " batch"]
    """The index in `COLORS` of what is asked for."""


class LookupTask:
    """Random vectors of length 1 for things and colors, and any number of streets made of them.

    The vector of "red bus" is the sum of the vectors of "red" and "bus"; the question "what color is the bus?" is the
    vector of "bus". A street has no order.

    Args:
        d_model: the vectors' width.
        seed: of the vectors and of every batch that is drawn.

    >>> task = LookupTask()
    >>> [tuple(part.shape) for part in task.batch(5)]
    [(5, 4, 32), (5, 1, 32), (5,)]
    """

    def __init__(self, d_model: int = 32, seed: int = 0) -> None:
        self.generator = torch.Generator().manual_seed(seed)
        drawn = torch.randn(len(THINGS) + len(COLORS), d_model, generator=self.generator)
        self.table = F.normalize(drawn, dim=-1)
        """(word, d_model): a row for each of `THINGS`, then one for each of `COLORS`."""

    @property
    def things(self) -> Float[Tensor, "thing d_model"]:
        """The vectors of the things alone."""
        return self.table[: len(THINGS)]

    @property
    def colors(self) -> Float[Tensor, "color d_model"]:
        """The vectors of the colors alone."""
        return self.table[len(THINGS) :]

    def vectors(self, names: Sequence[str]) -> Float[Tensor, "word d_model"]:
        """A vector for each name: "bus", "red" or "red bus".

        Raises:
            ValueError: a word is neither one of the things nor one of the colors.
        """
        rows = dict(zip((*THINGS, *COLORS), self.table, strict=True))
        for word in " ".join(names).split():
            if word not in rows:
                raise ValueError(f"The street knows no {word!r}; it has {', '.join((*THINGS, *COLORS))}.")
        return torch.stack([torch.stack([rows[word] for word in name.split()]).sum(0) for name in names])

    def batch(self, size: int) -> LookupBatch:
        """The next streets, one question about each, and the answers."""
        things, colors = (
            torch.rand(size, len(words), generator=self.generator).argsort(-1)[:, :ON_A_STREET]
            for words in (THINGS, COLORS)
        )
        asked = torch.randint(ON_A_STREET, (size, 1), generator=self.generator)
        street = self.things[things] + self.colors[colors]
        return LookupBatch(street, self.things[things.gather(1, asked)], colors.gather(1, asked)[:, 0])
