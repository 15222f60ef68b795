"""The learner's own line beside what was found: asked where the other looks only say what comes out."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from anatomy_course.judge.attempt.tried import Attempt
from anatomy_course.judge.diagnosis.calls import first_other_call
from anatomy_course.judge.diagnosis.mistakes import KNOWN, about_this
from anatomy_course.judge.judging.checks import UNKNOWN
from anatomy_course.judge.judging.crash import SourceLine
from anatomy_course.judge.judging.verdict import Finding
from anatomy_course.judge.slips.search import MAKESHIFT, find_repair
from anatomy_course.judge.slips.sentences import Repair, hint, in_order, sentence

EXPLAINED = ("passed", "mistake", "swapped", "signature")
"""What needs no further search: these name the cause themselves."""
HAPPENED = ("crash", "time", "nothing", "type", "device", "mutated", "complex", "dtype", "nan", "unsteady", "objection")
"""What happened, said before where it comes from."""
LITTLE = ("likeness:cell", "likeness:stage", "likeness:entry", "likeness:unused")
"""What says less than a line of the learner's."""
OF_NUMBERS = ("root", "opposite", "sign", "more", "bounded", "grouped", "missing", "call_missing", "operator", "number")
"""Kinds of edits that change a type only by the way."""
CALLS = ":calls"  # the first call that differs: it is seen, not worked out


def with_slip(trial: Attempt, finding: Finding, on_wait: Callable[[], None] | None = None) -> Finding:
    """The finding, with the place in the learner's code where a small edit makes everything right, if there is one."""
    if finding.found_by.split(":")[0] in EXPLAINED or isinstance(trial.run.error, RecursionError):
        return finding
    repair = find_repair(trial, on_wait=on_wait)
    if repair is None:
        return finding
    said, arithmetic = finding.found_by.partition(":")[0], repair.slips[0].kind in OF_NUMBERS
    if (said == "dtype" and arithmetic) or (said == "objection" and repair.mistake):  # no guess in two steps after it
        return finding
    may_be_arithmetic = repair.mistake or repair.slips[0].kind in MAKESHIFT
    if may_be_arithmetic and finding.exact and not trial.run.changed:
        return finding
    if repair.mistake and finding.found_by.endswith(CALLS) and not _makes_the_same_calls(trial, finding, repair):
        return finding
    return _explained(trial, finding, repair)


def _makes_the_same_calls(trial: Attempt, finding: Finding, repair: Repair) -> bool:
    """Whether the mistake that a repair leaves is seen in the same call as the answer itself."""
    mistake = next(mistake for mistake in trial.exercise.mistakes if mistake.name == repair.mistake)

    def named_alike(*arguments: Any) -> Any:
        return mistake.function(*arguments)

    named_alike.__signature__ = inspect.signature(trial.function)  # type: ignore[attr-defined]
    said = first_other_call(trial.exercise, named_alike, trial.cases[finding.case])
    return said is not None and said[1:] in finding.sentence


def _explained(trial: Attempt, finding: Finding, repair: Repair) -> Finding:
    left = {mistake.name: about_this(mistake) for mistake in trial.exercise.mistakes}.get(repair.mistake, "")
    said, notes = sentence(repair, left), tuple(note for note in finding.notes if not note.endswith(UNKNOWN))
    if finding.found_by.split(":")[0] in HAPPENED:
        happened = finding.sentence if finding.sentence.endswith((".", "?", "!", "”")) else f"{finding.sentence}."
        said = f"{happened} {said}"
    elif left and not (finding.found_by in LITTLE or left in finding.sentence or KNOWN in finding.sentence):
        notes = (finding.sentence, *notes)  # where one edit makes everything right, there is nothing more to tell
    name = ":".join(filter(None, ("slip", repair.slips[0].kind, repair.mistake)))
    marked = tuple(
        SourceLine(slip.line, slip.line_text, slip.text) for slip in (*in_order(repair.slips), *repair.rivals[:2])
    )
    return replace(finding, sentence=said, found_by=name, notes=notes, slips=marked, hint=hint(repair))
