"""What the judge found, as data: cards, tests and progress read it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from anatomy_course.judge.attempt.comparison import TensorComparison
from anatomy_course.judge.judging.crash import SourceLine

State = Literal["not attempted", "emptied", "passed", "wrong", "crashed", "stopped", "unreadable", "unchecked"]


@dataclass(frozen=True)
class Finding:
    """What one check found.

    Args:
        sentence, found_by, notes, state, line: as in the verdict that is made of it.
        slips, hint: as in the verdict.
    """

    sentence: str
    found_by: str
    case: int = 0  # the case in which it was found
    output: int | None = None  # the output in which it was found; None when there is nothing to draw
    notes: tuple[str, ...] = ()
    state: State = "wrong"
    line: SourceLine | None = None
    slips: tuple[SourceLine, ...] = ()
    hint: str = ""
    exact: bool = False  # whether the sentence accounts for every number of everything that is wrong


@dataclass(frozen=True)
class Verdict:
    """One judgement.

    Args:
        state: `"unchecked"` means that the check itself failed, `"emptied"` that it passed before and is empty again,
            `"unreadable"` that Python could not read the cell.
        draw: makes `comparison`; only a card needs it.
        displayed: what it displayed on the first case, which is shown above the card.
        slips: the learner's lines in which a small edit helps, with the expression that is off.
    """

    state: State
    sentence: str  # what was found, in one or two sentences
    found_by: str  # which check or diagnosis found it: `"mistake:no_scale"`, `"shape"`, `"likeness:factor"`, `"cell"`
    notes: tuple[str, ...] = ()  # further facts, a sentence each
    line: SourceLine | None = None  # the learner's line, when it crashed or was stopped there
    draw: Callable[[], TensorComparison | None] | None = field(default=None, repr=False, compare=False)
    printed: str = ""  # what the function printed on the first case
    displayed: Sequence[Any] = field(default=(), repr=False, compare=False)
    slips: tuple[SourceLine, ...] = ()
    hint: str = ""  # the edit itself, for who asks for it

    @cached_property
    def comparison(self) -> TensorComparison | None:
        """Target and yours, to be drawn side by side."""
        return self.draw() if self.draw else None

    @property
    def passed(self) -> bool:
        return self.state == "passed"
