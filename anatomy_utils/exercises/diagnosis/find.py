"""What a wrong answer is like, when it is no catalogued mistake: the first diagnosis that fits."""

from __future__ import annotations

from anatomy_utils.exercises.diagnosis.wrong import Likeness, Wrong


def find_likeness(wrong: Wrong) -> tuple[str, str] | None:
    """The first likeness that holds, the most telling ones first."""
    from anatomy_utils.exercises.diagnosis import arguments as inputs
    from anatomy_utils.exercises.diagnosis import functions, places, shapes, values, weights

    looks: tuple[Likeness, ...] = (
        *values.FIRST,
        *weights.FIRST,
        *inputs.ALL,
        *weights.REST,
        *values.REST,
        *functions.ALL,
        *weights.LAST,
        *places.ALL,
        *inputs.LAST,
    )
    if any(y.shape != t.shape for y, t in zip(wrong.yours, wrong.targets, strict=True)):
        looks = (*shapes.NUMBERS_RIGHT, *inputs.ALL, *shapes.REST)
    for look in looks:
        found = look(wrong)
        if found:
            return found
    return None
