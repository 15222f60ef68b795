"""An exercise once more, alone: `again()` gives a cell, nothing is judged until `hand_in()`, and then it counts once.

again("attention.scores")          # the cell of a sibling, a day or more after the exercise has passed

@alone("attention.scores", 0)      # running it keeps the function and says nothing of it
def attention_scores_again(key, query): ...

hand_in()                          # the card, and whether it was right the first time
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from anatomy_course.judge.again.schedule import all_due, days_left, due, next_round
from anatomy_course.judge.again.sibling import ROUNDS, sibling
from anatomy_course.judge.attempt.surroundings import as_usual
from anatomy_course.judge.card import card, card_page
from anatomy_course.judge.decorator import verdict_on
from anatomy_course.judge.definition import Exercise
from anatomy_course.judge.judging.verdict import Verdict
from anatomy_course.judge.progress.location import own_progress
from anatomy_course.judge.progress.record import Progress, count
from anatomy_course.judge.registry import find_exercise
from anatomy_course.judge.slips.sentences import remember_hint
from anatomy_course.judge.stub import source_of, stub_text
from anatomy_course.page.page import CellOutput, code_block, details, escape, in_code, paragraph, shell, show

WHY = "Write it from memory, without the card and without your earlier answer: what is practiced alone stays."


class Kept(NamedTuple):
    exercise: Exercise  # the sibling
    round: int  # its number
    function: Any  # what the learner wrote


_KEPT: list[Kept] = []  # what was written last, and not yet handed in


def again(id: str | None = None, *, record: Progress | None = None) -> CellOutput:
    """A task on the same idea as an exercise that has passed, with its cell below; silent until it is handed in.

    Args:
        id: of the exercise; that which has waited longest when left out.
        record: whose progress; the learner's own when left out.
    """
    notes = record or own_progress()
    read = notes.read()
    waiting = all_due(read)
    if id is None and not waiting:
        return paragraph(
            "Nothing is due. An exercise comes once more a day after it has passed, then three days later, then ten."
        )
    try:
        exercise = find_exercise(id := waiting[0] if id is None else id)
    except ValueError as error:
        return paragraph(str(error))
    entry = read["exercises"].get(id, {})
    if entry.get("passed") is not True:
        return paragraph(f"*{exercise.title}* has not passed yet; it comes once more a day after it has.")
    round = next_round(entry)
    task, cell = sibling(id, round), cell_of(id, round)
    early = "" if due(entry) else " It is not due now, so what you hand in is judged and does not count."
    way = f"{WHY} Running the cell says nothing of it; `hand_in()` in a cell of its own judges it.{early}"
    below = shell() is not None and hasattr(shell(), "set_next_input")
    if below:
        shell().set_next_input(cell)  # type: ignore[union-attr]
    text = details("The cell, should none have appeared below", code_block(cell)) if below else code_block(cell)
    page = f"<p><strong>{escape(task.title)}</strong></p><p>{in_code(task.task)}</p><p>{in_code(way)}</p>{text}"
    return CellOutput(f"<div>{page}</div>", "\n".join([task.title, task.task, way, "", cell]))


def cell_of(id: str, round: int) -> str:
    """The text of a sibling's cell."""
    _, _, stub = stub_text(sibling(id, round)).partition("\n")
    imports = "import torch\nfrom torch import Tensor\n\nfrom anatomy_course import alone, hand_in\n"
    return f'{imports}\n@alone("{id}", {round})\n{stub.rstrip()}'


def alone(id: str, round: int) -> Callable[[Any], Any]:
    """Keep the decorated function or class until `hand_in()`; it stays as it is and may be called.

    Raises:
        ValueError: there is no such exercise, or no such sibling of it.
    """
    task = sibling(id, round)

    def keep(function: Any) -> Any:
        _KEPT[:] = [Kept(task, round, function)]
        show(paragraph(f"*{task.title}*: kept, not judged. When you are sure, run `hand_in()`."))
        return function

    return keep


def hand_in(*, record: Progress | None = None) -> CellOutput:
    """Judge what was written last below `@alone`, and show its card. The first time counts, if it was due."""
    if not _KEPT:
        return paragraph("There is nothing to hand in. `again()` gives a task; run its cell first.")
    task, round, function = _KEPT[-1]
    notes = record or own_progress()
    with as_usual() as not_usual:
        verdict = verdict_on(task, function, source_of(function), notes, not_usual)
    if verdict.state in ("not attempted", "unchecked"):
        after = "It was not counted. Write it, run its cell, and hand it in then."
    elif due(entry := notes.entry("exercises", task.id)) and round == next_round(entry):
        notes.handed_in(task.id, passed=verdict.passed)
        after = _what_follows(task, notes, passed=verdict.passed)
    else:
        after = f'This did not count, since it was not due; `again("{task.id}")` gives what is.'
    remember_hint(task.id, verdict.hint)
    for output in verdict.displayed:
        output.display()
    return _page(task, verdict, notes.take_notice(), after)


def _what_follows(task: Exercise, notes: Progress, *, passed: bool) -> str:
    if not passed:
        return "It comes again tomorrow. You may correct it now and hand it in once more; that is judged, not counted."
    entry = notes.entry("exercises", task.id)
    times, left = count(entry, "alone"), days_left(entry)
    done = f"Right, alone, {times} of {ROUNDS} times."
    return f"{done} It comes again in {left:.0f} days." if left is not None else f"{done} It does not come again."


def _page(task: Exercise, verdict: Verdict, notice: str, after: str) -> CellOutput:
    static = card_page(task, verdict, notice, after)

    def live() -> Any:
        from anatomy_course.views.card.view import Card

        return Card(card(task, verdict, notice, after), page=static)

    return CellOutput(static.html, static.text, live)
