"""Threads: how many cores torch uses, borrowed and given back, and the time that they compute.

The products inside a tiny model are too small to share out: a second thread brings next to nothing, and where other
programs want the same cores, torch's threads wait for each other and training becomes many times slower.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Let torch use so many threads inside the `with` block, and as many as before after it.

    >>> before = torch.get_num_threads()
    >>> with threads(1):
    ...     torch.get_num_threads()
    1
    >>> torch.get_num_threads() == before
    True
    """
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def seconds_computed() -> float:
    """A clock that runs while this process computes, and stands still while others have the core.

    With one thread, times measured by it are about the same on a busy machine and on a quiet one. Windows' clock of
    that kind moves in steps of 16 milliseconds, so there it is the time of day.
    """
    return time.perf_counter() if sys.platform == "win32" else time.process_time()
