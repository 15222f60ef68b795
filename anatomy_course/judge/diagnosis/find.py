"""What a wrong answer is, when it is no catalogued mistake: the first diagnosis that fits."""

from __future__ import annotations

from anatomy_course.judge.diagnosis import (
    arguments,
    axes,
    calls,
    first_wrong_stage,
    functions,
    locations,
    mistakes,
    python_sum,
    scalars,
    shapes,
    values,
    weights,
)
from anatomy_course.judge.diagnosis.wrong_answer import Diagnosis, WrongOutput

EXACT: tuple[Diagnosis, ...] = (
    *mistakes.PARTS,
    *calls.ALL,
    *python_sum.ALL,
    *values.FIRST,
    *weights.FIRST,
    *arguments.ALL,
    *functions.ALL,
    *scalars.ALL,
    *mistakes.TOGETHER,
)
"""Each accounts for every number of an output, or names the first call that differs."""
ROUGH: tuple[Diagnosis, ...] = (
    *weights.REST,
    *values.REST,
    *first_wrong_stage.STAGES_CHANGED,
    *weights.LAST,
    *locations.ALL,
    *arguments.LAST,
    first_wrong_stage.last_good_stage,
    first_wrong_stage.first_cell,
)
"""Each says something of the output; the last one always fits."""
EXACT_SHAPES: tuple[Diagnosis, ...] = (
    *mistakes.PARTS,
    *python_sum.ALL,
    *shapes.NUMBERS_RIGHT,
    *calls.ALL,
    *arguments.ALL,
    *axes.FIRST,
    *mistakes.TOGETHER,
)
ROUGH_SHAPES: tuple[Diagnosis, ...] = (*axes.REST, *shapes.REST)


def diagnose(wrong: WrongOutput) -> tuple[str, str]:
    """The name and the sentence of the first diagnosis that holds."""
    return explain(wrong) or next(found for look in _of(wrong)[1] if (found := look(wrong)))


def explain(wrong: WrongOutput) -> tuple[str, str] | None:
    """What accounts for every number of the output in all cases in which it is wrong; None where nothing does."""
    return next((found for look in _of(wrong)[0] if (found := look(wrong))), None)


def _of(wrong: WrongOutput) -> tuple[tuple[Diagnosis, ...], tuple[Diagnosis, ...]]:
    return (EXACT, ROUGH) if wrong.is_shaped else (EXACT_SHAPES, ROUGH_SHAPES)
