"""One writer at a time, across processes, on every platform. A lock left behind by a dead process holds nobody up."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

PATIENCE = 5.0
"""Seconds to wait for another writer, who needs a few milliseconds."""


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file `path` inside the `with` block; go on without it where the file system knows no locks.

    Raises:
        OSError: the lock file cannot be opened.
    """
    with path.open("a+b") as file:
        held = _acquire(file)
        try:
            yield
        finally:
            if held:
                _release(file)


def _acquire(file: IO[Any]) -> bool:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            _try(file)
            return True
        except (BlockingIOError, PermissionError):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.01)
        except OSError:
            return False


if sys.platform == "win32":
    import msvcrt

    def _try(file: IO[Any]) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

    def _release(file: IO[Any]) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try(file: IO[Any]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _release(file: IO[Any]) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)
