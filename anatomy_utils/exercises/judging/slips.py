"""The learner's own line beside what was found: asked where the other looks only say what comes out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from anatomy_utils.exercises.attempt.trial import Trial
from anatomy_utils.exercises.judging.crash import SourceLine
from anatomy_utils.exercises.judging.verdict import Finding
from anatomy_utils.exercises.repair.search import MAKESHIFT, find_repair
from anatomy_utils.exercises.repair.sentences import hint, sentence
from anatomy_utils.exercises.repair.slip import Repair

EXPLAINED = ("passed", "mistake", "swapped", "signature")
"""What needs no further search: these name the cause themselves."""
HAPPENED = ("crash", "time", "nothing", "type", "device", "mutated", "complex", "dtype", "nan", "unsteady", "objection")
"""What happened, said before where it comes from."""
LITTLE = ("likeness:cell", "likeness:stage", "likeness:entry", "likeness:unused", "likeness:calls_right")
"""What says less than a line of the learner's."""


def with_slip(trial: Trial, finding: Finding, on_wait: Callable[[], None] | None = None) -> Finding:
    """The finding, with the place in the learner's code where a small edit makes everything right, if there is one."""
    if finding.found_by.split(":")[0] in EXPLAINED or isinstance(trial.run.error, RecursionError):
        return finding
    repair = find_repair(trial, on_wait=on_wait)
    if repair is None:
        return finding
    may_be_arithmetic = repair.mistake or repair.slips[0].kind in MAKESHIFT
    if may_be_arithmetic and finding.exact and not trial.run.changed:
        return finding
    return _explained(trial, finding, repair)


def _explained(trial: Trial, finding: Finding, repair: Repair) -> Finding:
    left = {mistake.name: mistake.sentence for mistake in trial.exercise.mistakes}.get(repair.mistake, "")
    said, notes = sentence(repair, left), finding.notes
    if finding.found_by.split(":")[0] in HAPPENED:
        said = f"{finding.sentence} {said}"
    elif finding.found_by not in LITTLE:
        notes = (finding.sentence, *notes)
    name = ":".join(filter(None, ("slip", repair.slips[0].kind, repair.mistake)))
    marked = tuple(SourceLine(slip.line, slip.line_text, slip.text) for slip in (*repair.slips, *repair.rivals[:2]))
    return replace(finding, sentence=said, found_by=name, notes=notes, slips=marked, hint=hint(repair))
