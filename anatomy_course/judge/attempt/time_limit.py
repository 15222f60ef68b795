"""Stop a function that takes too long, as soon as it runs a line of Python.

On the main thread of Linux and macOS an alarm interrupts it. Elsewhere (Windows, other threads) it runs in a thread of
its own, into which the same exception is put; a thread that will not end is left behind, so that the notebook goes on.

One long call inside torch or another library (the singular values of a large matrix) is interrupted by neither. The
alarm waits for its end, and `second_alarm` says so meanwhile; the thread is left behind.
"""

from __future__ import annotations

import ctypes
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

from anatomy_course.judge.attempt.output import OURS

T = TypeVar("T")

AGAIN = 0.05  # seconds until the alarm rings again, should the function have caught the exception
GRACE = 1.0  # seconds in which a thread must end after it has been told to

LATE = 2.0  # seconds after the limit at which a function that could not be stopped is spoken of


class TimeRanOut(BaseException):
    """The function was stopped. Not an `Exception`, so that a learner's `except Exception` does not hold it up."""


def interruptible(function: Callable[..., T], *arguments: Any) -> T:
    """Call `function(*arguments)`. Only what runs in here is ever interrupted: what is around it may hold things that
    must be put back, such as a redirected output."""
    return function(*arguments)


def run_limited(function: Callable[[], T], seconds: float, *, thread: bool | None = None) -> T:
    """Call `function`, which calls what may take too long through `interruptible`, and return what it returns. It runs
    in a thread where the platform cannot do without, or where that is asked for.

    Raises:
        TimeRanOut: it took longer than so many seconds.
    """
    if thread is None:
        thread = not (hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread())
    return _in_a_thread(function, seconds) if thread else _with_an_alarm(function, seconds)


def _with_an_alarm(function: Callable[[], T], seconds: float) -> T:
    tracer = sys.gettrace()
    old_handler = signal.signal(signal.SIGALRM, _ring)
    old_timer = signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        return function()
    finally:
        signal.setitimer(signal.ITIMER_REAL, *old_timer)
        signal.signal(signal.SIGALRM, old_handler)
        if sys.gettrace() is not tracer:
            sys.settrace(tracer)


def _ring(signum: int, frame: FrameType | None) -> None:
    inside = _interruptible_frames(frame)
    if inside:
        _raise_on_the_next_lines(inside)
        raise TimeRanOut


def _interruptible_frames(frame: FrameType | None) -> list[FrameType]:
    """The running frames called by `interruptible`, innermost first; none while something else runs."""
    frames: list[FrameType] = []
    while frame is not None:
        if frame.f_code.co_name == "interruptible" and frame.f_code.co_filename == __file__:
            return frames
        frames.append(frame)
        frame = frame.f_back
    return []


def _raise_on_the_next_lines(frames: list[FrameType]) -> None:
    """`while True: try: … except: pass` catches everything; the line inside its `except` is where it can be left."""

    def leave(frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            raise TimeRanOut
        return leave

    for frame in frames:
        frame.f_trace = leave
    sys.settrace(lambda *_: None)


@contextmanager
def second_alarm(seconds: float) -> Iterator[None]:
    """Say it to the learner when what runs inside has not been stopped some time after its limit.

    A function that has switched off the alarm itself is then stopped as one in a thread would be.
    """
    caller, page, over = threading.get_ident(), sys.stdout, threading.Event()

    def ring() -> None:
        if not _alarm_is_off():
            page.write(
                f"This has been running for {seconds + LATE:g} seconds and could not be stopped: one long call inside "
                "torch or another library cannot be interrupted. Wait for it to end, or restart the kernel.\n"
            )
            page.flush()
        while _alarm_is_off() and not over.wait(AGAIN):
            _put_into(caller)

    timer = threading.Timer(seconds + LATE, ring)
    timer.daemon, timer.name = True, OURS
    timer.start()
    try:
        yield
    finally:
        over.set()
        timer.cancel()


def _alarm_is_off() -> bool:
    if not hasattr(signal, "setitimer"):
        return False
    return signal.getsignal(signal.SIGALRM) is not _ring or signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def _put_into(thread: int) -> None:
    """Raise the exception in a thread, if what runs there may be interrupted."""
    if _interruptible_frames(sys._current_frames().get(thread)):
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(TimeRanOut))


def _in_a_thread(function: Callable[[], T], seconds: float) -> T:
    returned: list[T] = []
    raised: list[BaseException] = []

    def work() -> None:
        try:
            returned.append(function())
        except BaseException as error:
            raised.append(error)

    worker = threading.Thread(target=work, daemon=True, name="exercise")
    worker.start()
    try:
        worker.join(seconds)
        if worker.is_alive():
            _stop(worker)
            raise next((error for error in raised if isinstance(error, TimeRanOut)), TimeRanOut())
    except KeyboardInterrupt:
        _stop(worker)
        raise
    if raised:
        raise raised[0]
    return returned[0]


def _stop(worker: threading.Thread) -> None:
    for _ in range(round(GRACE / AGAIN)):
        if worker.ident is not None:
            _put_into(worker.ident)
        worker.join(AGAIN)
        if not worker.is_alive():
            return
