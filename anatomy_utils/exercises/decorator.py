"""`@exercise("attention.scores")`: running the cell checks the function in it and shows the card."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from anatomy_utils.exercises.card import card, card_page
from anatomy_utils.exercises.definition import Exercise
from anatomy_utils.exercises.judging.judge import judge
from anatomy_utils.exercises.judging.verdict import Verdict
from anatomy_utils.exercises.progress.answer_source import standing_alone
from anatomy_utils.exercises.progress.location import own_progress
from anatomy_utils.exercises.progress.record import Progress
from anatomy_utils.exercises.registry import find_exercise
from anatomy_utils.exercises.stub import is_untouched, source_of
from anatomy_utils.notebook.page import CellOutput, show


class Answer:
    """What an exercise cell leaves under the function's name: callable like the function itself.

    Args:
        exercise: which one.
        yours: the function that the learner wrote, right or not.
        used: the function that a call runs: `yours` when it passed, the reference otherwise.
        verdict: what the judge found.
        page: the card.
    """

    def __init__(
        self,
        exercise: Exercise,
        yours: Callable[..., Any],
        used: Callable[..., Any],
        verdict: Verdict,
        page: CellOutput,
    ) -> None:
        functools.update_wrapper(self, used)
        self.exercise = exercise
        self.yours = yours
        self.used = used
        self.verdict = verdict
        self.card = page

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.used(*args, **kwargs)

    @property
    def passed(self) -> bool:
        """Whether the learner's function passed."""
        return self.verdict.passed

    def __repr__(self) -> str:
        whose = "yours" if self.passed else "the course's own version"
        return f"<{self.exercise.function_name}: {whose}>"


def exercise(id: object, *, record: Progress | None = None, seconds: float | None = None) -> Callable[[Any], Answer]:
    """Check the decorated function, show its card, and leave a function that works under its name.

    Args:
        id: such as `"attention.scores"`.
        record: where to note the attempt; the learner's own file when left out.
        seconds: a time limit other than the exercise's own.

    Returns:
        A decorator. What it returns runs the learner's function if that passed and the reference if not; the
        learner's own is at `.yours`.

    Raises:
        ValueError: there is no such exercise, or what is decorated is not a function.
    """
    if not isinstance(id, str):
        raise ValueError('@exercise needs an id in parentheses: @exercise("attention.scores").')
    found = find_exercise(id)

    def check(function: Any) -> Answer:
        if isinstance(function, Answer):
            function = function.yours
        if not callable(function) or isinstance(function, type):
            raise ValueError(f"@exercise({id!r}) belongs directly above a `def`.")
        notes = record or own_progress()
        source = source_of(function)
        with _naming_itself(function, found):
            verdict = _judged(found, function, source, seconds)
        if verdict.state not in ("not attempted", "unchecked"):
            alone = standing_alone(function, source) if verdict.passed else None
            notes.attempted(found.id, passed=verdict.passed, source=alone)
        page = _page(found, verdict, notes)
        show(page)
        return Answer(found, function, function if verdict.passed else found.resolve(), verdict, page)

    return check


@contextmanager
def _naming_itself(function: Callable[..., Any], found: Exercise) -> Iterator[None]:
    """While it is judged, its name is the function's own, and so is every name under which an earlier run of the
    exercise left an `Answer`: that may run the course's version."""
    names: dict[str, Any] = getattr(inspect.unwrap(function), "__globals__", {})
    own = {name for name, value in names.items() if isinstance(value, Answer) and value.exercise is found}
    own.add(getattr(function, "__name__", found.function_name))
    before = {name: names[name] for name in own & names.keys()}
    names.update(dict.fromkeys(own, function))
    try:
        yield
    finally:
        for name in own:
            names.pop(name, None)
        names.update(before)


def _judged(found: Exercise, function: Callable[..., Any], source: str | None, seconds: float | None) -> Verdict:
    if is_untouched(function, source):
        return Verdict("not attempted", found.task, "untouched")
    try:
        return judge(found, function, source=source, seconds=seconds)
    except Exception as error:  # a fault of the course must not look like one of the learner's, nor stop the notebook
        return Verdict(
            "unchecked",
            "The check itself failed; this is a fault of the course, not of your function. "
            "Please report it with your function and this line.",
            "unchecked",
            (f"{type(error).__name__}: {error}",),
        )


def _page(found: Exercise, verdict: Verdict, notes: Progress) -> CellOutput:
    notice = notes.take_notice()
    static = card_page(found, verdict, notice)

    def live() -> Any:
        from anatomy_utils.widgets.card import Card

        data = card(found, verdict, notice)
        return Card(
            data, page=static, on_help=lambda hints, solved: notes.helped(found.id, hints=hints, solution=solved)
        )

    return CellOutput(static.html, static.text, live)
