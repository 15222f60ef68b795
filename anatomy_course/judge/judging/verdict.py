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
        case: the case in which it was found.
        output: the output in which it was found; None when there is nothing to draw.
        slips, hint: as in the verdict.
        exact: whether the sentence accounts for every number of everything that is wrong.
    """

    sentence: str
    found_by: str
    case: int = 0
    output: int | None = None
    notes: tuple[str, ...] = ()
    state: State = "wrong"
    line: SourceLine | None = None
    slips: tuple[SourceLine, ...] = ()
    hint: str = ""
    exact: bool = False


@dataclass(frozen=True)
class Verdict:
    """One judgement.

    Args:
        state: `"unchecked"` means that the check itself failed, `"emptied"` that it passed before and is empty again,
            `"unreadable"` that Python could not read the cell.
        sentence: what was found, in one or two sentences.
        found_by: which check or diagnosis found it: `"mistake:no_scale"`, `"shape"`, `"likeness:factor"`, `"cell"`.
        notes: further facts, a sentence each.
        line: the learner's line, when it crashed or was stopped there.
        draw: makes `comparison`; only a card needs it.
        printed: what the function printed on the first case.
        displayed: what it displayed on the first case, which is shown above the card.
        slips: the learner's lines in which a small edit helps, with the expression that is off.
        hint: the edit itself, for who asks for it.
    """

    state: State
    sentence: str
    found_by: str
    notes: tuple[str, ...] = ()
    line: SourceLine | None = None
    draw: Callable[[], TensorComparison | None] | None = field(default=None, repr=False, compare=False)
    printed: str = ""
    displayed: Sequence[Any] = field(default=(), repr=False, compare=False)
    slips: tuple[SourceLine, ...] = ()
    hint: str = ""

    @cached_property
    def comparison(self) -> TensorComparison | None:
        """Target and yours, to be drawn side by side."""
        return self.draw() if self.draw else None

    @property
    def passed(self) -> bool:
        """Whether the answer is right."""
        return self.state == "passed"
