"""A small model that writes, as a step function with a name, and logits with labels: what cases give to an answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from anatomy_utils.decoding.steps import SeenIds
from anatomy_utils.exercises.catalogue.sizes import normal, real_words
from anatomy_utils.exercises.definition import Case
from anatomy_utils.training.losses import IGNORE


@dataclass(frozen=True)
class TableStep:
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


def labelled_cases(generator: torch.Generator) -> Iterator[Case]:
    """Logits and labels of texts with and without padding."""
    for kind, batch, position, vocab_size in (
        ("padded texts", 2, 5, 7),
        ("padded texts", 3, 7, 11),
        ("one text", 1, 5, 13),
    ):
        real = real_words(generator, kind, batch, position, range(1, position - 2), position - 1)
        labels = torch.randint(1, vocab_size, (batch, position), generator=generator)
        arguments = {
            "logits": 2 * normal(generator, batch, position, vocab_size),
            "labels": labels.masked_fill(~real, IGNORE),
        }
        yield Case(arguments, kind, {"batch": batch, "position": position, "vocab_size": vocab_size})
