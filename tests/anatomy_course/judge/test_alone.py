"""Once more, alone: a cell is given, nothing is said until it is handed in, and then it counts once."""

from __future__ import annotations

from typing import Any

import pytest
from torch import Tensor

from anatomy_course.judge import alone as module, progress
from anatomy_course.judge.alone import again, alone, cell_of, hand_in
from anatomy_course.judge.progress.record import Progress
from anatomy_course.page.page import CellOutput

ID = "attention.scores"


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """No answer of another test is kept; gives what cells say when they run."""
    said: list[str] = []
    monkeypatch.setattr(module, "_KEPT", [])
    monkeypatch.setattr(module, "show", lambda output: said.append(output.text))
    return said


@pytest.fixture
def passed(record: Progress) -> Progress:
    """A record in which the exercise passed long ago."""
    record.change("exercises", ID, {"passed": True, "since": 0})
    return record


def right(key: Tensor, query: Tensor) -> Tensor:
    return query @ key.mT / query.shape[-1] ** 0.5


def wrong(key: Tensor, query: Tensor) -> Tensor:
    return query @ key.mT / query.shape[-1]


def test_silent_until_it_is_handed_in_and_counted_once(passed: Progress, nothing_kept: list[str]) -> None:
    assert alone(ID, 0)(right) is right
    assert nothing_kept == ["*Scaled scores, once more*: kept, not judged. When you are sure, run `hand_in()`."]
    assert "alone" not in passed.entry("exercises", ID)
    said = hand_in(record=passed).text
    assert (
        "Passed: Scaled scores, once more" in said and "Right, alone, 1 of 3 times. It comes again in 3 days." in said
    )
    assert 'This did not count, since it was not due; `again("attention.scores")`' in hand_in(record=passed).text
    assert passed.entry("exercises", ID)["alone"] == passed.entry("exercises", ID)["alone_tries"] == 1


def test_what_is_wrong_gets_its_full_card_and_comes_again_as_another_cell(passed: Progress) -> None:
    alone(ID, 0)(wrong)
    said = hand_in(record=passed).text
    assert "divided by d_head itself" in said and "It comes again tomorrow." in said
    passed.change("exercises", ID, {"alone_on": 0})
    alone(ID, 0)(right)
    assert "did not count" in hand_in(record=passed).text, "the corrected cell of yesterday is not the one that is due"
    assert "squared distance" in again(record=passed).text
    assert passed.entry("exercises", ID)["alone_tries"] == 1 and passed.source(ID) is None


def test_an_empty_cell_counts_as_nothing(passed: Progress) -> None:
    assert hand_in(record=passed).text == "There is nothing to hand in. `again()` gives a task; run its cell first."
    names: dict[str, Any] = {}
    exec(cell_of(ID, 0), names)
    assert "It was not counted." in hand_in(record=passed).text and "alone_tries" not in passed.entry("exercises", ID)


def test_what_can_be_asked_for(record: Progress) -> None:
    assert again(record=record).text.startswith("Nothing is due.")
    assert again(ID, record=record).text == "*Scaled scores* has not passed yet; it comes once more a day after it has."
    assert "did you mean 'attention.scores'" in again("attention.score", record=record).text
    record.attempted(ID, passed=True, source=None)
    assert "It is not due now" in again(ID, record=record).text and again(record=record).text.startswith("Nothing")


def test_the_cell_appears_below(passed: Progress, monkeypatch: pytest.MonkeyPatch) -> None:
    class Shell:
        cell = ""

        def set_next_input(self, text: str) -> None:
            self.cell = text

    shell = Shell()
    monkeypatch.setattr(module, "shell", lambda: shell)
    given = again(record=passed)
    assert isinstance(given, CellOutput) and "<details>" in given.html
    assert '\n\n@alone("attention.scores", 0)\ndef attention_scores_again(' in shell.cell
    compile(shell.cell, "cell", "exec")


def test_progress_offers_it_and_shows_what_was_done_alone(passed: Progress) -> None:
    offer = "Due once more, alone: *Scaled scores*. In a cell of your own"
    for shown in (progress(record=passed), progress("attention", record=passed), progress("start", record=passed)):
        assert offer in shown.text and "again(&quot;attention.scores&quot;)" in shown.html
    passed.handed_in(ID, passed=True)
    assert "✓ Scaled scores, alone 1 of 3 times" in progress("attention", record=passed).text
    assert "1 of 12 exercises (1 alone)" in progress(record=passed).text
    for other in ("softmax", "causal_mask", "projection", "weighted_average"):
        passed.change("exercises", f"attention.{other}", {"passed": True})
    passed.change("exercises", "start.mean", {"passed": True})
    assert "and 2 more. In a cell" in progress(record=passed).text
    assert "alone: *The average of vectors*, " in progress("start", record=passed).text, "its own notebook's come first"
