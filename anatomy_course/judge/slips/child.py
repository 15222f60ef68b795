"""Run work in a process of its own: what it breaks is broken there, and it can be stopped at any time."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch

MOST_MEMORY = 2 * 1024**3  # bytes that the process may take beyond what it starts with
FIRST_WORD = 0.3  # seconds until somebody who waits is told so


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
    """What `work` told last, as often as it liked, through the function that it gets; None when it told nothing.

    It is ended when it takes longer than `seconds` or the learner presses stop; `on_wait` is called once when that is
    more than a moment. It may write in `folder` alone. Where processes cannot be split it runs here.
    """
    if not can_fork():
        told: list[Any] = [None]
        work(told.append)
        return told[-1]
    reading, writing = Pipe(duplex=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # other threads of this process are none of the child's business
        pid = os.fork()
    if pid == 0:
        _work_and_end(work, writing, folder)
    writing.close()
    last, end = None, time.monotonic() + seconds
    try:
        while (left := end - time.monotonic()) > 0:
            if reading.poll(min(left, FIRST_WORD) if on_wait else left):
                last = reading.recv()
            elif on_wait:
                on_wait()
                on_wait = None
    except (KeyboardInterrupt, EOFError, OSError, UnpicklingError):  # the other end is closed, or was cut off
        pass
    finally:
        reading.close()
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return last


def _work_and_end(work: Callable[[Callable[[Any], None]], None], writing: Connection, folder: Path | None) -> None:
    try:
        _keep_to_itself(writing.fileno(), folder)
        work(writing.send)
    except BaseException:
        pass
    finally:
        os._exit(0)


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


NO_NEW_PRIVILEGES = 38
ASK_VERSION = 1
BENEATH_A_PATH = 1
CREATE, ADD, RESTRICT = 444, 445, 446  # numbers of the system's calls, the same on every kind of processor
FILES = sum(1 << bit for bit in (0, 1, *range(4, 16)))
"""Running programs (0), and all ways to change files: write, remove, make, move (13), cut short (14), control (15)."""
TO_WRITE = 1 << 1 | 1 << 14
SINCE = {2: 13, 3: 14, 5: 15}  # version → the right that came with it
NETWORK = 0b11
ABSTRACT_SOCKETS_AND_SIGNALS = 0b11


class _Rules(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("place", ctypes.c_int32))


def lock_in(keep: Path | None = None) -> bool:
    """Let this process, and all that it starts, change no file outside the folder `keep`, for good; whether that was
    possible."""
    library = ctypes.CDLL(None, use_errno=True)
    version = library.syscall(CREATE, None, ctypes.c_size_t(0), ASK_VERSION)
    if version < 1 or library.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        return False
    files = FILES & ~sum(1 << bit for since, bit in SINCE.items() if version < since)
    rules = _Rules(files, NETWORK if version >= 4 else 0, ABSTRACT_SOCKETS_AND_SIGNALS if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    made = library.syscall(CREATE, ctypes.byref(rules), ctypes.c_size_t(size), 0)
    if made < 0:
        return False
    for path, allowed in ((os.devnull, files & TO_WRITE), *([(keep, files)] if keep else ())):
        place = os.open(path, os.O_PATH)
        library.syscall(ADD, made, BENEATH_A_PATH, ctypes.byref(_Beneath(allowed, place)), 0)
        os.close(place)
    locked: bool = library.syscall(RESTRICT, made, 0) == 0
    os.close(made)
    return locked
