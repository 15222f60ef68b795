"""The cases of one exercise with everything the judge compares an answer to, worked out once per seed."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import torch

from anatomy_course.judge.attempt.tensors import fresh_arguments
from anatomy_course.judge.definition import Exercise, Mistake


class AnswerKey:
    """Cases drawn from one seed, the reference's results, and what each catalogued mistake makes of them."""

    def __init__(self, exercise: Exercise, seed: int = 0) -> None:
        self.exercise = exercise
        self.cases = list(exercise.cases(torch.Generator().manual_seed(seed)))

    @cached_property
    def targets(self) -> list[Any]:
        """What the reference returns, case by case."""
        reference = self.exercise.as_function(self.exercise.resolve())
        return [reference(*fresh_arguments(case.arguments).values()) for case in self.cases]

    @cached_property
    def mistaken(self) -> list[tuple[Mistake, list[Any]]]:
        """Each mistake with what it returns, case by case."""
        return [
            (mistake, [function(*fresh_arguments(case.arguments).values()) for case in self.cases])
            for mistake in self.exercise.mistakes
            for function in [self.exercise.as_function(mistake.function)]
        ]
