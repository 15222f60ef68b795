"""Run work in a process of its own: what it breaks is broken there, and it can be stopped at any time."""

from __future__ import annotations

import faulthandler
import io
import os
import pickle
import select
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch

from anatomy_course.judge.slips.locked import lock_in

MOST_MEMORY = 2 * 1024**3
"""Bytes that the process may take beyond what it starts with."""
FIRST_WORD = 0.3
"""Seconds until somebody who waits is told so."""


def can_fork() -> bool:
    """Whether a process can be split here without harm; on macOS its libraries do not stand it."""
    return sys.platform.startswith("linux")


def in_a_child(
    work: Callable[[Callable[[Any], None]], None],
    seconds: float,
    on_wait: Callable[[], None] | None = None,
    *,
    folder: Path | None = None,
) -> Any:
    """What `work` told last; None when it told nothing.

    It is ended when it takes longer than `seconds` or the learner presses stop. Where processes cannot be split it
    runs here.

    Args:
        work: gets a function to tell something that can be pickled, as often as it likes.
        seconds: how long it may take.
        on_wait: called once when that is more than a moment.
        folder: the only one in which it may write, and its place for temporary files.
    """
    if not can_fork():
        told: list[Any] = [None]
        work(told.append)
        return told[-1]
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # other threads of this process are none of the child's business
        pid = os.fork()
    if pid == 0:
        _work_and_end(work, writing, folder)
    os.close(writing)
    received = bytearray()
    try:
        _receive(received, reading, seconds, on_wait)
    except KeyboardInterrupt:
        pass
    finally:
        os.close(reading)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return _last(bytes(received))


def _receive(received: bytearray, reading: int, seconds: float, on_wait: Callable[[], None] | None) -> None:
    """All that comes until the other end is closed or the time is over."""
    start = time.monotonic()
    while (left := start + seconds - time.monotonic()) > 0:
        waiting = min(left, FIRST_WORD) if on_wait else left
        if not select.select([reading], [], [], waiting)[0]:
            if on_wait:
                on_wait()
                on_wait = None
            continue
        piece = os.read(reading, 1 << 16)
        if not piece:
            return
        received += piece


def _last(received: bytes) -> Any:
    """The last of several pickled things; one that was cut off does not count."""
    told, stream = None, io.BytesIO(received)
    while stream.tell() < len(received):
        try:
            told = pickle.load(stream)
        except (EOFError, pickle.UnpicklingError):
            break
    return told


def _work_and_end(work: Callable[[Callable[[Any], None]], None], writing: int, folder: Path | None) -> None:
    try:
        _keep_to_itself(writing, folder)
        work(partial(_tell, writing))
    except BaseException:
        pass
    finally:
        os._exit(0)


def _tell(writing: int, told: Any) -> None:
    os.write(writing, pickle.dumps(told))


def _keep_to_itself(writing: int, folder: Path | None) -> None:
    """One thread, a bounded memory, no output but `writing`, and nothing of the notebook's open."""
    import resource

    faulthandler.disable()  # an edited answer may well crash it, which is nobody's business
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    torch.set_num_threads(1)  # threads do not survive a split
    now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + MOST_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.closerange(3, writing)
    os.closerange(writing + 1, os.sysconf("SC_OPEN_MAX"))
    if folder:
        tempfile.tempdir = str(folder)
    lock_in(folder)
