"""Run a learner's function on every case: on copies, within a time limit, and with whatever it prints kept aside."""

from __future__ import annotations

import contextlib
import inspect
import io
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import FrameType
from typing import Any

import torch
from torch import Tensor

from anatomy_utils.exercises.attempt.tensors import changed, fresh_arguments, parts, plain
from anatomy_utils.exercises.attempt.time_limit import TimeRanOut, interruptible, run_limited
from anatomy_utils.exercises.definition import Case

MOST_PRINTED = 2000


@dataclass
class Execution:
    """What came of it. `results` has fewer entries than there are cases when the function crashed or was stopped."""

    results: list[Any] = field(default_factory=list)
    error: BaseException | None = None
    changed: tuple[str, ...] = ()
    """Names of the arguments that were changed in the first case in which any was."""
    printed: str = ""
    """What the function printed on the first case."""

    @property
    def stopped(self) -> bool:
        """Whether it took longer than the time limit."""
        return isinstance(self.error, TimeRanOut)


def execute(
    function: Callable[..., Any], cases: Sequence[Case], *, seconds: float, thread: bool | None = None
) -> Execution:
    """Run `function` on every case, and stop at the first crash.

    Raises:
        KeyboardInterrupt: the learner pressed stop.
    """
    made = Execution()

    with _put_back():
        try:
            run_limited(partial(_run_all, function, cases, made), seconds, thread=thread)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            made.error = error
    return made


def _run_all(function: Callable[..., Any], cases: Sequence[Case], made: Execution) -> None:
    for case in cases:
        paper = io.StringIO()
        given = fresh_arguments(case.arguments)
        with contextlib.redirect_stdout(paper):
            result = interruptible(function, *given.values())
        made.printed = made.printed if made.results else paper.getvalue()[:MOST_PRINTED]
        made.results.append(result)
        if inspect.iscoroutine(result):
            result.close()  # or Python complains later that nobody waited for it
        made.changed = made.changed or changed(case.arguments, given)


@contextlib.contextmanager
def _put_back() -> Iterator[None]:
    """Whatever a learner's function does to random numbers, warnings and the output, here it is as it was before."""
    output = sys.stdout
    with torch.random.fork_rng(devices=[]), torch.enable_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        finally:
            sys.stdout = output


def try_once(function: Callable[..., Any], arguments: dict[str, Any], seconds: float) -> tuple[Tensor, ...] | None:
    """The result of one more run as plain tensors, or None when it does not give any."""
    result = try_with_gradients(function, fresh_arguments(arguments), seconds)
    return result and tuple(plain(part) for part in result)


def try_with_gradients(
    function: Callable[..., Any], arguments: dict[str, Any], seconds: float
) -> tuple[Tensor, ...] | None:
    """The result of one more run on these very arguments, or None when it does not give any."""

    with _put_back():
        try:
            return parts(run_limited(partial(_run_quietly, function, arguments), seconds))
        except KeyboardInterrupt:
            raise
        except BaseException:
            return None


def _run_quietly(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    with contextlib.redirect_stdout(io.StringIO()):
        return interruptible(function, *arguments.values())


def variables(function: Callable[..., Any], case: Case, seconds: float) -> dict[str, Tensor]:
    """The tensors that the function's own variables held when it returned, arguments left out."""
    code = getattr(function, "__code__", None)
    held: dict[str, Tensor] = {}

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        if event == "return" and frame.f_code is code:
            held.update({n: plain(v) for n, v in frame.f_locals.items() if isinstance(v, Tensor)})

    def watched(*arguments: Any) -> Any:
        before = sys.getprofile()
        sys.setprofile(profile)
        try:
            return function(*arguments)
        finally:
            sys.setprofile(before)

    try_once(watched, dict(case.arguments), seconds)
    return {name: tensor for name, tensor in held.items() if name not in case.arguments}
