"""When an exercise that has passed comes once more: a day later, then three days after that was right, then ten."""

from __future__ import annotations

from anatomy_course.judge.again.sibling import ROUNDS
from anatomy_course.judge.progress.record import Record, count, now
from anatomy_course.judge.registry import ids

DAYS = (1, 3, 10)  # between passing and the first sibling, the first and the second, the second and the third
DAY = 24 * 60 * 60  # seconds


def due(entry: Record) -> bool:
    """Whether the next sibling of an exercise, of which the record knows this, is to be offered now."""
    left = days_left(entry)
    return left is not None and left <= 0


def days_left(entry: Record) -> float | None:
    """In how many days the next sibling comes, below 0 when it is overdue; None when none will come: the exercise has
    not passed, or all were right. One that was not right comes again after a day."""
    done = count(entry, "alone")
    if entry.get("passed") is not True or done >= ROUNDS:
        return None
    failed = entry.get("alone_passed") is False
    since = entry.get("alone_on", entry.get("since", 0))  # what passed before this was noted, passed long ago
    waits = DAYS[0] if failed else DAYS[done]
    return waits - (now() - (since if isinstance(since, int) else 0)) / DAY


def next_round(entry: Record) -> int:
    """The number of the sibling that comes next: another one after each that was handed in, right or not."""
    return count(entry, "alone_tries") % ROUNDS


def all_due(record: Record) -> list[str]:
    """The ids of what is due, that which waits longest first."""
    entries = {id: record["exercises"].get(id, {}) for id in ids()}
    return sorted((id for id in entries if due(entries[id])), key=lambda id: days_left(entries[id]) or 0.0)
