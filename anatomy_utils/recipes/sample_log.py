"""Diary: what a writer writes while it learns, and how much of it the street's grammar accepts.

Notebook 04 shows its pages: before the training, during it, after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.recipes.small_gpt import write
from anatomy_utils.toy_language import share_grammatical

TEXTS = 200
"""How many texts a page is judged by."""


@dataclass(frozen=True)
class Page:
    """What was written at one moment.

    Attributes:
        steps: of training done until then.
        texts: each word drawn with its probability.
        grammatical: the share of the texts that the grammar accepts.
    """

    steps: int
    texts: tuple[str, ...]
    grammatical: float


class Diary:
    """Lets a model write at some moments of its training; for `train_writer(on_model=diary)`.

    Args:
        moments: after how many steps; 0 is before the first one.
        seed: of what is drawn, the same on every page.
    """

    def __init__(self, moments: Sequence[int], *, seed: int = 0) -> None:
        self.moments = tuple(moments)
        self.pages: list[Page] = []
        self._seed = seed

    def __call__(self, model: LanguageModel, steps: int) -> None:
        """Write a page, if this is one of the moments."""
        if steps not in self.moments:
            return
        texts = write(model, TEXTS, torch.Generator().manual_seed(self._seed))
        self.pages.append(Page(steps, tuple(texts), share_grammatical(texts)))
