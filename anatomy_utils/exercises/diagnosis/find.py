"""What a wrong answer is, when it is no catalogued mistake: the first diagnosis that fits."""

from __future__ import annotations

from anatomy_utils.exercises.diagnosis import arguments, first_difference, functions, locations, shapes, values, weights
from anatomy_utils.exercises.diagnosis.wrong_answer import Diagnosis, Wrong

OF_VALUES: tuple[Diagnosis, ...] = (
    *values.FIRST,
    *weights.FIRST,
    *arguments.ALL,
    *weights.REST,
    *values.REST,
    *functions.ALL,
    *weights.LAST,
    *locations.ALL,
    *arguments.LAST,
    *first_difference.ALL,
)
OF_SHAPES: tuple[Diagnosis, ...] = (*shapes.NUMBERS_RIGHT, *arguments.ALL, *shapes.REST)
"""The most telling diagnoses come first; the last one always fits."""


def diagnose(wrong: Wrong) -> tuple[str, str]:
    """The name and the sentence of the first diagnosis that holds."""
    shaped = all(y.shape == t.shape for y, t in zip(wrong.yours, wrong.targets, strict=True))
    return next(found for look in (OF_VALUES if shaped else OF_SHAPES) if (found := look(wrong)))
