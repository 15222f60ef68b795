"""Processes that an answer leaves running are ended; of threads the card says that no one can."""

from __future__ import annotations

import multiprocessing.pool
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest
from torch import Tensor

from anatomy_course.judge import find_exercise
from anatomy_course.judge.judging.judge import judge

MEAN = find_exercise("start.mean")
WAIT = [sys.executable, "-c", "import time; time.sleep(600)"]
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")


def test_processes_are_ended_and_those_from_before_are_not() -> None:
    started: list[subprocess.Popen[bytes]] = []

    def starts(vectors: Tensor) -> Tensor:
        started.append(subprocess.Popen(WAIT))
        return vectors.mean(0)

    for earlier in (False, True):
        before = [subprocess.Popen(WAIT)] if earlier else []
        started.clear()
        try:
            verdict = judge(MEAN, starts)
            words = f"left {len(started)} processes running; they were ended after the check."
            assert verdict.passed and words in verdict.notes[-1] and len(started) > 1
            assert not any(psutil.pid_exists(process.pid) for process in started)
            assert all(process.poll() is None for process in before)
        finally:
            for process in (*before, *started):
                process.kill()
                process.wait()


def test_one_that_ends_by_itself_is_not_spoken_of() -> None:
    def starts(vectors: Tensor) -> Tensor:
        subprocess.run([sys.executable, "-c", ""], check=True)
        return vectors.mean(0)

    assert judge(MEAN, starts, seconds=60.0).notes == ()


@needs_fork
def test_a_forked_answer_is_judged_once(tmp_path: Path) -> None:
    """Otherwise the child would go through the check as well, and note a second attempt."""

    def forks(vectors: Tensor) -> Tensor:
        os.fork()
        return vectors.mean(0)

    parent = os.getpid()
    verdict = judge(MEAN, forks)
    (tmp_path / str(os.getpid())).touch()
    assert os.getpid() == parent and verdict.passed
    time.sleep(0.2)
    assert [path.name for path in tmp_path.iterdir()] == [str(parent)]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_threads_are_spoken_of() -> None:
    stop = threading.Event()

    def starts(vectors: Tensor) -> Tensor:
        threading.Thread(target=stop.wait, daemon=True).start()
        threading.Thread(target=sys.exit, daemon=True).start()
        return vectors.mean(0)

    try:
        verdict = judge(MEAN, starts)
        assert verdict.passed and "threads running. Python cannot end a thread from outside" in verdict.notes[-1]
    finally:
        stop.set()
    assert judge(MEAN, lambda vectors: vectors.mean(0)).notes == ()


def test_a_pool_that_was_closed_is_not() -> None:
    def pool(vectors: Tensor) -> Tensor:
        with multiprocessing.pool.ThreadPool(2) as workers:
            workers.map(abs, range(3))
        return vectors.mean(0)

    assert judge(MEAN, pool).notes == ()
