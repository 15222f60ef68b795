"""What a learner has done: one small JSON file, shared by all kernels, never half written and never thrown away.

Every change reads the file again under a lock, changes one entry and puts a finished new file in the old one's place,
so that two notebooks that run at once do not lose each other's entries. A damaged file is renamed, not overwritten.
Where nothing can be written, progress lives in memory until the kernel stops, and a sentence says so.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from filelock import FileLock

Record = dict[str, Any]
DAMAGED = (ValueError, RecursionError)
"""What reading a file that is no progress file may raise: no JSON, no text, nested without end, of another form."""
SECTIONS = ("exercises", "questions", "predictions")
PATIENCE = 5.0
"""Seconds to wait for another kernel's lock, which that holds for a few milliseconds; then it is done without."""


class Progress:
    """The record in one file.

    Args:
        path: the file; it and its folder are made when first needed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.notice = ""
        """A sentence to tell the learner once, such as that a damaged file was set aside; empty when all is well."""
        self._memory: Record | None = None

    def read(self) -> Record:
        """The record as it is now; empty where there is none yet. Never raises."""
        if self._memory is not None:
            return self._memory
        try:
            return _checked(json.loads(self.path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return _checked({})
        except OSError as error:
            self._keep_in_memory(_checked({}), "read", error)
            return _checked({})
        except DAMAGED:
            self.notice = (
                "Your progress file could not be read. It stays as it is; the next exercise you run puts it aside, "
                "under another name, and begins a new one."
            )
            return _checked({})

    def entry(self, section: str, id: str) -> Record:
        """What is known of one exercise, question or prediction; empty when nothing."""
        found: Record = self.read()[section].get(id, {})
        return found

    def change(self, section: str, id: str, update: Callable[[Record], None]) -> None:
        """Let `update` change one entry, and save. Never raises: where saving fails, `notice` says so."""
        if self._memory is not None:
            _update(self._memory, section, id, update)
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with ExitStack() as stack:
                with suppress(OSError, NotImplementedError):  # it took too long, or the file system knows no locks
                    stack.enter_context(FileLock(self.path.with_name(self.path.name + ".lock"), timeout=PATIENCE))
                record = self._read_or_set_aside()
                _update(record, section, id, update)
                _write(self.path, record)
        except OSError as error:
            record = self.read()
            self._keep_in_memory(record, "saved", error)
            _update(record, section, id, update)

    def attempted(self, id: str, *, passed: bool, source: str | None) -> None:
        """Note one attempt at an exercise. What was passed once stays passed, with the source that passed last."""

        def update(entry: Record) -> None:
            entry["tries"] = _count(entry, "tries") + 1
            if passed:
                entry["passed"] = True
                if source:
                    entry["source"] = source

        self.change("exercises", id, update)

    def helped(self, id: str, *, hints: int = 0, solution: bool = False) -> None:
        """Note how many hints of an exercise, and whether its solution, have been seen."""

        def update(entry: Record) -> None:
            entry["hints"] = max(_count(entry, "hints"), hints)
            if solution:
                entry["solution_seen"] = True

        self.change("exercises", id, update)

    def answered(self, id: str, choice: int, *, right: bool) -> None:
        """Note an answer to a question; answered right once stays right."""

        def update(entry: Record) -> None:
            entry["first"] = entry.get("first", choice)
            entry["last"] = choice
            entry["right"] = bool(entry.get("right")) or right

        self.change("questions", id, update)

    def predicted(self, id: str, choice: int) -> None:
        """Note a prediction; the latest counts."""
        self.change("predictions", id, lambda entry: entry.update(choice=choice))

    def passed(self, id: str) -> bool:
        """Whether an exercise has ever passed."""
        return self.entry("exercises", id).get("passed") is True

    def source(self, id: str) -> str | None:
        """The text of the learner's own function that passed last."""
        source = self.entry("exercises", id).get("source")
        return source if isinstance(source, str) else None

    def take_notice(self) -> str:
        """The notice, once."""
        notice, self.notice = self.notice, ""
        return notice

    def _read_or_set_aside(self) -> Record:
        try:
            text = self.path.read_bytes()
        except FileNotFoundError:
            return _checked({})
        try:
            return _checked(json.loads(text.decode("utf-8")))
        except DAMAGED:
            aside = _free_name(self.path)
            self.path.rename(aside)
            self.notice = (
                f"Your progress file could not be read, so it was set aside as {aside.name} (in {aside.parent}) "
                "and a new one was begun. Nothing in it is lost."
            )
            return _checked({})

    def _keep_in_memory(self, record: Record, what: str, error: OSError) -> None:
        self._memory = record
        reason = error.strerror or type(error).__name__
        self.notice = (
            f"Your progress could not be {what} ({reason}: {self.path}). "
            "You can go on; what you do is remembered until the kernel stops."
        )


def _checked(record: Any) -> Record:
    """A record with all its sections; sections and entries it does not know are left alone.

    Raises:
        ValueError: it is not a record at all.
    """
    if not isinstance(record, dict):
        raise ValueError("A progress file holds one JSON object.")
    sections = {name: record.get(name, {}) for name in SECTIONS}
    if not all(isinstance(s, dict) and all(isinstance(entry, dict) for entry in s.values()) for s in sections.values()):
        raise ValueError("Every entry of a progress file is a JSON object.")
    return {"version": 1, **record, **sections}


def _update(record: Record, section: str, id: str, update: Callable[[Record], None]) -> None:
    update(record[section].setdefault(id, {}))


def _count(entry: Record, name: str) -> int:
    value = entry.get(name, 0)
    return value if isinstance(value, int) else 0


def _write(path: Path, record: Record) -> None:
    """Write a whole new file beside the old one and put it in its place."""
    text = json.dumps(record, indent=1, sort_keys=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".new")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _free_name(path: Path) -> Path:
    number = 1
    while (aside := path.with_name(f"{path.stem}.damaged-{number}{path.suffix}")).exists():
        number += 1
    return aside
