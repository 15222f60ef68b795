"""Schedules: how large the steps of learning are, from the first to the last.

Transformers with the norm after each sub-layer diverge when the first steps are large, hence the warm-up. Notebook 03
shows it, notebook 06 uses the paper's. A schedule is a function from the number of the step, counted from 1, to a
learning rate.
"""

from __future__ import annotations

import math
from collections.abc import Callable

Schedule = Callable[[int], float]
"""Number of the step, from 1 → learning rate."""


def paper_schedule(d_model: int, *, warmup: int = 4000, scale: float = 1.0) -> Schedule:
    """scale · d_model^−0.5 · min(step^−0.5, step · warmup^−1.5): up in a line, down with the square root.

    Vaswani et al. 2017, equation 3 (arXiv:1706.03762).

    Args:
        d_model: the model's width; wider models learn more slowly.
        warmup: the step at which the rate is highest: d_model^−0.5 · warmup^−0.5.
        scale: the paper has 1.

    Raises:
        ValueError: warmup is below 1.

    >>> schedule = paper_schedule(d_model=4, warmup=4)
    >>> [schedule(step) for step in (1, 4, 16)]  # ½ · (⅛, ½, ¼)
    [0.0625, 0.25, 0.125]
    """
    if warmup < 1:
        raise ValueError(f"warmup is {warmup} steps, but the paper's schedule needs at least 1.")
    return lambda step: scale * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def linear_schedule(peak: float, *, steps: int, warmup: int = 0, end: float = 0.0) -> Schedule:
    """Up in a line to `peak` at step `warmup`, and down in a line to `end` at the last step.

    Devlin et al. 2019, appendix A.2 (arXiv:1810.04805).

    Args:
        peak: the highest rate.
        steps: how many steps there will be; the rate stays at `end` after them.
        warmup: steps on the way up; 0 starts near the peak.
        end: the last rate.

    Raises:
        ValueError: warmup is not between 0 and steps.

    >>> schedule = linear_schedule(1.0, steps=6, warmup=2)
    >>> [schedule(step) for step in range(1, 7)]
    [0.5, 1.0, 0.75, 0.5, 0.25, 0.0]
    """
    return _warmed_up(peak, steps, warmup, lambda progress: end + (peak - end) * (1 - progress))


def cosine_schedule(peak: float, *, steps: int, warmup: int = 0, end: float = 0.0) -> Schedule:
    """Up in a line to `peak` at step `warmup`, and down along half a cosine to `end` at the last step.

    Loshchilov and Hutter 2017, equation 5, without restarts (arXiv:1608.03983).

    Args:
        peak: the highest rate.
        steps: how many steps there will be; the rate stays at `end` after them.
        warmup: steps on the way up; 0 starts near the peak.
        end: the last rate.

    Raises:
        ValueError: warmup is not between 0 and steps.

    >>> schedule = cosine_schedule(1.0, steps=6, warmup=2)
    >>> [round(schedule(step), 3) for step in range(1, 7)]  # (1 + cos 45°) / 2 = 0.854
    [0.5, 1.0, 0.854, 0.5, 0.146, 0.0]
    """
    return _warmed_up(peak, steps, warmup, lambda progress: end + (peak - end) * (1 + math.cos(math.pi * progress)) / 2)


def learning_rate(step: int, steps: int, warmup: int, peak: float, end: float) -> float:
    """`cosine_schedule` for one step, counted from 0 as loops count: peak / warmup first, `end` at step steps − 1.

    Args:
        step: its number.
        steps: how many there will be.
        warmup: steps on the way up.
        peak: the highest rate.
        end: the last one.

    Raises:
        ValueError: warmup is not between 0 and steps.

    >>> [round(learning_rate(step, 6, 2, 1.0, 0.0), 3) for step in range(6)]
    [0.5, 1.0, 0.854, 0.5, 0.146, 0.0]
    """
    return cosine_schedule(peak, steps=steps, warmup=warmup, end=end)(step + 1)


def _warmed_up(peak: float, steps: int, warmup: int, falling: Callable[[float], float]) -> Schedule:
    if not 0 <= warmup < steps:
        raise ValueError(f"warmup is {warmup} of {steps} steps; it must be at least 0 and leave steps to learn in.")

    def schedule(step: int) -> float:
        if step < warmup:
            return peak * step / warmup
        return falling(min(1.0, (step - warmup) / (steps - warmup)))

    return schedule
