"""Notebook 05: the learning-rate schedule of the 2017 paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from anatomy_course.content.sizes import and_short, primes
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output
from anatomy_utils.training.schedules import paper_schedule


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("a short warm-up", "a wider model", "a short warm-up"):
        d_model = 13 if kind == "a wider model" else primes(generator, 1, (5, 7))[0]
        warmup = primes(generator, 1, (3, 5, 11))[0]
        steps = torch.arange(1, 18)
        if kind == "a wider model":  # steps in any order
            steps = steps[torch.randperm(17, generator=generator)]
        arguments = {"steps": steps, "d_model": d_model, "warmup": warmup}
        yield Case(arguments, kind, {"step": 17})


def _rates(steps: Tensor, d_model: int, warmup: int) -> Tensor:
    return d_model**-0.5 * torch.minimum(steps**-0.5, steps * warmup**-1.5)


def _by_schedule(steps: Tensor, d_model: int, warmup: int) -> Tensor:
    schedule = paper_schedule(d_model, warmup=warmup)
    return torch.tensor([schedule(step) for step in steps.tolist()])


def _one_by_one(steps: Tensor, d_model: int, warmup: int) -> Tensor:
    return torch.tensor([d_model**-0.5 * min(step**-0.5, step * warmup**-1.5) for step in steps.tolist()])


def _in_two_parts(steps: Tensor, d_model: int, warmup: int) -> Tensor:
    return torch.where(steps < warmup, steps / warmup**1.5, 1 / steps.sqrt()) / d_model**0.5


def _steps(steps: Tensor, d_model: int, warmup: int) -> Mapping[str, Tensor]:
    return {"falling": steps**-0.5, "rising": steps * warmup**-1.5}


EXERCISE = Exercise(
    id="encoder_decoder.learning_rates",
    title="The paper's warm-up",
    task="Compute the paper's learning rate of each step: d_model^−0.5 · min(step^−0.5, step · warmup^−1.5).",
    difficulty="easy",
    minutes=3,
    signature="learning_rates(steps: Tensor, d_model: int, warmup: int) -> Tensor",
    docstring="steps (step), whole numbers from 1; d_model, the model's width; warmup, the step with the highest rate\n"
    "→ rates (step).",
    reference=_by_schedule,
    returns=(Output("rates", "step"),),
    cases=and_short(_cases, "step", "a single step"),
    mistakes=(
        Mistake(
            "larger_of_both",
            lambda steps, d, w: d**-0.5 * torch.maximum(steps**-0.5, steps * w**-1.5),
            "You take the larger of the two: your rate starts high, falls, and then rises forever.",
        ),
        Mistake(
            "only_falling",
            lambda steps, d, w: d**-0.5 * steps**-0.5,
            "Your rate falls from the first step on; there is no warm-up.",
        ),
        Mistake(
            "only_rising",
            lambda steps, d, w: d**-0.5 * steps * w**-1.5,
            "Your rate rises forever: nothing turns it down after the warm-up.",
        ),
        Mistake(
            "no_width",
            lambda steps, d, w: torch.minimum(steps**-0.5, steps * w**-1.5),
            "Your rate does not depend on the model's width.",
        ),
        Mistake(
            "width_multiplied",
            lambda steps, d, w: d**0.5 * torch.minimum(steps**-0.5, steps * w**-1.5),
            "You multiply by √d_model, so a wider model would take larger steps. It should take smaller ones.",
        ),
        Mistake(
            "width_once",
            lambda steps, d, w: torch.minimum(d**-0.5 * steps**-0.5, steps * w**-1.5),
            "Your width counts only after the warm-up; it should be a factor of both parts.",
        ),
        Mistake(
            "root_of_warmup",
            lambda steps, d, w: d**-0.5 * torch.minimum(steps**-0.5, steps * w**-0.5),
            "Your rising part has warmup^−0.5: it meets the falling one long before the warm-up is over.",
        ),
        Mistake(
            "once_warmup",
            lambda steps, d, w: d**-0.5 * torch.minimum(steps**-0.5, steps / w),
            "Your rising part reaches 1 at the end of the warm-up, not warmup^−0.5: it meets the falling one too "
            "early.",
        ),
        Mistake(
            "from_zero",
            lambda steps, d, w: _rates(steps - 1, d, w),
            "Your steps are counted from 0: the first rate is 0, and all of them come one step late.",
        ),
        Mistake(
            "flat_behind",
            lambda steps, d, w: d**-0.5 * (steps * w**-1.5).clamp(max=w**-0.5),
            "Your rate rises correctly and then stays. After the warm-up it should fall with the root of the step.",
        ),
        Mistake(
            "falls_too_fast",
            lambda steps, d, w: d**-0.5 * torch.minimum(1 / steps, steps * w**-1.5),
            "Your falling part is 1/step; it should be 1/√step.",
        ),
    ),
    also_right={
        "two rows": _rates,
        "one by one": _one_by_one,
        "rising or falling": _in_two_parts,
        "stacked": lambda steps, d, w: torch.stack([steps**-0.5, steps * w**-1.5]).amin(0) * d**-0.5,
    },
    hints=(
        "Two lines: one that rises with the step, one that falls with its root. Which of the two is smaller at the "
        "beginning?",
        "`steps**-0.5` is the falling one, for all steps at once; write the rising one just like it.",
        "`torch.minimum(a, b)` takes the smaller of two numbers, place by place.",
    ),
    solution="falling = steps**-0.5\n"
    "rising = steps * warmup**-1.5\n"
    "return d_model**-0.5 * torch.minimum(falling, rising)",
    explanation="The two meet at step = warmup, where both are warmup^−0.5. Until then steps are kept small, while the "
    "optimizer has seen too few gradients to know how far to trust them. Afterwards the rate falls with 1/√step.",
    stages=_steps,
)
