"""Judge an answer: ask from the coarsest fault to the finest, and stop at the first one found."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from anatomy_course.judge.attempt.answer_key import AnswerKey
from anatomy_course.judge.attempt.comparison import compare
from anatomy_course.judge.attempt.run import execute
from anatomy_course.judge.attempt.surroundings import restored_globals
from anatomy_course.judge.attempt.tensors import parts
from anatomy_course.judge.attempt.tried import Attempt
from anatomy_course.judge.attempt.warm_up import warm_up
from anatomy_course.judge.definition import Exercise
from anatomy_course.judge.judging import checks
from anatomy_course.judge.judging.slips import with_slip
from anatomy_course.judge.judging.verdict import Finding, Verdict
from anatomy_utils.training.threads import threads

CHECKS: tuple[Callable[[Attempt], Finding | None], ...] = (
    # Did it run, and return the right kind of thing?
    checks.crashed,
    checks.objected_to,
    checks.returned_nothing,
    checks.wrong_type,
    checks.wrong_device,
    checks.too_large,
    checks.complex_numbers,
    # Is it right?
    checks.changed_input,
    checks.passed,
    # What is wrong? A catalogued mistake comes first: its sentence says where such a shape, type or NaN comes from.
    checks.catalogued_mistake,
    checks.swapped_outputs,
    checks.mistake_in_part,
    checks.wrong_shape,
    checks.wrong_type_of_numbers,
    checks.mistake_with_nan,
    checks.not_a_number,
    checks.unsteady,
    checks.wrong_values,
)
"""What is asked about an answer, in this order; the last one always finds something."""


@threads(1)  # the cases are small; beside a training, torch's threads would wait for each other for seconds
def judge(
    exercise: Exercise,
    function: Callable[..., Any],
    *,
    answer_key: AnswerKey | None = None,
    source: str | None = None,
    seconds: float | None = None,
    thread: bool | None = None,
    search: bool = False,
    on_wait: Callable[[], None] | None = None,
) -> Verdict:
    """Try `function` on the exercise's cases and say what was found.

    Args:
        exercise, function, source: what was asked, the learner's answer, and its text for where Python cannot find it.
        answer_key, seconds, thread: other than those of seed 0, the exercise's limit and what `run_limited` chooses.
        search: whether to look for the slip in the learner's code as well, which takes up to two seconds more.
        on_wait: called once when that takes longer than a moment.
    """
    if not exercise.accepts(function):
        return Verdict("wrong", exercise.wanted(), "signature")
    answer_key = answer_key or AnswerKey(exercise)
    seconds = exercise.seconds if seconds is None else seconds
    warm_up(function)
    if exercise.observe:
        _ = answer_key.targets  # what driving needs, torch's optimizers among it, is loaded before the clock runs
    with restored_globals() as around:
        run = execute(exercise.as_function(function), answer_key.cases, seconds=seconds, thread=thread, watched=True)
        trial = Attempt(exercise, answer_key, function, run, seconds, source)
        finding = _first_finding(trial)
    said = around.in_words()
    # What changes its surroundings would change those of the search as well; a copy without these lines does not.
    may_be_searched = trial.may_run_again and (not said or trial.again is not trial.function)
    if search and finding.state != "passed" and may_be_searched:
        with restored_globals(), suppress(Exception):  # whatever goes wrong there: what was found stays found
            finding = with_slip(trial, finding, on_wait)
    verdict = _verdict(trial, finding)
    if run.error is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python's complaint, say, about a promise that nobody waits for any more
            traceback.clear_frames(run.error.__traceback__)
    return replace(verdict, notes=(*verdict.notes, *said))


def _first_finding(trial: Attempt) -> Finding:
    for check in CHECKS:
        try:
            finding = check(trial)
        except Exception:  # the fault of a tensor that torch itself can do little with, or ours
            finding = checks.extraordinary(trial)
            if finding is None:
                raise
        if finding:
            return finding
    raise AssertionError("The last check always finds something.")


def _verdict(trial: Attempt, finding: Finding) -> Verdict:
    """The finding as a verdict, with the case and the drawing of the output that it is about."""
    notes, draw = finding.notes, None
    if finding.output is not None:
        i, k = finding.case, finding.output
        yours, target = parts(trial.results[i]), parts(trial.answer_key.targets[i])
        if yours is not None and target is not None:
            output = trial.exercise.returns[k]
            draw = partial(compare, output.name, target[k], yours[k])
            call = ": ".join(filter(None, (f"the call with {trial.cases[i].kind}", trial.arguments_in_words(i))))
            notes = (f"The tables below are from {call}.", *notes)
    sentence, change = finding.sentence, checks.change_in_words(trial)
    if finding.state == "wrong" and not sentence.startswith(change):
        sentence = f"{change} What you return is not right either: {sentence}" if change else sentence
    sentence = sentence.replace("our function", f"our {trial.exercise.kind}")
    found = {"line": finding.line, "slips": finding.slips, "hint": finding.hint}
    said = {"printed": trial.run.printed, "displayed": trial.run.displayed}
    return Verdict(finding.state, sentence, finding.found_by, notes, draw=draw, **found, **said)  # type: ignore[arg-type]
