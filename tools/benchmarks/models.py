"""What every model here has in common: its sizes, and a function from a batch to logits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn


class Model(NamedTuple):
    """A model and how it is asked."""

    module: nn.Module
    answer: Callable[..., Tensor]
    """The batch's tensors → logits at every position."""


@dataclass(frozen=True)
class Sizes:
    """The numbers of a model and of the batches it gets; the feed-forward width is four times `d_model`."""

    vocab_size: int
    d_model: int
    num_layers: int
    num_heads: int
    length: int
    batch: int

    @property
    def d_ff(self) -> int:
        """Width of the feed-forward layers."""
        return 4 * self.d_model

    @property
    def d_head(self) -> int:
        """Width of one head."""
        return self.d_model // self.num_heads

    def told(self, *, twice: bool = False) -> str:
        """The sizes as a row's name has them; `twice` for two stacks."""
        layers = f"{self.num_layers} + {self.num_layers}" if twice else f"{self.num_layers}"
        return f"{layers} × {self.d_model}, T {self.length}, batch {self.batch}"

    def ids(self, *, seed: int = 0, length: int | None = None) -> Tensor:
        """A batch of random tokens; 0 is kept for padding."""
        shape = (self.batch, length or self.length)
        return torch.randint(1, self.vocab_size, shape, generator=torch.Generator().manual_seed(seed))

    def attention_mask(self) -> Tensor:
        """Texts of unequal length, from half of `length` to all of it, evenly: 1 = real token, 0 = padding."""
        lengths = torch.linspace(self.length / 2, self.length, self.batch).round().long()
        return (torch.arange(self.length) < lengths[:, None]).long()
