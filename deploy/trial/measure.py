"""What learners cost: memory and CPU time of all processes of a system user, from /proc."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
RESERVE = 2**30


@dataclass(frozen=True)
class Cost:
    """What a set of processes takes.

    Attributes:
        memory: bytes, in proportion: a page that n processes share counts 1 / n in each (PSS).
        cpu: seconds, of ended children too.
        data: bytes of data of the process that has most, which is what RLIMIT_DATA limits.
        processes: how many there are.
    """

    memory: int = 0
    cpu: float = 0.0
    data: int = 0
    processes: int = 0


def of_user(uid: int) -> Cost:
    """All processes of one user."""
    return of_processes(each for each in _all() if _owner(each) == uid)


def of_tree(root: int) -> Cost:
    """A process and its children that belong to the same user, down to the last."""
    parents = {each: _status(each, "PPid") for each in _all() if _owner(each) == os.getuid()}
    tree, grown = {root}, True
    while grown:
        more = {each for each, parent in parents.items() if parent in tree} - tree
        tree, grown = tree | more, bool(more)
    return of_processes(tree)


def of_processes(pids: Iterable[int]) -> Cost:
    """The sum over some processes; one that has just ended counts nothing."""
    memory, cpu, data, processes = 0, 0.0, 0, 0
    for pid in pids:
        try:
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
            times = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]
        except OSError:
            continue
        memory += 1024 * next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
        cpu += sum(map(int, times)) / TICKS
        data = max(data, 1024 * _status(pid, "VmData"))
        processes += 1
    return Cost(memory, cpu, data, processes)


def available() -> int:
    """Bytes of memory that new processes could have."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))


def _all() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _owner(pid: int) -> int:
    try:
        return Path(f"/proc/{pid}").stat().st_uid
    except OSError:
        return -1


def _status(pid: int, field: str) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(f"{field}:")), 0)


class Peak(threading.Thread):
    """Looks every few seconds at what each user takes, and keeps the largest; ends the trial before memory runs out."""

    def __init__(self, uids: list[int], seconds: float = 5.0) -> None:
        super().__init__(daemon=True)
        self.uids, self.seconds = uids, seconds
        self.together = 0
        """Bytes that all took at one moment, at most."""
        self.each = dict.fromkeys(uids, 0)
        """Bytes that one user took at most."""
        self.left = available()
        """Bytes of memory that the machine had left at least."""
        self._done = threading.Event()

    def run(self) -> None:
        while not self._done.wait(self.seconds):
            now = {uid: of_user(uid).memory for uid in self.uids}
            self.left = min(self.left, available())
            if self.left < RESERVE:
                os.kill(os.getpid(), signal.SIGTERM)
            self.together = max(self.together, sum(now.values()))
            self.each = {uid: max(self.each[uid], memory) for uid, memory in now.items()}

    def stop(self) -> None:
        """Look no more."""
        self._done.set()
        self.join()


def end_all(uids: list[int], seconds: float = 20.0) -> None:
    """End the processes of some users by their ids, first politely."""
    for sent in (signal.SIGTERM, signal.SIGKILL):
        for pid in [each for each in _all() if _owner(each) in uids]:
            with suppress(ProcessLookupError):
                os.kill(pid, sent)
        end = time.monotonic() + seconds
        while time.monotonic() < end and any(_owner(each) in uids for each in _all()):
            time.sleep(0.2)
