"""What a wrong answer is like, when it is no catalogued mistake.

Each likeness is a question such as "is it the target times one number?". A likeness is only told when it holds on every
case in which the answer is wrong; when the answer is right on the others, the sentence says on which it is not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from anatomy_utils.exercises.exercise import Case, Exercise, Output
from anatomy_utils.exercises.tensors import close, numbers, parts, plain
from anatomy_utils.exercises.tensors import fresh_arguments


@dataclass(frozen=True)
class Wrong:
    """One wrong output on the cases in which it is wrong; all tensors plain.

    Args:
        exercise: whose answer.
        index: which output.
        cases: those in which it is wrong.
        yours, targets: that output, case by case, with their own types.
        function: the learner's, for looks that run it again.
        seconds: how long it may take to run again.
    """

    exercise: Exercise
    index: int
    cases: Sequence[Case]
    yours: Sequence[Tensor]
    targets: Sequence[Tensor]
    function: Callable[..., Any]
    seconds: float = 2.0

    @property
    def output(self) -> Output:
        return self.exercise.returns[self.index]

    @property
    def name(self) -> str:
        return self.output.name

    def pairs(self) -> list[tuple[Tensor, Tensor]]:
        """(yours, target) as float64, case by case."""
        return [(numbers(y), numbers(t)) for y, t in zip(self.yours, self.targets, strict=True)]

    def holds(self, change: Callable[[Tensor], Tensor | None]) -> bool:
        """Whether `change` turns the target into yours on every case, and is a change on every case."""
        for yours, target in self.pairs():
            changed = _tried(change, target)
            if changed is None or not close(yours, changed):
                return False
        return True

    def axis(self, index: int, tensor: Tensor) -> str:
        return self.output.axis(index, tensor.dim())

    def reference(self, arguments: dict[str, Any]) -> Tensor | None:
        """This output of the reference on other arguments, None when it does not take them."""
        try:
            result = parts(self.exercise.resolve()(*arguments.values()))
        except Exception:
            return None
        return plain(result[self.index]) if result else None

    def holds_for_arguments(self, change: Callable[[dict[str, Any], Case], dict[str, Any] | None]) -> bool:
        """Whether the reference on changed arguments gives yours on every case."""
        for case, yours in zip(self.cases, self.yours, strict=True):
            arguments = change(fresh_arguments(case.arguments), case)
            result = None if arguments is None else self.reference(arguments)
            if result is None or not close(yours, result):
                return False
        return True


Likeness = Callable[[Wrong], tuple[str, str] | None]
"""Gives the likeness's name and the sentence, or None."""


def _tried(change: Callable[[Tensor], Tensor | None], target: Tensor) -> Tensor | None:
    try:
        return change(target)
    except (RuntimeError, IndexError, ValueError):
        return None


def find_likeness(wrong: Wrong) -> tuple[str, str] | None:
    """The first likeness that holds, the most telling ones first."""
    from anatomy_utils.exercises import likeness_inputs, likeness_places, likeness_shape, likeness_values

    alike = all(y.shape == t.shape for y, t in zip(wrong.yours, wrong.targets, strict=True))
    looks: tuple[Likeness, ...] = (
        (*likeness_values.FIRST, *likeness_inputs.ALL, *likeness_values.REST, *likeness_places.ALL, *likeness_inputs.LAST)
        if alike
        else (*likeness_shape.NUMBERS_RIGHT, *likeness_inputs.ALL, *likeness_shape.REST)
    )
    for look in looks:
        found = look(wrong)
        if found:
            return found
    return None
