"""What a learner has done: one small JSON file, shared by all kernels, never half written and never thrown away.

Every change reads the file again under a lock, merges what is new and puts a finished new file in the old one's place,
so that two notebooks that run at once do not lose each other's entries. When the lock is not to be had, the note is
kept in a small file of its own beside the big one, until the next save of any kernel merges it. A damaged file is
renamed, not overwritten. Where nothing can be written, notes live in memory, and every later save tries again to write
them. The card says what happened.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from anatomy_course.judge.progress import files

Record = dict[str, Any]
Note = tuple[str, str, Record]  # a section, an id, and what is new in that entry; see `_merge`
DAMAGED = (ValueError, RecursionError)  # no JSON, no text, nested without end, of another form
MOST = 10**6  # tries, hints or findings that count; nobody has more
SECTIONS = ("exercises", "questions", "predictions")
MOVED = """
    best_span case_positions_diagnosis closing_1 left_alone mask_words only_offset predict_bag predict_beyond
    repair_positions rotary sinusoids
""".split()
"""What notebook 03 held before its second half became notebook 04."""
PATIENCE = 5.0  # seconds to wait for another kernel's lock, which that holds for a few milliseconds
IMPATIENCE = 0.2  # seconds to wait for it when it was not to be had the last time


class Progress:
    """The record in one file, made when first needed; functions saved in it may run if it is the learner's own."""

    def __init__(self, path: Path, *, own: bool = False) -> None:
        self.path = path
        self.own = own
        self.notice = ""
        """What to tell the learner once, such as that a damaged file was set aside; empty when all is well."""
        self._unsaved: list[Note] = []
        self._patience = PATIENCE
        self._told: set[str] = set()
        self._looked = False

    def read(self) -> Record:
        """The record as it is now; empty where there is none yet. Never raises."""
        file = files.real(self.path)
        beside = _notes(files.waiting(file).values())  # before the file: what is merged in between counts all the same
        record = checked({})
        try:
            record = self._load()
        except FileNotFoundError:
            pass
        except OSError as error:
            self._cannot("read", error)
        except DAMAGED:
            self.notice = (
                "Your progress file could not be read. It stays as it is; the next exercise you run sets it aside, "
                "under another name, and begins a new one."
            )
        _merge(record, (*beside, *self._unsaved))
        return record

    def entry(self, section: str, id: str) -> Record:
        """What is known of one exercise, question or prediction; empty when nothing."""
        return self.read()[section].get(id, {})

    def change(self, section: str, id: str, news: Record) -> None:
        """Merge what is new into one entry, and save. Never raises: where saving fails, `notice` says so."""
        self._unsaved.append((section, id, news))
        file = files.real(self.path)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            try:
                with self._locked(file):
                    self._save(file)
            except Timeout:
                self._keep_beside(file)
        except OSError as error:
            self._cannot("saved", error)

    @contextmanager
    def _locked(self, file: Path) -> Iterator[None]:
        """Hold the lock. Where there are no locks it is done without, and the card says so."""
        lock = FileLock(file.with_name(file.name + ".lock"))
        try:
            lock.acquire(timeout=self._patience)
        except Timeout:
            self._patience = IMPATIENCE
            raise
        except files.NO_LOCKS as error:
            yield  # this itself tells whether anything can be written here at all
            self._tell_once(
                "lock",
                f"Your progress file could not be locked ({error}: {self.path}), so two notebooks that run at the same "
                "time may lose each other's entries.",
            )
            return
        self._patience = PATIENCE
        try:
            yield
        finally:
            with suppress(OSError):
                lock.release()

    def _save(self, file: Path) -> None:
        beside = files.waiting(file)
        record = self._read_or_set_aside(file)
        _merge(record, (*_notes(beside.values()), *self._unsaved))
        files.write(file, record)
        self._unsaved.clear()
        for path in beside:
            with suppress(OSError):
                path.unlink()
        files.tidy(file)
        if "reach" in self._told:
            self._told.discard("reach")
            self.notice = "Your progress could be saved again, with all that had been kept in memory."

    def _keep_beside(self, file: Path) -> None:
        aside = files.keep_beside(file, [list(note) for note in self._unsaved])
        self._unsaved.clear()
        self.notice = (
            f"Another kernel holds your progress file, so this was kept beside it, as {aside.name} (in "
            f"{aside.parent}). It counts already, and the next save merges it."
        )

    def attempted(self, id: str, *, passed: bool, source: str | None, found_by: str = "") -> None:
        """Note one attempt at an exercise, and what was found in it. What was passed once stays passed, with the source
        that passed last."""
        news: Record = {"tries": 1, "passed": True, "since": now()} if passed else {"tries": 1}
        if passed and source:
            news["source"] = source
        if found_by and not passed:
            news["met"] = {found_by: 1}
        self.change("exercises", id, news)

    def helped(self, id: str, *, hints: int = 0, solution: bool = False) -> None:
        """Note how many hints of an exercise, and whether its solution, have been seen."""
        self.change("exercises", id, {"hints": hints} | ({"solution_seen": True} if solution else {}))

    def pointed(self, id: str, *, right: bool) -> None:
        """Note that the learner pointed at a line before a card named it."""
        self.change("exercises", id, {"pointed": 1, "pointed_right": int(right)})

    def handed_in(self, id: str, *, passed: bool) -> None:
        """Note that a sibling of an exercise was handed in, written alone."""
        self.change(
            "exercises", id, {"alone": int(passed), "alone_tries": 1, "alone_passed": passed, "alone_on": now()}
        )

    def answered(self, id: str, choice: int, *, right: bool) -> None:
        """Note an answer to a question; answered right once stays right."""
        self.change("questions", id, {"first": choice, "last": choice, "right": right})

    def predicted(self, id: str, choice: int) -> None:
        self.change("predictions", id, {"choice": choice})

    def passed(self, id: str) -> bool:
        return self.entry("exercises", id).get("passed") is True

    def source(self, id: str) -> str | None:
        """The text of the learner's own function that passed last."""
        return source if isinstance(source := self.entry("exercises", id).get("source"), str) else None

    def runnable(self, id: str) -> str | None:
        """The same text, to be run.

        Raises:
            ValueError: it may be somebody else's.
        """
        source = self.source(id)
        if source is None and "source_of_others" in self.entry("exercises", id):
            why = f"others could have written to {self.path}; pass the exercise once more"
        elif source is not None and not self.own:
            why = f"{self.path} is not your own progress file; to trust its code, set ANATOMY_PROGRESS to this file"
        else:
            return source
        raise ValueError(f"The saved answer to {id} is not run, because {why}.")

    def take_notice(self) -> str:
        """The notice, once; the first one tells as well whether a kernel died in a check."""
        self._look()
        notice, self.notice = self.notice, ""
        return notice

    def _look(self) -> None:
        died = [] if self._looked else files.died(files.real(self.path))
        self._looked = True
        for id in died:
            self.notice = (
                f"The kernel died while {id} was being checked: the function ended it (os._exit does that), there was "
                f"not enough memory, or you restarted it. {self.notice}"
            ).rstrip()

    @contextmanager
    def checking(self, id: str) -> Iterator[None]:
        """While this lasts an exercise is being checked; if the kernel dies of it, the next one can tell."""
        self._look()
        with files.checking(files.real(self.path), id):
            yield

    def _read_or_set_aside(self, file: Path) -> Record:
        try:
            return self._load()
        except FileNotFoundError:
            return checked({})
        except DAMAGED:
            aside = files.free_name(file)
            file.rename(aside)
            self.notice = (
                f"Your progress file could not be read, so it was set aside as {aside.name} (in {aside.parent}) "
                "and a new one was begun. What is in it stays there."
            )
            return checked({})

    def _load(self) -> Record:
        """What is in the file. Functions that others could have written there are put where nothing runs them."""
        content, ours = files.read(self.path)
        record = checked(files.DECODE(content.decode("utf-8")))
        for entry in [] if ours else record["exercises"].values():
            if "source" in entry:
                entry["source_of_others"] = entry.pop("source")
        return record

    def _cannot(self, what: str, error: OSError) -> None:
        reason = error.strerror or type(error).__name__
        self._tell_once(
            "reach",
            f"Your progress could not be {what} ({reason}: {self.path}). You can go on; what you do is remembered "
            "until the kernel stops, and each time you run an exercise it is tried again.",
        )

    def _tell_once(self, fault: str, sentence: str) -> None:
        """A fault that lasts is told when it begins."""
        if fault not in self._told:
            self._told.add(fault)
            self.notice = sentence


def checked(record: Any) -> Record:
    """A record with all its sections; sections and entries it does not know are left alone.

    Raises:
        ValueError: it is not a record at all.
    """
    if not isinstance(record, dict):
        raise ValueError("A progress file holds one JSON object.")
    sections = {name: record.get(name, {}) for name in SECTIONS}
    if not all(isinstance(s, dict) and all(isinstance(entry, dict) for entry in s.values()) for s in sections.values()):
        raise ValueError("Every entry of a progress file is a JSON object.")
    for entries in sections.values():
        for name in MOVED:
            if f"encoder.{name}" in entries and f"positions.{name}" not in entries:
                entries[f"positions.{name}"] = entries.pop(f"encoder.{name}")
    return {"version": 1, **record, **sections}


def _notes(contents: Iterable[Any]) -> list[Note]:
    """The notes in some files; what is none is left out."""
    return [
        (note[0], note[1], note[2])
        for content in contents
        if isinstance(content, list)
        for note in content
        if isinstance(note, list) and len(note) == 3 and note[0] in SECTIONS
        if isinstance(note[1], str) and isinstance(note[2], dict)
    ]


def _merge(record: Record, notes: Iterable[Note]) -> None:
    """Tries and findings are added up, of hints the most count, the first choice and what was right once stay."""
    for section, id, news in notes:
        entry: Record = record[section].setdefault(id, {})
        before = dict(entry)
        entry.update(news)
        if "tries" in news:
            entry["tries"] = count(before, "tries") + count(news, "tries")
        if "met" in news:
            both = [each for each in (before.get("met"), news["met"]) if isinstance(each, dict)]
            entry["met"] = {each: sum(count(met, each) for met in both) for each in dict.fromkeys(chain(*both))}
        if "hints" in news:
            entry["hints"] = max(count(before, "hints"), count(news, "hints"))
        for added in ("alone", "alone_tries", "pointed", "pointed_right"):
            if added in news:
                entry[added] = count(before, added) + count(news, added)
        for kept in ("first", "since"):
            if kept in news:
                entry[kept] = before.get(kept, news[kept])
        if "right" in news:
            entry["right"] = bool(before.get("right")) or bool(news["right"])


def now() -> int:
    """Seconds since 1970, a whole number."""
    return int(time.time())


def count(entry: Record, name: str) -> int:
    """A number in an entry; 0 for anything that is none, or that nobody can have counted."""
    value = entry.get(name, 0)
    return value if type(value) is int and 0 <= value <= MOST else 0
