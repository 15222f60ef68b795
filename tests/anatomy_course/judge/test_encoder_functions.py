"""Notebook 03's solutions run as organs of real encoders."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from solutions import solution
from torch import nn

from anatomy_course.judge import find_exercise
from anatomy_course.lab.experiments.length_extrapolation import tiny_encoder
from anatomy_course.lab.experiments.norm_placement import narrow_encoder
from anatomy_course.lab.transplant import reject


def seed() -> torch.Generator:
    return torch.Generator().manual_seed(0)


IDS = torch.tensor([[1, 0, 1, 1, 0], [0, 1, 0, 1, 1]])


@pytest.mark.parametrize(
    ("organ", "model"),
    [
        ("sinusoids", lambda: tiny_encoder("sinusoidal", seed())),
        ("rotary", lambda: tiny_encoder("rotary", seed())),
        ("feed_forward", lambda: narrow_encoder(2, "post", seed())),
        ("layer_norm", lambda: narrow_encoder(2, "pre", seed())),
        ("post_norm", lambda: narrow_encoder(2, "post", seed())),
        ("pre_norm", lambda: narrow_encoder(2, "pre", seed())),
    ],
)
def test_a_solution_is_accepted_and_a_mistake_is_not(organ: str, model: Callable[[], nn.Module]) -> None:
    exercise = find_exercise(f"encoder.{organ}")
    assert reject(model(), IDS, **{organ: solution(exercise.id)}) is None
    assert reject(model(), IDS, **{organ: exercise.mistakes[0].function}) is not None
