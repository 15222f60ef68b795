"""A function that does not end is stopped as soon as it runs a line of Python, on the main thread and off it."""

from __future__ import annotations

import ctypes
import io
import signal
import sys
import threading
import time
from typing import Any

import pytest
import torch
from torch import Tensor

from anatomy_course.judge import find_exercise
from anatomy_course.judge.attempt import time_limit
from anatomy_course.judge.attempt.time_limit import TimeRanOut, interruptible, run_limited
from anatomy_course.judge.judging.judge import judge

MEAN = find_exercise("start.mean")
needs_alarm = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this platform has no interval timer")


def plain_loop(vectors: Tensor) -> Tensor:
    while True:
        pass


def torch_loop(vectors: Tensor) -> Tensor:
    while vectors.numel():
        vectors = vectors @ torch.zeros(vectors.shape[1], vectors.shape[1])
    return vectors


def sleeping(vectors: Tensor) -> Tensor:
    for _ in range(10**6):
        time.sleep(0.01)
    return vectors


def catching_errors(vectors: Tensor) -> Tensor:
    while True:
        try:  # noqa: SIM105
            time.sleep(0.001)
        except Exception:
            pass


def catching_everything(vectors: Tensor) -> Tensor:
    while True:
        try:  # noqa: SIM105
            time.sleep(0.001)
        except:  # noqa: E722
            pass


def inside_a_call(vectors: Tensor) -> Tensor:
    return sum(torch_loop(vector[None]) for vector in vectors)


LOOPS = [plain_loop, torch_loop, sleeping, catching_errors, catching_everything, inside_a_call]


@pytest.mark.parametrize(
    "thread", [pytest.param(False, id="alarm", marks=needs_alarm), pytest.param(True, id="thread")]
)
@pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: loop.__name__)
def test_an_endless_loop_is_stopped(loop: Any, thread: bool) -> None:
    output = sys.stdout
    start = time.monotonic()
    verdict = judge(MEAN, loop, seconds=0.2, thread=thread)
    assert time.monotonic() - start < 5
    assert verdict.state == "stopped" and "had not ended" in verdict.sentence
    assert sys.stdout is output, "the redirected output was put back"


@needs_alarm
def test_the_alarm_shows_the_line_that_was_running() -> None:
    verdict = judge(MEAN, plain_loop, seconds=0.2)
    assert verdict.line is not None and verdict.line.text in ("while True:", "pass")


@needs_alarm
def test_another_alarm_is_put_back() -> None:
    rung: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 30.0)
        assert run_limited(lambda: 3, 1.0, thread=False) == 3
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 30
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.raise_signal(signal.SIGALRM)
        assert rung == [1]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_off_the_main_thread_it_works_as_well() -> None:
    found: list[Any] = []
    worker = threading.Thread(target=lambda: found.append(judge(MEAN, plain_loop, seconds=0.2).state))
    worker.start()
    worker.join(20)
    assert found == ["stopped"]


@pytest.mark.parametrize("thread", [False, True])
def test_results_and_errors_come_through(thread: bool) -> None:
    assert run_limited(lambda: interruptible(lambda: 5), 1.0, thread=thread) == 5

    def fails() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        run_limited(fails, 1.0, thread=thread)


def test_the_thread_of_a_stopped_function_has_ended() -> None:
    workers: list[threading.Thread] = []

    def endless() -> None:
        workers.append(threading.current_thread())
        sleeping(torch.zeros(1))

    with pytest.raises(TimeRanOut):
        run_limited(lambda: interruptible(endless), 0.1, thread=True)
    assert not workers[0].is_alive()


def test_only_what_may_be_interrupted_is() -> None:
    """What stands around the learner's function ends in peace, however late it is."""
    with pytest.raises(TimeRanOut):
        run_limited(lambda: interruptible(plain_loop, None), 0.1)
    assert run_limited(lambda: time.sleep(0.3) or "done", 0.1, thread=False) == "done"


def test_an_outer_tracer_is_put_back() -> None:
    before = sys.gettrace()
    judge(MEAN, catching_everything, seconds=0.2)
    assert sys.gettrace() is before


@needs_alarm
@pytest.mark.parametrize("off", ["ignored", "taken", "never rings"])
def test_a_function_that_switches_the_alarm_off_is_stopped_all_the_same(
    off: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(time_limit, "LATE", 0.1)

    def deaf(vectors: Tensor) -> Tensor:
        if off == "never rings":
            signal.setitimer(signal.ITIMER_REAL, 0)
        else:
            signal.signal(signal.SIGALRM, signal.SIG_IGN if off == "ignored" else lambda *_: None)
        return catching_errors(vectors)

    assert judge(MEAN, deaf, seconds=0.2).state == "stopped"
    assert capsys.readouterr().out == ""


@pytest.mark.skipif(sys.platform != "linux", reason="it uses a lock of Linux's own library")
def test_one_long_call_is_waited_for_and_said_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lock stands for the long computation: waiting for it is one call too, which no signal ends."""
    monkeypatch.setattr(time_limit, "LATE", 0.1)
    library, lock = ctypes.CDLL(None), ctypes.create_string_buffer(64)
    said: list[str] = []

    class Page(io.StringIO):
        def write(self, text: str) -> int:
            said.append(text)
            return library.pthread_mutex_unlock(lock)

    def one_call(vectors: Tensor) -> Tensor:
        library.pthread_mutex_lock(lock)
        library.pthread_mutex_lock(lock)
        return vectors.mean(0)

    monkeypatch.setattr(sys, "stdout", Page())
    verdict = judge(MEAN, one_call, seconds=0.2)
    assert said == [
        "This has been running for 0.3 seconds and could not be stopped: one long call inside torch or another "
        "library cannot be interrupted. Wait for it to end, or restart the kernel.\n"
    ]
    assert verdict.state == "stopped" and "It ended only after" in verdict.notes[-1]
    assert verdict.line is not None and verdict.line.text == "library.pthread_mutex_lock(lock)"
