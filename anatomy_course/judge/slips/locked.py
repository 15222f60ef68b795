"""Lock a process of ours in: from then on it changes no file, runs no program, connects to nothing, signals nobody.

What an edited answer may call is known beforehand (`only_computes`). This is a second wall, where the system has one:
Linux's Landlock, which needs no rights (https://docs.kernel.org/userspace-api/landlock.html).
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

NO_NEW_PRIVILEGES = 38
ASK_VERSION = 1
BENEATH_A_PATH = 1
CREATE, ADD, RESTRICT = 444, 445, 446
"""Numbers of the system's calls, the same on every kind of processor."""
FILES = sum(1 << bit for bit in (0, 1, *range(4, 16)))
"""Running programs (0), and all ways to change files: write, remove, make, move (13), cut short (14), control (15)."""
TO_WRITE = 1 << 1 | 1 << 14
SINCE = {2: 13, 3: 14, 5: 15}
"""Version → the right that came with it."""
NETWORK = 0b11
ABSTRACT_SOCKETS_AND_SIGNALS = 0b11


class _Rules(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("place", ctypes.c_int32))


def lock_in(keep: Path | None = None) -> bool:
    """Let this process, and all that it starts, change no file outside of a folder; for good.

    Args:
        keep: the folder in which it may; None for none.

    Returns:
        Whether the system could do it.
    """
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
