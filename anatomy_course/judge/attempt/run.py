"""Run a learner's function on every case: on copies, within a time limit, and with whatever it writes kept aside."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from torch import Tensor

from anatomy_course.judge.attempt.output import CapturedDescriptors, CapturedOutput, streams_to
from anatomy_course.judge.attempt.surroundings import Surroundings, restored_globals
from anatomy_course.judge.attempt.tensors import changed, fresh_arguments, parts, plain
from anatomy_course.judge.attempt.time_limit import TimeRanOut, interruptible, run_limited, second_alarm
from anatomy_course.judge.definition import Case


@dataclass
class RunOnCases:
    """What came of it. `results` has fewer entries than there are cases when the function crashed or was stopped."""

    results: list[Any] = field(default_factory=list)
    error: BaseException | None = None
    changed: tuple[str, ...] = ()  # the arguments that were changed in the first case in which any was
    printed: str = ""  # on the first case
    displayed: list[Any] = field(default_factory=list)  # on the first case: figures, bars
    seconds: float = 0.0  # how long it took

    @property
    def stopped(self) -> bool:
        return isinstance(self.error, TimeRanOut)


def execute(
    function: Callable[..., Any],
    cases: Sequence[Case],
    *,
    seconds: float,
    thread: bool | None = None,
    watched: bool = False,
) -> RunOnCases:
    """Run the learner's function on every case within so many seconds in all, and stop at the first crash. The run that
    the card tells of is `watched`: then what bypasses Python's streams is kept too, and a word is said while the
    function cannot be stopped.

    Raises:
        KeyboardInterrupt: the learner pressed stop.
    """
    made = RunOnCases()
    given = [fresh_arguments(case.arguments) for case in cases]
    start = time.monotonic()
    with restored_globals() as around, second_alarm(seconds) if watched else nullcontext():
        ear = CapturedDescriptors() if watched else None
        try:
            run_limited(partial(_run_all, function, given, made, around, ear), seconds, thread=thread)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            made.error = error
        finally:
            if ear:
                ear.text()
    made.seconds = time.monotonic() - start
    ran = zip(cases, given, made.results, strict=False)
    made.changed = next(filter(None, (changed(case.arguments, after) for case, after, _ in ran)), ())
    return made


def _run_all(
    function: Callable[..., Any],
    given: Sequence[dict[str, Any]],
    made: RunOnCases,
    around: Surroundings,
    ear: CapturedDescriptors | None,
) -> None:
    for arguments in given:
        paper = CapturedOutput()
        with streams_to(paper) as displayed:
            try:
                result = _call(function, arguments, around)
            finally:
                made.displayed = made.displayed if made.results else displayed
        if not made.results:
            made.printed = "\n".join(filter(None, (paper.text(), ear.text() if ear else "")))
        made.results.append(result)
        if inspect.iscoroutine(result):
            result.close()  # or Python complains later that nobody waited for it


def _call(function: Callable[..., Any], arguments: dict[str, Any], around: Surroundings) -> Any:
    try:
        return interruptible(function, *arguments.values())
    finally:
        around.make_sound()


def try_once(function: Callable[..., Any], arguments: dict[str, Any], seconds: float) -> tuple[Tensor, ...] | None:
    """The result of one more run as plain tensors, or None when it does not give any."""
    result = try_with_gradients(function, fresh_arguments(arguments), seconds)
    return result and tuple(plain(part) for part in result)


def try_with_gradients(
    function: Callable[..., Any], arguments: dict[str, Any], seconds: float
) -> tuple[Tensor, ...] | None:
    """The result of one more run on these very arguments, or None when it does not give any."""
    with restored_globals() as around:

        def run_quietly() -> Any:
            with streams_to(CapturedOutput()):
                return _call(function, arguments, around)

        try:
            return parts(run_limited(run_quietly, seconds))
        except KeyboardInterrupt:
            raise
        except BaseException:
            return None
