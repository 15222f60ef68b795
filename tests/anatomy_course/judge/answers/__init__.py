"""Wrong answers that are in no catalogue, with the look that recognises each and a piece of what it says.

They were thought up after the judge was written, to try it; the list grew with what it got wrong. One file a notebook.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

ANSWERS: list[Answer] = []


@dataclass(frozen=True)
class Answer:
    id: str
    function: Callable[..., Any]
    found_by: str
    says: str


def answer(id: str, found_by: str, says: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def note(function: Callable[..., Any]) -> Callable[..., Any]:
        ANSWERS.append(Answer(id, function, found_by, says))
        return function

    return note
