"""How large the weights of a new module are, beside what is wanted: read from a module with many of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from anatomy_course.judge.definition import Objection
from anatomy_course.judge.effects.structure import named_parameters, objection_to, skeleton

FAIR = 5.0  # in standard errors: so far off may be what chance gives


@dataclass(frozen=True)
class InitialSpread:
    """The standard deviations that the parameters of a new module are to have.

    Args:
        wanted: a parameter's name → its standard deviation around 0 and how a sentence says it; all numbers of one that
            is not drawn are alike, so that theirs is their size: 0 for a bias, 1 for a norm's weight.
        normal: names of parameters whose numbers are to lie as those of a normal distribution do.
    """

    construct: tuple[Any, ...]  # what the constructor takes; sizes at which each matrix has thousands of weights
    wanted: Callable[[str], tuple[float, str]]
    normal: tuple[str, ...] = ()

    def objection_to(self, answer: Callable[..., Any], reference: Callable[..., nn.Module]) -> Objection | None:
        """What is off about the weights of a new module, or None."""
        torch.default_generator.manual_seed(0)
        made, wanted = answer(*self.construct), skeleton(reference, self.construct)
        if objection := objection_to(made, wanted):
            return objection
        have = named_parameters(made)
        parameters = {name: have[name].detach().double().flatten() for name in named_parameters(wanted)}
        if off := [name for name, numbers in parameters.items() if self._is_off(name, numbers)]:
            others = f" So it is with {len(off) - 1} others." if len(off) > 2 else ""
            return self._objection(off[0], parameters[off[0]], others)
        # All parameters of which the same is wanted, together: so many numbers show a small difference.
        for words in dict.fromkeys(self.wanted(name)[1] for name in parameters):
            names = [name for name in parameters if self.wanted(name)[1] == words]
            together = torch.cat([parameters[name] for name in names])
            if self._is_off(names[0], together):
                return self._objection(names[0], together)
        objections = (_not_normal(name, parameters[name]) for name in self.normal)
        return next(filter(None, objections), None)

    def _is_off(self, name: str, numbers: Tensor) -> bool:
        want, _ = self.wanted(name)
        return bool(abs(_size(numbers) - want) > 1e-6 + want * FAIR / (2 * len(numbers)) ** 0.5)

    def _objection(self, name: str, numbers: Tensor, others: str = "") -> Objection:
        want, words = self.wanted(name)
        if want == 0:
            said = f"the numbers of your `{name}` are not all {words}, as they should be"
        else:
            said = f"the standard deviation of your `{name}` is about {_size(numbers):.1g}; wanted is {words}"
        return Objection("initial", f"In a new module, {said}.{others}")


def _not_normal(name: str, numbers: Tensor) -> Objection | None:
    """Of numbers of the right size: their mean should be 0, and the mean of their fourth powers 3 · size⁴."""
    mean, fourth = float(numbers.mean()) / _size(numbers), float(numbers.pow(4).mean()) / _size(numbers) ** 4
    if abs(mean) > FAIR / len(numbers) ** 0.5:
        said = f"your `{name}` has the right size, but it is not drawn around 0: its mean is about {numbers.mean():.1g}"
    elif abs(fourth - 3) > FAIR * (24 / len(numbers)) ** 0.5:
        said = f"your `{name}` has the right standard deviation, but it is not drawn from a normal distribution"
    else:
        return None
    return Objection("initial", f"In a new module, {said}. `torch.randn` draws from a normal distribution around 0.")


def _size(numbers: Tensor) -> float:
    return float(numbers.square().mean().sqrt())
