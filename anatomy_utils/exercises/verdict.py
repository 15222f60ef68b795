"""What the judge found, as data: cards, tests and progress read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from anatomy_utils.exercises.crash import Line
from anatomy_utils.exercises.drawing import Comparison

State = Literal["not attempted", "passed", "wrong", "crashed", "stopped", "unchecked"]


@dataclass(frozen=True)
class Verdict:
    """One judgement.

    Args:
        state: `"unchecked"` means that the check itself failed.
        sentence: what was found, in one or two sentences.
        found_by: which look found it: `"mistake:no_scale"`, `"shape"`, `"likeness:factor"`, `"cell"`.
        notes: further facts, a sentence each.
        line: the learner's line, when it crashed or was stopped there.
        comparison: target and yours, to be drawn side by side.
        printed: what the function printed on the first case.
    """

    state: State
    sentence: str
    found_by: str
    notes: tuple[str, ...] = ()
    line: Line | None = None
    comparison: Comparison | None = None
    printed: str = ""

    @property
    def passed(self) -> bool:
        return self.state == "passed"
