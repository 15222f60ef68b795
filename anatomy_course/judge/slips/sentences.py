"""What a search has found, as data that comes from another process, and what a card and its hint say of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WHAT = {
    "axis": "with another axis here",
    "length": "with the length of another axis here",
    "number": "with another number here",
    "counter": "with a variable in place of this number",
    "name": "with another variable or function here",
    "operator": "with another operator here",
    "sides": "with its two sides swapped",
    "comparison": "with another comparison here",
    "condition": "with another condition here",
    "method": "with another function here",
    "method_with_arguments": "with another function here, or with other arguments in the call",
    "in_place": "with a new tensor in place of this change",
    "switch": "with True and False swapped here",
    "string": "with another text here",
    "letters": "with other letters here, or in another order",
    "order": "with its entries in another order",
    "argument": "with another argument in this call",
    "argument_less": "without this argument",
    "argument_missing": "with one more argument in this call",
    "axis_kept": "when this call keeps the axis that it does away with",
    "grouped": "with the same steps grouped or ordered differently",
    "transposed": "with its axes in another order",
    "negated": "with the opposite of it",
    "opposite": "with 1 minus it",
    "sign": "with the other sign",
    "sign_less": "without the sign before it",
    "root": "with its root",
    "more": "with one more, or one less, here",
    "bounded": "when it is kept from falling below a limit, as `max` and `clamp` do it",
    "axis_added": "with one more axis",
    "laid_out": "with its numbers laid out in another shape",
    "axis_removed": "with one axis fewer",
    "kind": "with another type of number",
    "call_missing": "with one more step done to it",
    "copied": "with a copy of it",
    "missing": "with one more step, which is missing here",
    "step": "with another step in its place",
    "cut": "with only a part of it",
    "replaced": "with something else in its place",
    "call_less": "without the call at its end",
    "index_less": "without the index at its end",
    "only_argument": "with the first argument of this call in its place",
    "only_side": "with only one of its two sides",
    "slice": "with another end to this slice",
    "order_of_lines": "when this step and the next are swapped",
    "line_less": "without this line",
    "outdented": "when this line is moved out of the block that it is in",
    "indented": "when this line is moved into the block beside it",
    "returned": "when something else is returned",
    "result_missing": "when something more is returned",
    "return_missing": "when something is returned here",
    "augmented": "when this adds to what is there and does not overwrite it",
    "assigned": "when this overwrites what is there and is not added to it",
}
"""How each kind of edit completes "Line 3, `dim=0`: everything is right …"."""
LONGEST = 60  # how many characters of the learner's own a sentence quotes


@dataclass(frozen=True)
class Slip:
    """One place of the learner's code where a small edit helps."""

    kind: str  # what is off there, one of the keys of `WHAT`: `"axis"`
    line: int  # as counted in its cell or file
    text: str  # the learner's words that are off
    line_text: str  # the line in which they stand
    edited: str  # the statement as it would read, which is what a hint gives away
    within: str = ""  # what a short text is a part of: `"ids[0]"` of `"0"`
    which: str = ""  # which of them, where that has several: `"last"`
    step: str = ""  # what is missing there, in words: `"a division"`, `"`softmax`"`
    of: str = ""  # what the edit is about, in words: `"the two sides of the `/`"`

    @property
    def what(self) -> str:
        """What mends it, without how."""
        if self.of:
            return f"with {self.of} {'swapped' if self.kind == 'sides' else 'in another order'}"
        return f"with one more step here: {self.step}" if self.step else WHAT[self.kind]


@dataclass(frozen=True)
class Repair:
    """One or two edits with which an answer is right, or equal to a catalogued mistake."""

    slips: tuple[Slip, ...]  # in the order in which they were found; told in that of their lines
    mistake: str = ""  # the name of the catalogued mistake that is left; empty when nothing is
    cost: float = 0.0  # what the edits change, and what is left to be explained; the smallest is the best explanation
    rivals: tuple[Slip, ...] = ()  # slips elsewhere, each of which does as well


def sentence(repair: Repair, mistake: str = "") -> str:
    """Where it is and what is off there, without the edit itself; `mistake` is the sentence of the one that is left."""
    first, *more = in_order(repair.slips)
    if mistake:
        rivals = [slip for slip in repair.rivals[:2] if slip.what == first.what]
        fixed = f"{_capital(', or '.join(map(place, (first, *rivals))))}: it is fixed {first.what}."
        return f"There seem to be two slips. 1. {fixed} 2. With that fixed, one thing is left: “{mistake}”"
    if more:
        places = ". 2. ".join(f"{_capital(place(slip))}: it is fixed {slip.what}" for slip in (first, *more))
        return f"There are two slips, and fixing both makes everything right. 1. {places}."
    if not repair.rivals:
        return f"{_capital(place(first))}: everything is right {first.what}."
    each = (first, *repair.rivals[:2])
    if len({slip.what for slip in each}) > 1:
        places = ". Or: ".join(f"{place(slip)}, {slip.what}" for slip in each)
        return f"One change makes everything right. Either: {places}."
    places = ", or ".join(map(place, each))
    return f"{_capital(places)}: everything is right {first.what}, in one of these places."


def place(slip: Slip) -> str:
    """`"line 3, `dim=0`"`."""
    if not slip.text or len(slip.text) > LONGEST or "`" in slip.text + slip.within:
        return f"line {slip.line}"
    if not slip.within or len(slip.within) > LONGEST:
        return f"line {slip.line}, `{slip.text}`"
    return f"line {slip.line}, the {slip.which + ' ' if slip.which else ''}`{slip.text}` in `{slip.within}`"


def in_order(slips: Sequence[Slip]) -> list[Slip]:
    """As their lines are."""
    return sorted(slips, key=lambda slip: slip.line)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def hint(repair: Repair) -> str:
    """The edit itself."""
    return _capital(" And ".join(map(_edited, in_order(repair.slips))))


def _edited(slip: Slip) -> str:
    match slip.kind:
        case "order_of_lines":
            return f"what begins in line {slip.line} could come after what follows it."
        case "line_less":
            return f"line {slip.line} could be left out."
        case "outdented" | "indented":
            return f"line {slip.line} could be indented differently."
        case "return_missing" if slip.edited != f"return {slip.line_text.strip()}":
            return f"`{slip.edited}` could come after line {slip.line}."
    return f"line {slip.line} could read `{slip.edited}`."


_HINTS: dict[str, str] = {}  # of the last answer to each exercise; the one that was checked last is at the end


def remember_hint(id: str, hint: str) -> None:
    """Keep what the last check of an exercise found; an empty hint forgets it."""
    _HINTS.pop(id, None)
    _HINTS[id] = hint


def last_checked() -> str | None:
    """The id of the exercise that this kernel checked last; None when it has checked none."""
    return next(reversed(_HINTS), None)


def hint_for_your_line(id: str) -> str:
    """What the last check found; empty when it found no line."""
    return _HINTS.get(id, "")
