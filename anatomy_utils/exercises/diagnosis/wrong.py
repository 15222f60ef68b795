"""A wrong answer beside its targets: what every diagnosis looks at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from anatomy_utils.exercises.definition import Case, Exercise, Output
from anatomy_utils.exercises.judging.tensors import close, fresh_arguments, numbers, parts, plain


@dataclass(frozen=True)
class Wrong:
    """One wrong output on the cases in which it is wrong; all tensors plain.

    Args:
        exercise: whose answer.
        index: which output.
        cases: those in which it is wrong.
        yours, targets: that output, case by case, with their own types.
        others: the learner's other outputs, case by case, by index.
        function: the learner's, for looks that run it again.
        seconds: how long it may take to run again.
    """

    exercise: Exercise
    index: int
    cases: Sequence[Case]
    yours: Sequence[Tensor]
    targets: Sequence[Tensor]
    function: Callable[..., Any]
    others: Sequence[Mapping[int, Tensor]] = ()
    seconds: float = 2.0

    @property
    def output(self) -> Output:
        return self.exercise.returns[self.index]

    @property
    def name(self) -> str:
        return self.output.name

    @property
    def this_is(self) -> str:
        """`"Your scores are"` or `"Your context is"`."""
        return f"Your {self.name} {'are' if self.name.endswith('s') else 'is'}"

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

    def reference(self, arguments: dict[str, Any]) -> tuple[Tensor, ...] | None:
        """The reference's outputs for other arguments, None when it does not take them."""
        try:
            result = parts(self.exercise.resolve()(*arguments.values()))
        except Exception:
            return None
        return tuple(plain(part) for part in result) if result else None

    def holds_for_arguments(self, change: Callable[[dict[str, Any], Case], dict[str, Any] | None]) -> bool:
        """Whether the reference on changed arguments gives yours, in all outputs, on every case."""
        for i, (case, yours) in enumerate(zip(self.cases, self.yours, strict=True)):
            try:
                arguments = change(fresh_arguments(case.arguments), case)
            except (RuntimeError, IndexError, ValueError):  # no such axis, shapes that do not fit
                return False
            result = None if arguments is None else self.reference(arguments)
            if result is None or not close(yours, result[self.index]):
                return False
            if self.others and not all(close(other, result[k]) for k, other in self.others[i].items()):
                return False
        return True


Likeness = Callable[[Wrong], tuple[str, str] | None]
"""Gives the likeness's name and the sentence, or None."""


def _tried(change: Callable[[Tensor], Tensor | None], target: Tensor) -> Tensor | None:
    try:
        return change(target)
    except (RuntimeError, IndexError, ValueError):
        return None
