"""A log of samples: what a model writes at some steps of its training, and how much is grammatical. Notebook 05."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
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
        measured: what `measure` said of the model.
    """

    steps: int
    texts: tuple[str, ...]
    grammatical: float
    measured: float = math.nan


class SampleLog:
    """Samples from a model at some moments of its training; for `train_small_gpt(on_model=SampleLog(…))`.

    Args:
        moments: after how many steps; 0 is before the first one.
        seed: of what is drawn, the same at every moment.
        measure: one more number of the model, its loss on texts that are held out for example.
    """

    def __init__(
        self, moments: Sequence[int], *, seed: int = 0, measure: Callable[[LanguageModel], float] | None = None
    ) -> None:
        self.moments = tuple(moments)
        self.pages: list[LoggedSamples] = []
        self._seed, self._measure = seed, measure

    def __call__(self, model: LanguageModel, steps: int) -> None:
        """Log samples, if this is one of the moments."""
        if steps not in self.moments:
            return
        texts = sample_texts(model, TEXTS, torch.Generator().manual_seed(self._seed))
        with torch.no_grad():
            measured = math.nan if self._measure is None else self._measure(model)
        self.pages.append(LoggedSamples(steps, tuple(texts), share_grammatical(texts), measured))
