"""A wrong answer beside its targets: what every diagnosis looks at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from torch import Tensor

from anatomy_course.judge.attempt.tensors import close, differing, fresh_arguments, numbers, parts, plain
from anatomy_course.judge.attempt.tried import Attempt, OutputPair
from anatomy_course.judge.definition import Case, Output

SECONDS = 2.0  # how long a diagnosis may run the learner's function on one more input


@dataclass(frozen=True)
class WrongOutput:
    """One wrong output on the cases in which it is wrong."""

    trial: Attempt  # the answer, and the exercise that it belongs to
    index: int  # which output
    indices: Sequence[int]  # the cases in which it is wrong

    @cached_property
    def cases(self) -> list[Case]:
        return [self.trial.cases[i] for i in self.indices]

    @cached_property
    def yours(self) -> list[Tensor]:
        """The learner's output on these cases, plain, with its own type; and the target's."""
        return [self._outputs[i][self.index].yours for i in self.indices]

    @cached_property
    def targets(self) -> list[Tensor]:
        return [self._outputs[i][self.index].target for i in self.indices]

    @cached_property
    def _outputs(self) -> dict[int, list[OutputPair]]:
        return {i: [pair for pair in self.trial.pairs if pair.case == i] for i in self.indices}

    @cached_property
    def output(self) -> Output:
        """What is wrong, as the exercise describes it."""
        return self.trial.exercise.returns[self.index]

    @property
    def name(self) -> str:
        return self.output.name

    @property
    def verb(self) -> str:
        """`"are"` or `"is"`."""
        return "are" if is_plural(self.name) else "is"

    @property
    def this_is(self) -> str:
        """`"Your scores are"` or `"Your context is"`."""
        return f"Your {self.name} {self.verb}"

    def beside(
        self, targets: Sequence[Tensor], yours: Sequence[Tensor] | None = None, output: Output | None = None
    ) -> WrongOutput:
        """The same cases with other targets and, where given, another tensor of the learner's in the output's place."""
        other = replace(self)
        others = {"targets": list(targets), "yours": list(yours or self.yours), "output": output or self.output}
        other.__dict__.update(others)  # where cached properties keep what they have worked out
        return other

    @property
    def is_shaped(self) -> bool:
        return same_shapes(self.yours, self.targets)

    @cached_property
    def stages(self) -> dict[str, list[Tensor]]:
        """What a right solution passes on its way: name → tensors, case by case."""
        return in_each([self.trial.stages(case) for case in self.cases])

    def pairs(self) -> list[tuple[Tensor, Tensor]]:
        """(yours, target) as float64, case by case."""
        return [(numbers(y), numbers(t)) for y, t in zip(self.yours, self.targets, strict=True)]

    def holds(self, change: Callable[[Tensor], Tensor | None]) -> bool:
        """Whether `change` turns the target into yours on every case, and is a change on every case."""
        for yours, target in self.pairs():
            try:
                changed = change(target)
            except (RuntimeError, IndexError, ValueError):
                return False
            if changed is None or not close(yours, changed):
                return False
        return True

    def axis(self, index: int) -> str:
        """The name of one of the target's axes: `"query"`."""
        return self.output.axis(index, self.targets[0].dim())

    @property
    def axes(self) -> range:
        """The axes that the target has on every case, counted from the last: −1, −2, …"""
        return range(-1, -1 - min(target.dim() for target in self.targets), -1)

    def marks(self) -> list[Tensor]:
        """True in every cell that differs, case by case; yours must have the target's shape."""
        return [differing(y, t) for y, t in zip(self.yours, self.targets, strict=True)]

    @property
    def right(self) -> Callable[..., Any]:
        """The reference as a function from a case's arguments to outputs."""
        return self.trial.exercise.as_function(self.trial.exercise.resolve())

    def reference(self, arguments: dict[str, Any]) -> tuple[Tensor, ...] | None:
        """The reference's outputs for other arguments, None when it does not take them."""
        try:
            result = parts(self.right(*arguments.values()))
        except Exception:
            return None
        return tuple(plain(part) for part in result) if result else None

    def holds_for_arguments(self, change: Callable[[dict[str, Any], Case], dict[str, Any] | None]) -> bool:
        """Whether the reference on changed arguments gives yours, in all outputs, on every case."""
        for i, case in zip(self.indices, self.cases, strict=True):
            try:
                arguments = change(fresh_arguments(case.arguments), case)
            except (RuntimeError, IndexError, ValueError):  # no such axis, shapes that do not fit
                return False
            result = None if arguments is None else self.reference(arguments)
            if result is None or not all(close(pair.yours, result[pair.output]) for pair in self._outputs[i]):
                return False
        return True


def same_shapes(yours: Sequence[Tensor], targets: Sequence[Tensor]) -> bool:
    return all(y.shape == t.shape for y, t in zip(yours, targets, strict=True))


def in_each(cases: Sequence[Mapping[str, Tensor]]) -> dict[str, list[Tensor]]:
    """The names that each case has, with their tensors, case by case."""
    return {name: [case[name] for case in cases] for name in cases[0] if all(name in case for case in cases)}


def is_plural(name: str) -> bool:
    """Whether a name such as `"states after attention"` is one of many things; `"loss"` is not."""
    head = name.split(" of ")[0].split(" after ")[0].split(" in ")[0]
    return head.endswith("s") and not head.endswith("ss")


Diagnosis = Callable[[WrongOutput], tuple[str, str] | None]
"""Gives the diagnosis's name and its sentence, or None where it does not hold."""
