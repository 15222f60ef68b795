"""When an exercise comes once more: three learners over a fortnight of a pretended clock."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import pytest

from anatomy_course.judge.again import schedule
from anatomy_course.judge.again.schedule import DAY, all_due, days_left, due, next_round
from anatomy_course.judge.progress.record import Progress

record_file = import_module("anatomy_course.judge.progress.record")
ID = "attention.scores"
Clock = Callable[[float], None]


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Sets the day that it is said to be."""

    def today(day: float) -> None:
        for module in (schedule, record_file):
            monkeypatch.setattr(module, "now", lambda: int(1_800_000_000 + day * DAY))

    today(0)
    return today


def _days(record: Progress, at: Clock, right: dict[int, bool]) -> list[int]:
    """The days on which something is offered; on some of them it is handed in, right or not."""
    offered = []
    for day in range(16):
        at(day + 0.1)
        if all_due(record.read()):
            offered.append(day)
            if day in right:
                record.handed_in(ID, passed=right[day])
    return offered


def test_three_learners(record: Progress, at: Clock) -> None:
    ada, ben, cleo = (Progress(record.path.with_name(f"{name}.json")) for name in ("ada", "ben", "cleo"))
    for learner in (ada, ben, cleo):
        learner.attempted(ID, passed=True, source=None)
    assert _days(ada, at, {1: True, 4: True, 14: True}) == [1, 4, 14], "1, 3 and 10 days apart, and never after that"
    assert _days(ben, at, {1: False, 2: True, 5: False, 6: True}) == [1, 2, 5, 6], "what failed comes the next day"
    assert _days(cleo, at, {}) == list(range(1, 16)), "offered as long as it is left alone"
    assert cleo.entry("exercises", ID) == {"passed": True, "since": 1_800_000_000, "tries": 1}, "and nothing is lost"
    assert ada.entry("exercises", ID)["alone"] == 3 and ben.entry("exercises", ID)["alone"] == 2
    assert days_left(ada.entry("exercises", ID)) is None
    assert days_left(ben.entry("exercises", ID)) == pytest.approx(1.0), "ten days after day 6 is day 16"


def test_each_sibling_comes_once(record: Progress, at: Clock) -> None:
    record.attempted(ID, passed=True, source=None)
    rounds = []
    for passed in (False, True, False, True):
        rounds.append(next_round(record.entry("exercises", ID)))
        record.handed_in(ID, passed=passed)
    assert rounds == [0, 1, 2, 0], "what was seen and explained is not asked again at once"


def test_what_passed_before_this_was_noted_is_due_and_what_did_not_pass_is_not(record: Progress, at: Clock) -> None:
    assert due({"passed": True}) and due({"passed": True, "since": "yesterday"})
    assert not due({}) and not due({"passed": False, "since": 0}) and not due({"passed": True, "alone": 3})


def test_passing_again_does_not_begin_anew_and_the_longest_waiting_comes_first(record: Progress, at: Clock) -> None:
    record.attempted(ID, passed=True, source=None)
    at(2)
    record.attempted("start.mean", passed=True, source=None)
    record.attempted(ID, passed=True, source=None)
    at(3)
    assert all_due(record.read()) == [ID, "start.mean"]
