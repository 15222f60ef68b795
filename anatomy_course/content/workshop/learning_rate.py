"""Notebook 10: the learning rate of a step, up in a straight line and down along a cosine."""

from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Objection, Tensor, primes, written


def learning_rate(step: int, steps: int, warmup: int, peak: float, end: float) -> float:
    """Steps are counted from 0 to steps − 1. The first `warmup` of them have peak · (step + 1) / warmup.
    After them p = (step + 1 − warmup) / (steps − warmup) goes up to 1, and the rate is
    end + (peak − end) · (1 + cos(π · p)) / 2. warmup may be 0; it is less than steps.
    """
    import math

    if step < warmup:
        return peak * (step + 1) / warmup
    progress = (step + 1 - warmup) / (steps - warmup)
    return end + (peak - end) * (1 + math.cos(math.pi * progress)) / 2


def cases(generator: Generator) -> Cases:
    no_warm_up, one_step, long = "no warm-up", "a warm-up of one step", "a long warm-up"
    small, level, rising = "a small peak", "an end as high as the peak", "an end above the peak"
    for kind in ("an end at 0", "an end above 0", no_warm_up, one_step, small, level, rising, long):
        steps, warmup = primes(generator, 1, (13, 17, 19))[0], primes(generator, 1, (3, 5, 7))[0]
        warmup = {no_warm_up: 0, one_step: 1, long: steps - 2}.get(kind, warmup)
        peak, rest = (round(1 + 4 * part, 1) for part in torch.rand(2, generator=generator).tolist())
        peak = peak / 10 if kind == small else peak
        end = {"an end at 0": 0.0, small: rest / 100, level: peak, rising: peak + rest}.get(kind, 0.1 + rest / 10)
        yield Case({"steps": steps, "warmup": warmup, "peak": peak, "end": end}, kind, {"step": steps})


def drive(answer: Callable[..., Any], steps: int, warmup: int, peak: float, end: float) -> Tensor | Objection | None:
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


def stages(steps: int, warmup: int, peak: float, end: float) -> Mapping[str, Tensor]:
    progress = torch.tensor([(step + 1 - warmup) / (steps - warmup) for step in range(steps)]).clamp(min=0)
    return {"progress": progress, "height of the cosine": (1 + (torch.pi * progress).cos()) / 2}


EXERCISE = written(
    learning_rate,
    title="Up, and down again",
    task="Give the learning rate of a step: up in a straight line from peak / warmup to peak, then down along half a "
    "cosine to `end` at the last step.",
    level="medium, 6 minutes",
    same_as="anatomy_utils.training.schedules.learning_rate",
    returns="rates: step",
    cases=cases,
    observe=drive,
    stages=stages,
    mistakes="""
    from_zero: peak * (step + 1) ⇒ peak * step
        “Your warm-up is one step late: step 0 has the rate 0, so it learns nothing, and the peak is not reached on the
        way up.”
    late_cosine: (step + 1 - warmup) ⇒ (step - warmup)
        “Your cosine is one step late: the peak comes once more after the warm-up, and the last step is still above
        `end`.”
    both_ends: (step + 1 - warmup) / (steps - warmup) ⇒ (step - warmup) / (steps - warmup - 1)
        “Your p goes from 0 to 1, both ends included, over the steps after the warm-up: the first of them has the peak
        once more. There it should be one step's share already, 1 / (steps − warmup).”
    divided_by_all: (steps - warmup) ⇒ steps
        “You count p from the end of the warm-up, but divide it by all steps, so that it never reaches 1 and the last
        rate is not `end`: divide by the steps after the warm-up.”
    lower_of_both:
        progress = (step + 1 - warmup) / (steps - warmup)
        falling = end + (peak - end) * (1 + math.cos(math.pi * progress)) / 2
        return min(falling, peak * (step + 1) / warmup if warmup else math.inf)
        “You take the lower of line and cosine. The cosine is meant only for what comes after the warm-up: in a long one
        it goes on to the left, and is lower than the line there.”
    all_one_late:
        step < warmup ⇒ step <= warmup
        step + 1 ⇒ step
        / warmup ⇒ / max(1, warmup)
        “All your rates are one step late: the steps are counted from 0, and step 0 should already learn.”
    no_warm_up:
        step < warmup ⇒ False
        (step + 1 - warmup) / (steps - warmup) ⇒ (step + 1) / steps
        “Your rate falls from the first step on, as if there were no warm-up.”
    whole_way (no_warm_up):
        return end ⇒ return min(1.0, (step + 1) / max(1, warmup)) * (end
        / 2 ⇒ / 2)
        “Your cosine runs over all steps, the warm-up included; it should begin when the warm-up is over.”
    progress_of_all: (step + 1 - warmup) / (steps - warmup) ⇒ (step + 1) / steps
        “Your warm-up is right. After it the rate jumps down: the way to go should be counted from the end of the
        warm-up.”
    end_ignored: end + (peak - end) ⇒ peak
        “Your rate goes down to 0 whatever `end` says.”
    end_added: (peak - end) ⇒ peak
        “Your cosine begins above the peak: `end` is added, but the height of the fall is still `peak`, not peak − end.”
    end_as_floor:
        end + (peak - end) ⇒ max(end, peak
        / 2 ⇒ / 2)
        “Your rate falls as if to 0 and stops at `end` on the way; the whole curve should run from peak to end.”
    in_a_line: (1 + math.cos(math.pi * progress)) / 2 ⇒ (1 - progress)
        “Your rate falls in a straight line; along a cosine it begins and ends slowly.”
    quarter: (1 + math.cos(math.pi * progress)) / 2 ⇒ math.cos(math.pi / 2 * progress)
        “You take a quarter of a cosine, from 1 to 0. Half a cosine, raised by 1 and halved, levels off at the end as
        well.”
    whole_period: math.pi ⇒ 2 * math.pi
        “You take a whole cosine: your rate falls and comes back to the peak at the end.”
    not_raised: (1 + math.cos(math.pi * progress)) / 2 ⇒ math.cos(math.pi * progress)
        “Your cosine runs from 1 to −1, so the rate ends below `end`; add 1 and halve it.”
    not_halved: / 2 ⇒
        “Your cosine plus 1 runs from 2 to 0, so the rate jumps up after the warm-up; halve it.”
    upwards: 1 + math.cos ⇒ 1 - math.cos
        “After the warm-up your rate begins at `end` and rises to the peak; 1 + cos falls, 1 − cos rises.”
    no_pi: math.pi * ⇒
        “Your cosine's angle only goes to 1, not to π, so most of the fall is missing.”
    degrees: math.pi ⇒ 180
        “Your angle goes to 180, in degrees; `math.cos` takes radians, where half a turn is π.”
    up_from_end: peak * (step + 1) ⇒ end + (peak - end) * (step + 1)
        “Your warm-up begins above `end`; it should be a share of the peak alone: peak · (step + 1) / warmup.”
    stays: (1 + math.cos(math.pi * progress)) / 2 ⇒ 1.0
        “Your warm-up is right, and then the rate stays at the peak.”
    """,
    also_right="""
    around the middle:
        angle = math.pi * (step - warmup + 1) / (steps - warmup)
        return peak * (step + 1) / warmup if step < warmup else (peak + end) / 2 + (peak - end) / 2 * math.cos(angle)
    sine and cosine squared:
        number = step + 1
        if number <= warmup:
            return number / warmup * peak
        left = (steps - number) / (steps - warmup)
        return peak * math.sin(math.pi / 2 * left) ** 2 + end * math.cos(math.pi / 2 * left) ** 2
    from a table:
        if step < warmup:
            return float(torch.linspace(0, peak, warmup + 1, dtype=torch.float64)[step + 1])
        way = torch.linspace(0, torch.pi, steps - warmup + 1, dtype=torch.float64)[step + 1 - warmup]
        return (end + (peak - end) * (1 + torch.cos(way)) / 2).item()
    """,
    again="""
    end + (peak - end) * (1 + math.cos(math.pi * progress)) / 2 ⇒ peak + (end - peak) * progress
        “This time the rate falls in a straight line from peak to end.”
        Not here: late_cosine
    """,
    hints="""
    - Two cases: a step of the warm-up, and any other. Which steps belong to the warm-up when they are counted from 0?
    - `if step < warmup:` return its share of the peak. With warmup 0 this never happens, so nothing is divided by 0.
      For the others compute p first: at the last step it must be 1.
    - `return end + (peak - end) * (1 + math.cos(math.pi * progress)) / 2`; `import math` belongs before it.
    """,
    explanation="""
    In the first steps the optimizer knows little about the gradients, so it walks slowly. The large rate in the middle
    covers the distance; the small one at the end lets the weights settle. Loshchilov and Hutter 2017
    (arXiv:1608.03983).
    """,
)
