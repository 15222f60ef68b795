"""What an answer writes is held back, and the beginning kept: in Python's streams and in descriptors 1 and 2."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from anatomy_course.page.page import shell, show

MOST_PRINTED = 2000  # characters that are kept
DESCRIPTORS = (1, 2)
OURS = "exercise help"  # the name of the threads that belong to the check, not to an answer
PATIENCE = 0.2  # seconds to wait for the end of what is written; a process that goes on may hold the other end open


class CapturedOutput(io.StringIO):
    """Takes any amount of text and keeps the beginning."""

    cut = False

    def write(self, text: str) -> int:
        room = max(0, MOST_PRINTED - self.tell())
        self.cut = self.cut or len(text) > room
        super().write(text[:room])
        return len(text)

    def text(self) -> str:
        """What was kept; says so when it is not all."""
        return self.getvalue() + (" … (and more)" if self.cut else "")


@contextlib.contextmanager
def streams_to(paper: CapturedOutput) -> Iterator[list[Any]]:
    """Let everything that Python code writes go to `paper`, and give a list of what it displays in a notebook; figures
    that it leaves open are closed."""
    displayed: list[Any] = []
    with contextlib.redirect_stdout(paper), contextlib.redirect_stderr(paper):
        if shell() is None:
            yield displayed
            return
        from IPython.utils.capture import capture_output

        before = _open_figures()
        with capture_output(stdout=False, stderr=False) as captured:
            try:
                yield displayed
            finally:
                for number in sorted(_open_figures() - before):
                    pyplot = sys.modules["matplotlib.pyplot"]
                    show(pyplot.figure(number))
                    pyplot.close(number)
                displayed += captured.outputs


def _open_figures() -> set[int]:
    pyplot = sys.modules.get("matplotlib.pyplot")
    return set(pyplot.get_fignums()) if pyplot else set()


class SilencedDescriptors:
    """From here to `end`, what is written to descriptors 1 and 2 goes nowhere."""

    def __init__(self) -> None:
        _flush()
        self._before: list[tuple[int, int]] = []
        for number in DESCRIPTORS:
            with suppress(OSError):  # there is none where a program has no console
                self._before.append((number, os.dup(number)))
        lead_nowhere()

    def end(self) -> None:
        """Let them be what they were."""
        _flush()
        for number, before in self._before:
            os.dup2(before, number)
            os.close(before)


class CapturedDescriptors:
    """From here to `text`, what is written to descriptors 1 and 2 is read by a thread, and its beginning kept."""

    def __init__(self) -> None:
        self._said: str | None = None
        self._kept = bytearray()
        out, into = os.pipe()
        self._reader = threading.Thread(target=self._read, args=(out,), daemon=True, name=OURS)
        self._reader.start()
        _lead(into)
        os.close(into)

    def _read(self, out: int) -> None:
        with suppress(OSError):
            while piece := os.read(out, 1 << 16):
                self._kept += piece[: max(0, 4 * MOST_PRINTED - len(self._kept))]
        os.close(out)

    def text(self) -> str:
        """What was written until this was first asked; from then on it goes nowhere again."""
        if self._said is None:
            _flush()
            lead_nowhere()
            self._reader.join(PATIENCE)
            paper = CapturedOutput()
            paper.write(bytes(self._kept).decode("utf-8", "replace"))
            self._said = paper.text()
        return self._said


def lead_nowhere() -> None:
    """Lead descriptors 1 and 2 to where all is forgotten."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    _lead(nowhere)
    os.close(nowhere)


def _lead(into: int) -> None:
    for number in DESCRIPTORS:
        with suppress(OSError):
            os.dup2(into, number)


def _flush() -> None:
    for stream in (sys.__stdout__, sys.__stderr__):
        if stream is not None:
            with suppress(OSError, ValueError):
                stream.flush()
