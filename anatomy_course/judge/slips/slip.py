"""What a search has found, as data: it comes from another process, and cards and hints are made of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Slip:
    """One place of the learner's code where a small edit helps.

    Args:
        kind: what is off there, one of the keys of `sentences.WHAT`: `"axis"`.
        line: as counted in its cell or file.
        text: the learner's words that are off.
        line_text: the line in which they stand.
        edited: the statement as it would read, which is what a hint gives away.
    """

    kind: str
    line: int
    text: str
    line_text: str
    edited: str


@dataclass(frozen=True)
class Repair:
    """One or two edits with which an answer is right, or equal to a catalogued mistake.

    Args:
        slips: in the order in which they were found.
        mistake: the name of the catalogued mistake that is left; empty when nothing is.
        cost: what the edits change, and what is left to be explained; the smallest is the best explanation.
        rivals: slips elsewhere, each of which does as well.
    """

    slips: tuple[Slip, ...]
    mistake: str = ""
    cost: float = 0.0
    rivals: tuple[Slip, ...] = ()
