"""A log of samples: what a model writes at some steps of its training, and how much is grammatical. Notebook 04."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from anatomy_course.lab.small_models.small_gpt import sample_texts
from anatomy_course.lab.street.parser import share_grammatical
from anatomy_utils.nn.heads import LanguageModel

TEXTS = 200
"""How many texts are judged at each moment."""


@dataclass(frozen=True)
class LoggedSamples:
    """What was written at one moment.

    Attributes:
        steps: of training done until then.
        texts: each word drawn with its probability.
        grammatical: the share of the texts that the grammar accepts.
    """

    steps: int
    texts: tuple[str, ...]
    grammatical: float


class SampleLog:
    """Samples from a model at some moments of its training; for `train_small_gpt(on_model=SampleLog(…))`.

    Args:
        moments: after how many steps; 0 is before the first one.
        seed: of what is drawn, the same at every moment.
    """

    def __init__(self, moments: Sequence[int], *, seed: int = 0) -> None:
        self.moments = tuple(moments)
        self.pages: list[LoggedSamples] = []
        self._seed = seed

    def __call__(self, model: LanguageModel, steps: int) -> None:
        """Log samples, if this is one of the moments."""
        if steps not in self.moments:
            return
        texts = sample_texts(model, TEXTS, torch.Generator().manual_seed(self._seed))
        self.pages.append(LoggedSamples(steps, tuple(texts), share_grammatical(texts)))
