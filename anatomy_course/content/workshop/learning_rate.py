"""Notebook 08: the learning rate of a step, up in a straight line and down along a cosine."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import torch
from torch import Tensor

from anatomy_course.content.sizes import primes
from anatomy_course.judge.definition import Case, Exercise, Mistake, Objection, Output

NO_WARM_UP, ONE_STEP = "no warm-up", "a warm-up of one step"
SMALL, LEVEL, RISING = "a small peak", "an end as high as the peak", "an end above the peak"
LONG = "a long warm-up"


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("an end at 0", "an end above 0", NO_WARM_UP, ONE_STEP, SMALL, LEVEL, RISING, LONG):
        steps, warmup = primes(generator, 1, (13, 17, 19))[0], primes(generator, 1, (3, 5, 7))[0]
        warmup = {NO_WARM_UP: 0, ONE_STEP: 1, LONG: steps - 2}.get(kind, warmup)
        peak, rest = (round(1 + 4 * part, 1) for part in torch.rand(2, generator=generator).tolist())
        peak = peak / 10 if kind == SMALL else peak
        end = {"an end at 0": 0.0, SMALL: rest / 100, LEVEL: peak, RISING: peak + rest}.get(kind, 0.1 + rest / 10)
        arguments = {"steps": steps, "warmup": warmup, "peak": peak, "end": end}
        yield Case(arguments, kind, {"step": steps})


def _drive(answer: Callable[..., Any], steps: int, warmup: int, peak: float, end: float) -> Tensor | Objection | None:
    """The rates of all steps, each asked for by itself."""
    rates = []
    for step in range(steps):
        rate = answer(step, steps, warmup, peak, end)
        if rate is None:
            return None
        if isinstance(rate, Tensor) and rate.numel() == 1:
            return Objection("tensor", "You return a tensor; an optimizer's rate is a plain number: use `math.cos`.")
        if not isinstance(rate, Real) or isinstance(rate, bool):
            return Objection("type", f"You return a {type(rate).__name__}; a plain number is wanted.")
        rates.append(float(rate))
    return torch.tensor(rates)


@dataclass(frozen=True)
class _Rate:
    """The schedule with one thing done differently."""

    up: Callable[[int, int], float] = lambda step, warmup: (step + 1) / warmup
    progress: Callable[[int, int, int], float] = lambda step, steps, warmup: (step + 1 - warmup) / (steps - warmup)
    down: Callable[[float], float] = lambda progress: (1 + math.cos(math.pi * progress)) / 2
    put: Callable[[float, float, float], float] = lambda share, peak, end: end + (peak - end) * share
    last_up: int = 0

    def __call__(self, step: int, steps: int, warmup: int, peak: float, end: float) -> float:
        if step < warmup + self.last_up:
            return peak * self.up(step, max(1, warmup))
        return self.put(self.down(self.progress(step, steps, warmup)), peak, end)


def _one_expression(step: int, steps: int, warmup: int, peak: float, end: float) -> float:
    angle = math.pi * (step - warmup + 1) / (steps - warmup)
    return peak * (step + 1) / warmup if step < warmup else (peak + end) / 2 + (peak - end) / 2 * math.cos(angle)


def _half_angle(step: int, steps: int, warmup: int, peak: float, end: float) -> float:
    number = step + 1
    if number <= warmup:
        return number / warmup * peak
    left = (steps - number) / (steps - warmup)
    return peak * math.sin(math.pi / 2 * left) ** 2 + end * math.cos(math.pi / 2 * left) ** 2


def _with_torch(step: int, steps: int, warmup: int, peak: float, end: float) -> float:
    if step < warmup:
        return float(torch.linspace(0, peak, warmup + 1, dtype=torch.float64)[step + 1])
    way = torch.linspace(0, math.pi, steps - warmup + 1, dtype=torch.float64)[step + 1 - warmup]
    return (end + (peak - end) * (1 + torch.cos(way)) / 2).item()


def _no_warm_up(step: int, steps: int, warmup: int, peak: float, end: float) -> float:
    return _Rate()(step, steps, 0, peak, end)


def _from_the_end(step: int, steps: int, warmup: int, peak: float, end: float) -> float:
    if step < warmup:
        return end + (peak - end) * (step + 1) / warmup
    return _Rate()(step, steps, warmup, peak, end)


def _whole_way(step: int, steps: int, warmup: int, peak: float, end: float) -> float:
    both = _no_warm_up(step, steps, warmup, peak, end)
    return both * min(1.0, (step + 1) / max(1, warmup))


def _lower_of_both(step: int, steps: int, warmup: int, peak: float, end: float) -> float:
    rate = _Rate()(step, steps, warmup, peak, end)
    falling = rate if step >= warmup else end + (peak - end) * _Rate().down(_Rate().progress(step, steps, warmup))
    return min(falling, peak * (step + 1) / warmup if warmup else math.inf)


def _steps(steps: int, warmup: int, peak: float, end: float) -> Mapping[str, Tensor]:
    progress = torch.tensor([(step + 1 - warmup) / (steps - warmup) for step in range(steps)]).clamp(min=0)
    return {"progress": progress, "height of the cosine": (1 + (math.pi * progress).cos()) / 2}


EXERCISE = Exercise(
    id="workshop.learning_rate",
    title="Up, and down again",
    task="Give the learning rate of a step: up in a straight line from peak / warmup to peak, then down along half a "
    "cosine to `end` at the last step.",
    difficulty="medium",
    minutes=6,
    signature="learning_rate(step: int, steps: int, warmup: int, peak: float, end: float) -> float",
    docstring="Steps are counted from 0 to steps − 1. The first `warmup` of them have peak · (step + 1) / warmup.\n"
    "After them p = (step + 1 − warmup) / (steps − warmup) goes up to 1, and the rate is\n"
    "end + (peak − end) · (1 + cos(π · p)) / 2. warmup may be 0; it is less than steps.",
    reference="anatomy_utils.training.schedules.learning_rate",
    returns=(Output("rates", "step"),),
    cases=_cases,
    mistakes=(
        Mistake(
            "from_zero",
            replace(_Rate(), up=lambda step, warmup: step / warmup),
            "Your warm-up is one step late: step 0 has the rate 0, so it learns nothing, and the peak is not reached "
            "on the way up.",
        ),
        Mistake(
            "late_cosine",
            replace(_Rate(), progress=lambda step, steps, warmup: (step - warmup) / (steps - warmup)),
            "Your cosine is one step late: the peak comes once more after the warm-up, and the last step is still "
            "above `end`.",
        ),
        Mistake(
            "both_ends",
            replace(_Rate(), progress=lambda step, steps, warmup: (step - warmup) / (steps - warmup - 1)),
            "Your p goes from 0 to 1, both ends included, over the steps after the warm-up: the first of them has the "
            "peak once more. There it should be one step's share already, 1 / (steps − warmup).",
        ),
        Mistake(
            "divided_by_all",
            replace(_Rate(), progress=lambda step, steps, warmup: (step + 1 - warmup) / steps),
            "You count p from the end of the warm-up, but divide it by all steps, so that it never reaches 1 and the "
            "last rate is not `end`: divide by the steps after the warm-up.",
        ),
        Mistake(
            "lower_of_both",
            _lower_of_both,
            "You take the lower of line and cosine. The cosine is meant only for what comes after the warm-up: in a "
            "long one it goes on to the left, and is lower than the line there.",
        ),
        Mistake(
            "all_one_late",
            lambda step, steps, warmup, peak, end: _Rate()(step - 1, steps, warmup, peak, end),
            "All your rates are one step late: the steps are counted from 0, and step 0 should already learn.",
        ),
        Mistake("no_warm_up", _no_warm_up, "Your rate falls from the first step on, as if there were no warm-up."),
        Mistake(
            "whole_way",
            _whole_way,
            "Your cosine runs over all steps, the warm-up included; it should begin when the warm-up is over.",
        ),
        Mistake(
            "progress_of_all",
            replace(_Rate(), progress=lambda step, steps, warmup: (step + 1) / steps),
            "Your warm-up is right. After it the rate jumps down: the way to go should be counted from the end of the "
            "warm-up.",
        ),
        Mistake(
            "end_ignored",
            replace(_Rate(), put=lambda share, peak, end: peak * share),
            "Your rate goes down to 0 whatever `end` says.",
        ),
        Mistake(
            "end_added",
            replace(_Rate(), put=lambda share, peak, end: end + peak * share),
            "Your cosine begins above the peak: `end` is added, but the height of the fall is still `peak`, not "
            "peak − end.",
        ),
        Mistake(
            "end_as_floor",
            replace(_Rate(), put=lambda share, peak, end: max(end, peak * share)),
            "Your rate falls as if to 0 and stops at `end` on the way; the whole curve should run from peak to end.",
        ),
        Mistake(
            "in_a_line",
            replace(_Rate(), down=lambda progress: 1 - progress),
            "Your rate falls in a straight line; along a cosine it begins and ends slowly.",
        ),
        Mistake(
            "quarter",
            replace(_Rate(), down=lambda progress: math.cos(math.pi / 2 * progress)),
            "You take a quarter of a cosine, from 1 to 0. Half a cosine, raised by 1 and halved, levels off at the end "
            "as well.",
        ),
        Mistake(
            "whole_period",
            replace(_Rate(), down=lambda progress: (1 + math.cos(2 * math.pi * progress)) / 2),
            "You take a whole cosine: your rate falls and comes back to the peak at the end.",
        ),
        Mistake(
            "not_raised",
            replace(_Rate(), down=lambda progress: math.cos(math.pi * progress)),
            "Your cosine runs from 1 to −1, so the rate ends below `end`; add 1 and halve it.",
        ),
        Mistake(
            "not_halved",
            replace(_Rate(), down=lambda progress: 1 + math.cos(math.pi * progress)),
            "Your cosine plus 1 runs from 2 to 0, so the rate jumps up after the warm-up; halve it.",
        ),
        Mistake(
            "upwards",
            replace(_Rate(), down=lambda progress: (1 - math.cos(math.pi * progress)) / 2),
            "After the warm-up your rate begins at `end` and rises to the peak; 1 + cos falls, 1 − cos rises.",
        ),
        Mistake(
            "no_pi",
            replace(_Rate(), down=lambda progress: (1 + math.cos(progress)) / 2),
            "Your cosine's angle only goes to 1, not to π, so most of the fall is missing.",
        ),
        Mistake(
            "degrees",
            replace(_Rate(), down=lambda progress: (1 + math.cos(180 * progress)) / 2),
            "Your angle goes to 180, in degrees; `math.cos` takes radians, where half a turn is π.",
        ),
        Mistake(
            "up_from_end",
            _from_the_end,
            "Your warm-up begins above `end`; it should be a share of the peak alone: peak · (step + 1) / warmup.",
        ),
        Mistake(
            "stays",
            replace(_Rate(), down=lambda progress: 1.0),
            "Your warm-up is right, and then the rate stays at the peak.",
        ),
    ),
    also_right={
        "around the middle": _one_expression,
        "sine and cosine squared": _half_angle,
        "from a table": _with_torch,
        "in parts": _Rate(),
    },
    hints=(
        "Two cases: a step of the warm-up, and any other. Which steps belong to the warm-up when they are counted from "
        "0?",
        "`if step < warmup:` return its share of the peak. With warmup 0 this never happens, so nothing is divided by "
        "0. For the others compute p first: at the last step it must be 1.",
        "`return end + (peak - end) * (1 + math.cos(math.pi * progress)) / 2`; `import math` belongs before it.",
    ),
    solution="import math\n"
    "\n"
    "if step < warmup:\n"
    "    return peak * (step + 1) / warmup\n"
    "progress = (step + 1 - warmup) / (steps - warmup)\n"
    "return end + (peak - end) * (1 + math.cos(math.pi * progress)) / 2",
    explanation="In the first steps the optimizer knows little about the gradients, so it walks slowly. The large rate "
    "in the middle covers the distance; the small one at the end lets the weights settle. Loshchilov and Hutter 2017 "
    "(arXiv:1608.03983).",
    stages=_steps,
    observe=_drive,
)
