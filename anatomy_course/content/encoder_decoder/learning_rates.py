"""Notebook 06: the learning-rate schedule of the 2017 paper."""

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Tensor, and_short, primes, written


def learning_rates(steps: Tensor, d_model: int, warmup: int) -> Tensor:
    """steps (step), whole numbers from 1; d_model, the model's width; warmup, the step with the highest rate
    → rates (step).
    """
    falling = steps**-0.5
    rising = steps * warmup**-1.5
    return d_model**-0.5 * torch.minimum(falling, rising)


def cases(generator: Generator) -> Cases:
    for kind in ("a short warm-up", "a wider model", "a short warm-up"):
        d_model = 13 if kind == "a wider model" else primes(generator, 1, (5, 7))[0]
        warmup = primes(generator, 1, (3, 5, 11))[0]
        steps = torch.arange(1, 18)
        if kind == "a wider model":  # steps in any order
            steps = steps[torch.randperm(17, generator=generator)]
        yield Case({"steps": steps, "d_model": d_model, "warmup": warmup}, kind, {"step": 17})


EXERCISE = written(
    learning_rates,
    title="The paper's warm-up",
    task="Compute the paper's learning rate of each step: d_model^−0.5 · min(step^−0.5, step · warmup^−1.5).",
    level="easy, 3 minutes",
    returns="rates: step",
    cases=and_short(cases, "step", "a single step"),
    stages="""
    falling rates: falling
    rising rates: rising
    """,
    mistakes="""
    larger_of_both: minimum ⇒ maximum
        “You take the larger of the two: your rate starts high, falls, and then rises forever.”
    only_falling: torch.minimum(falling, rising) ⇒ falling
        “Your rate falls from the first step on; there is no warm-up.”
    only_rising: torch.minimum(falling, rising) ⇒ rising
        “Your rate rises forever: nothing turns it down after the warm-up.”
    no_width: d_model**-0.5 * ⇒
        “Your rate does not depend on the model's width.”
    width_multiplied: d_model**-0.5 ⇒ d_model**0.5
        “You multiply by √d_model, so a wider model would take larger steps. It should take smaller ones.”
    width_once: d_model**-0.5 * torch.minimum(falling, ⇒ torch.minimum(d_model**-0.5 * falling,
        “Your width counts only after the warm-up; it should be a factor of both parts.”
    root_of_warmup: warmup**-1.5 ⇒ warmup**-0.5
        “Your rising part has warmup^−0.5: it meets the falling one long before the warm-up is over.”
    once_warmup: steps * warmup**-1.5 ⇒ steps / warmup
        “Your rising part reaches 1 at the end of the warm-up, not warmup^−0.5: it meets the falling one too early.”
    from_zero:
        steps**-0.5 ⇒ (steps - 1) ** -0.5
        steps * ⇒ (steps - 1) *
        “Your steps are counted from 0: the first rate is 0, and all of them come one step late.”
    flat_behind: torch.minimum(falling, rising) ⇒ rising.clamp(max=warmup**-0.5)
        “Your rate rises correctly and then stays. After the warm-up it should fall with the root of the step.”
    falls_too_fast: steps**-0.5 ⇒ 1 / steps
        “Your falling part is 1/step; it should be 1/√step.”
    """,
    also_right="""
    two rows: d_model**-0.5 * torch.minimum(steps**-0.5, steps * warmup**-1.5)
    one by one: torch.tensor([d_model**-0.5 * min(step**-0.5, step * warmup**-1.5) for step in steps.tolist()])
    rising or falling: torch.where(steps < warmup, steps / warmup**1.5, 1 / steps.sqrt()) / d_model**0.5
    """,
    again="""
    steps**-0.5 ⇒ torch.full_like(steps, warmup**-0.5, dtype=torch.float32)
        “This time the rate stays at its peak after step `warmup`.”
        Not here: larger_of_both only_falling only_rising once_warmup root_of_warmup width_once
    """,
    hints="""
    - Two lines: one that rises with the step, one that falls with its root. Which of the two is smaller at the
      beginning?
    - `steps**-0.5` is the falling one, for all steps at once; write the rising one just like it.
    - `torch.minimum(a, b)` takes the smaller of two numbers, place by place.
    """,
    explanation="""
    The two meet at step = warmup, where both are warmup^−0.5. Until then steps are kept small, while the optimizer has
    seen too few gradients to know how far to trust them. Afterwards the rate falls with 1/√step.
    """,
)
