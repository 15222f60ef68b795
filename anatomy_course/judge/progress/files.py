"""The progress file and what may lie beside it: the lock, notes that wait, half-written files, marks of checks.

progress.json
progress.json.lock                        held while the file is read, changed and replaced
progress.json.3f….waiting                 one note, kept until the next save when the lock was not to be had
progress.json….new                        a file that is being written, or was when its kernel was killed
progress.json.checking-start.mean-4711    a check is running, or was when its kernel died
"""

from __future__ import annotations

import itertools
import os
import stat
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from json import JSONDecoder, JSONEncoder
from pathlib import Path
from typing import Any

from filelock import FileLock

NO_LOCKS = (OSError, NotImplementedError)  # what taking a lock raises where the file system knows none
DECODE = JSONDecoder().decode
ENCODE = JSONEncoder(indent=1, sort_keys=True).encode
"""Taken when the course is imported: an answer may replace `json.loads` or `json.dumps`."""
MOST_BYTES = 4 * 2**20  # of a file that somebody else made; a whole course is a few hundred kilobytes
OLD = 3600.0  # seconds after which a half-written file is no other kernel's any more


def real(path: Path) -> Path:
    """The file itself where `path` is a link to it: a new file takes its place, and the link stays."""
    return Path(os.path.realpath(path))


def read(path: Path) -> tuple[bytes, bool]:
    """What is in a file, and whether nobody but this user can have written it: neither the file nor a link to it."""
    with path.open("rb") as file:
        content, status = file.read(), os.fstat(file.fileno())
    return content, _of_this_user(status) and _of_this_user(path.lstat())


def read_of_others(path: Path) -> tuple[bytes, os.stat_result]:
    """What is in a file that somebody else may have made, and what the system knows of it.

    Raises:
        ValueError: it is a link, no regular file, or larger than `MOST_BYTES`; the message says which.
    """
    if path.is_symlink():
        raise ValueError("it is a link")
    flags = [getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY")]  # not every system has them all
    handle = os.open(path, os.O_RDONLY | sum(flags))
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("it is no regular file")
        with os.fdopen(handle, "rb", closefd=False) as file:
            content = file.read(MOST_BYTES + 1)
    finally:
        os.close(handle)
    if len(content) > MOST_BYTES:
        raise ValueError(f"it is larger than {MOST_BYTES // 2**20} MB")
    return content, status


def write(path: Path, content: Any) -> None:
    """Write a whole new file beside the old one and put it in its place. Only its owner may read it."""
    text = ENCODE(content)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".new")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o600)  # whatever an answer has set as umask
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def keep_beside(path: Path, content: Any) -> Path:
    """Write something that is to be merged into the file at `path` later; returns where it lies."""
    write(aside := path.with_name(f"{path.name}.{uuid.uuid4().hex}.waiting"), content)
    return aside


def waiting(path: Path) -> dict[Path, Any]:
    """What lies beside the file at `path`, oldest first. What cannot be read, or others wrote, is left alone."""
    found: list[tuple[float, Path, Any]] = []
    for aside in _beside(path, ".waiting"):
        with suppress(OSError, ValueError, RecursionError):
            content, ours = read(aside)
            if ours:
                found.append((aside.stat().st_mtime, aside, DECODE(content.decode("utf-8"))))
    return {aside: content for _, aside, content in sorted(found, key=lambda item: item[:2])}


def tidy(path: Path) -> None:
    """Take away half-written files of kernels that were killed long ago."""
    for new in _beside(path, ".new"):
        with suppress(OSError):
            if time.time() - new.stat().st_mtime > OLD:
                new.unlink()


def free_name(path: Path) -> Path:
    names = (path.with_name(f"{path.stem}.damaged-{number}{path.suffix}") for number in itertools.count(1))
    return next(name for name in names if not name.exists())


@contextmanager
def checking(path: Path, id: str) -> Iterator[None]:
    """Leave a mark while a check runs, which stays if the kernel dies of it. Where that fails there is none."""
    mark = path.with_name(f"{path.name}.checking-{id}-{os.getpid()}")
    lock = FileLock(mark)
    with suppress(*NO_LOCKS):
        mark.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    try:
        yield
    finally:
        if lock.is_locked:
            with suppress(OSError):
                lock.release()
                mark.unlink(missing_ok=True)


def died(path: Path) -> list[str]:
    """The exercises in whose check a kernel has died, told once. The lock of a kernel that lives is held."""
    found = []
    start = f"{path.name}.checking-"
    for mark in [each for each in _beside(path, "") if each.name.startswith(start)]:
        with suppress(*NO_LOCKS):
            with FileLock(mark, timeout=0):
                pass
            mark.unlink(missing_ok=True)
            found.append(mark.name.removeprefix(start).rpartition("-")[0])
    return sorted(found)


def _of_this_user(status: os.stat_result) -> bool:
    """A group's files do not count as others': Kubernetes and many a umask give a learner's own file to a group."""
    if not hasattr(os, "geteuid"):  # Windows, whose folders of users are their own
        return True
    by_all = status.st_mode & stat.S_IWOTH and not stat.S_ISLNK(status.st_mode)
    return status.st_uid == os.geteuid() and not by_all


def _beside(path: Path, ending: str) -> list[Path]:
    """The files beside the one at `path` whose names begin with its name."""
    try:
        with os.scandir(path.parent) as entries:
            names = [entry.name for entry in entries]
    except OSError:
        return []
    return [path.with_name(n) for n in names if n.startswith(path.name) and n.endswith(ending) and n != path.name]
