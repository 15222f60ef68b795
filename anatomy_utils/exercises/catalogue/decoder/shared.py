"""A small model that writes, as a step function with a name: what cases give to a decoding loop."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from anatomy_utils.decoding.steps import SeenIds


@dataclass(frozen=True)
class Step:
    """What follows hangs on all tokens that were read, the last ones most.

    Args:
        table: (vocab_size, vocab_size) of random numbers.
        stop_id: the token that ends a text.
        ends_at: the stop token is the likeliest when so many tokens were read, and else the unlikeliest.
    """

    table: Tensor
    stop_id: int
    ends_at: int

    def __call__(self, input_ids: Tensor, cache: SeenIds) -> tuple[Tensor, SeenIds]:
        cache = cache.extended(input_ids)
        assert cache.ids is not None
        ids = cache.ids[0]
        nearness = 0.6 ** torch.arange(len(ids) - 1, -1, -1)
        logits = (nearness @ self.table[ids])[None]
        logits[:, self.stop_id] = 50.0 if len(ids) == self.ends_at else -50.0
        return logits, cache

    def __repr__(self) -> str:
        return "a model's step"
