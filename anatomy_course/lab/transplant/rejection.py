"""What can be wrong with a learner's function at one place of a model, found and said in one plain sentence."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import torch
from torch import Tensor

from anatomy_course.lab.transplant.replaceable import WEIGHTS, Function, Replaceable


@dataclass(frozen=True)
class Rejection:
    """The first module that does not accept a learner's function.

    Attributes:
        path: of the module, as in `model.named_modules()`.
        organ: the function's name in `transplant`.
        problem: what is wrong: the rest of a sentence that begins with "your attention".
        difference: the largest difference from our numbers; None where there was nothing to compare.
        where: of that difference: axis → index, such as `{"text": 1, "head": 0, "query": 3, "feature": 2}`.
        expected_shape: what the function should have given back.
        got_shape: what it gave back; None where that was no tensor.
        error: what the function stopped with, if it did; `raise rejection.error` shows the way to it.
        spoils: whether the function changed what it was given, so that nothing can go on from there.
    """

    path: str
    organ: str
    problem: str
    difference: float | None = None
    where: dict[str, int] | None = None
    expected_shape: tuple[int, ...] | None = None
    got_shape: tuple[int, ...] | None = None
    error: Exception | None = None
    spoils: bool = False

    def __str__(self) -> str:
        return f"{self.path}: your {self.organ} {self.problem}."


class RejectionError(ValueError):
    """Stops a model that was running with a function it does not accept."""

    def __init__(self, rejection: Rejection) -> None:
        super().__init__(str(rejection))
        self.rejection = rejection


@dataclass(frozen=True)
class Site:
    """A learner's function at its place in one module.

    Args:
        path: of the module.
        organ: what the function stands for.
        function: the learner's.
        takes: how many of the organ's arguments it takes.
        ours: what stood there before, with the same arguments.
    """

    path: str
    organ: Replaceable
    function: Function
    takes: int
    ours: Function

    def given_by(self, *arguments: Any) -> Tensor | tuple[Tensor, ...]:
        """What the model goes on with: one tensor, or several; otherwise as `theirs`."""
        theirs = self.theirs(*arguments)
        return theirs if len(theirs) > 1 else theirs[0]

    def theirs(self, *arguments: Any) -> tuple[Tensor, ...]:
        """What the learner's function gives back: one tensor, or for attention perhaps context and weights.

        Raises:
            RejectionError: it stops with an error, changes what it was given, or gives back something of another kind.
        """
        given = arguments[: self.takes]
        if "mask" in self.organ.arguments[len(given) :] and not arguments[-1].all():
            self._reject("takes no mask, but some keys are forbidden here; give it `mask` as its last argument")
        before = [_version(part) for part in given]
        try:
            outcome = self.function(*given)
        except RejectionError:  # by an organ inside of this one
            raise
        except Exception as error:
            words = _crash(error, self.function, dict(zip(self.organ.arguments, given, strict=False)))
            self._reject(words, error, spoils=[_version(part) for part in given] != before)
        for name, part, version in zip(self.organ.arguments, given, before, strict=False):
            if _version(part) != version:
                self._reject(f"changes its `{name}`, which others still need; let it work on a copy", spoils=True)
        shapes = self.organ.shapes(*arguments)
        several = isinstance(outcome, tuple) and len(outcome) == len(shapes)
        parts = [
            self._checked(part, shape, arguments)
            for part, shape in zip(outcome if several else [outcome], shapes, strict=False)
        ]
        return tuple(parts)

    def _checked(self, part: Any, shape: tuple[int, ...], arguments: Sequence[Any]) -> Tensor:
        if part is None:
            self._reject("gives back nothing (None); does it end with `return`?", expected_shape=shape)
        if not isinstance(part, Tensor):
            self._reject(f"gives back a {type(part).__name__}, not a tensor", expected_shape=shape)
        if tuple(part.shape) != shape:
            self._reject(
                f"gives back shape {tuple(part.shape)}, but {shape} is expected here",
                expected_shape=shape,
                got_shape=tuple(part.shape),
            )
        if (part.dtype == torch.bool) != self.organ.gives_truths:
            wanted = "True and False" if self.organ.gives_truths else "numbers"
            self._reject(f"gives back {part.dtype}, but {wanted} are expected here")
        numbers = [given for given in arguments if isinstance(given, Tensor) and given.is_floating_point()]
        if part.isnan().any() and not any(given.isnan().any() for given in numbers):
            place = self._place(part.isnan().nonzero()[0].tolist(), self.organ.axes)
            self._reject(f"gives NaN (not a number), first at {_words(place)}", where=place)
        if not part.is_floating_point():
            return part
        return part.to(numbers[0].dtype if numbers else torch.get_default_dtype())

    def compare(self, ours: Sequence[Tensor], theirs: Sequence[Tensor], tolerance: float) -> None:
        """Raise an error where a number is off by more than tolerance × (1 + the largest number of its row)."""
        phrases = ("differs from ours", "gives our context, but weights that differ from ours")
        for phrase, axes, wanted, got in zip(phrases, (self.organ.axes, WEIGHTS), ours, theirs, strict=False):
            if wanted.is_floating_point():
                tolerance = max(tolerance, 4 * torch.finfo(wanted.dtype).eps)
            largest = wanted.double().abs().amax(dim=-1, keepdim=True)
            off = (got.double() - wanted.double()).abs().nan_to_num(0.0, posinf=torch.inf)
            wrong = off > tolerance * (1 + largest)
            if wrong.any():
                index = [int(i) for i in torch.unravel_index(off.where(wrong, 0).argmax(), off.shape)]
                place = self._place(index, axes)
                yours, mine = _number(got[tuple(index)]), _number(wanted[tuple(index)])
                self._reject(
                    f"{phrase}, most at {_words(place)}: {yours} instead of {mine} "
                    f"({int(wrong.sum())} of {wrong.numel()} numbers are wrong{_only_in(place, wrong)})",
                    difference=float(off[tuple(index)]),
                    where=place,
                    expected_shape=tuple(wanted.shape),
                    got_shape=tuple(got.shape),
                )

    def _place(self, index: Sequence[int], axes: Sequence[str]) -> dict[str, int]:
        return dict(zip(axes[-len(index) :], index[-len(axes) :], strict=True))

    def _reject(self, problem: str, error: Exception | None = None, **found: Any) -> NoReturn:
        raise RejectionError(Rejection(self.path, self.organ.name, problem, error=error, **found)) from error


def _words(place: dict[str, int]) -> str:
    return ", ".join(f"{axis} {i}" for axis, i in place.items())


def _number(value: Tensor) -> str:
    return str(value.item()) if value.dtype == torch.bool else f"{value.item():.4g}"


def _only_in(place: dict[str, int], wrong: Tensor) -> str:
    """Padding is often in one text only: say so when one text has all the mistakes."""
    alone = "text" in place and len(wrong) > 1 and int(wrong.flatten(1).any(dim=1).sum()) == 1
    return f", all of them in text {place['text']}" if alone else ""


def _version(part: object) -> int:
    """Counts the changes to a tensor, where torch keeps count."""
    return part._version if isinstance(part, Tensor) and not part.is_inference() else 0


def _crash(error: Exception, function: Function, given: dict[str, Any]) -> str:
    """The error, the learner's line, and the shapes it was given."""
    message = (str(error).splitlines() or [""])[0]
    code = getattr(inspect.unwrap(function), "__code__", None)
    lines = [line for line in traceback.extract_tb(error.__traceback__) if code and line.filename == code.co_filename]
    known = lines and lines[-1].line  # a saved answer has no text of its own to count lines in
    at = f" at line {lines[-1].lineno}, `{lines[-1].line}`," if known else ""
    shapes = ", ".join(f"{name} {tuple(part.shape)}" for name, part in given.items() if isinstance(part, Tensor))
    return f"stopped{at} with {type(error).__name__}: {message.rstrip('.')} (it was given {shapes or given})"
