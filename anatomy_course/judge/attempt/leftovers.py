"""Processes and threads that an answer leaves running. Processes are ended; no one can end a thread from outside."""

from __future__ import annotations

import importlib
import os
import sys
import threading
from contextlib import suppress
from typing import Any

psutil: Any
try:
    psutil = importlib.import_module("psutil")
except ImportError:  # it comes with the notebook's kernel; without it nothing is ended
    psutil = None

HELPERS = ("resource_tracker", "compile_worker")
"""Processes that Python and torch start for themselves and need later."""
OURS = "exercise help"
"""The name of the threads that belong to the check, not to an answer."""
PATIENCE = 0.1
"""Seconds that processes and threads have to end by themselves."""


class Leftovers:
    """The processes and threads there are when this is made; what comes after them is an answer's."""

    def __init__(self) -> None:
        self.process_id = os.getpid()
        self.ended = 0
        self.threads = 0
        self._threads = set(sys._current_frames())
        self._processes = {process.pid for process in _processes()} if _any_process() else set()
        self._quick = hasattr(os, "waitid") and not self._processes

    def end_processes(self) -> None:
        """End what was started and still runs, where one can tell quickly whether there is anything."""
        if self._quick and _any_process():
            self._end()

    def close(self) -> None:
        """The last look, at what takes longer to see."""
        if not self._quick:
            self._end()
        if not set(sys._current_frames()) - self._threads:
            return
        for thread in threading.enumerate():
            if thread.ident not in self._threads and not _is_ours(thread):
                thread.join(PATIENCE)
        ours = {thread.ident for thread in threading.enumerate() if _is_ours(thread)}
        self.threads = len(set(sys._current_frames()) - self._threads - ours)

    def _end(self) -> None:
        started = [process for process in _processes() if process.pid not in self._processes]
        if not started:
            return
        _, running = psutil.wait_procs(started, timeout=PATIENCE)
        for process in running:
            with suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(running, timeout=1)
        self.ended += len(running)

    def in_words(self) -> tuple[str, ...]:
        """What a card says of it, a sentence each."""
        sentences = []
        if self.ended:
            what = "a process" if self.ended == 1 else f"{self.ended} processes"
            which = "it was" if self.ended == 1 else "they were"
            sentences.append(f"Your function left {what} running; {which} ended after the check.")
        if self.threads:
            what, it = ("a thread", "it goes") if self.threads == 1 else (f"{self.threads} threads", "they go")
            sentences.append(
                f"Your function left {what} running. Python cannot end a thread from outside: {it} on until the end of "
                "the work or of the kernel."
            )
        return tuple(sentences)


def _any_process() -> bool:
    """Whether this process has any child at all: asking takes a microsecond, a list of them milliseconds."""
    if not hasattr(os, "waitid"):  # Windows, and macOS with an older Python
        return True
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _processes() -> list[Any]:
    """The processes that this one has started, and theirs, without those that Python or torch need themselves."""
    if psutil is None:
        return []
    found = []
    with suppress(psutil.Error):
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):
                if not any(helper in " ".join(process.cmdline()) for helper in HELPERS):
                    found.append(process)
    return found


def _is_ours(thread: threading.Thread) -> bool:
    return thread.name == OURS or type(thread).__module__.startswith("tqdm")
