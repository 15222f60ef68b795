"""A training step as a function: let it change a model a few times, and look at all weights after each."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

import torch
from torch import Tensor, nn

from anatomy_course.judge.definition import Objection, Output

STEPS = 3
OUTPUTS = tuple(
    output
    for step in range(1, STEPS + 1)
    for output in (Output(f"loss of step {step}"), Output(f"weights after step {step}", "number"))
)
"""What is compared, in the order in which a fault spreads."""


def effects(
    step: Callable[[int], Any], model: nn.Module, optimizer: torch.optim.Optimizer
) -> tuple[Tensor, ...] | Objection | None:
    """The number that each step returns, and all trained weights after it. Step number 0, 1, 2 changes the model and
    returns the loss; the model's frozen parameters and the optimizer's settings must stay."""
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    before = _settings(model, optimizer)
    found: list[Tensor] = []
    for number in range(STEPS):
        loss = step(number)
        if loss is None:
            return None
        if isinstance(loss, Tensor) and loss.numel() == 1:
            said = "Your function returns the loss as a tensor; a plain number is wanted, which `.item()` gives."
            return Objection("tensor", said)
        if not isinstance(loss, Real) or isinstance(loss, bool):
            kind = type(loss).__name__
            return Objection("type", f"Your function returns a {kind}; the loss is wanted, as a plain number.")
        found += [torch.tensor(float(loss)), nn.utils.parameters_to_vector(trained).detach().clone()]
    for name, value in _settings(model, optimizer).items():
        if not (torch.equal(value, before[name]) if isinstance(value, Tensor) else value == before[name]):
            return Objection("touched", f"Your function also changes {name}; only the trained weights may change.")
    return tuple(found)


def _settings(model: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, Any]:
    """What a step leaves alone."""
    groups = [{key: value for key, value in group.items() if key != "params"} for group in optimizer.param_groups]
    frozen = {name: p.detach().clone() for name, p in model.named_parameters() if not p.requires_grad}
    return {
        "which parameters are trained": [parameter.requires_grad for parameter in model.parameters()],
        "the optimizer's settings": groups,
        **{f"`{name}`, which is not trained": value for name, value in frozen.items()},
    }
