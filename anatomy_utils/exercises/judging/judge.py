"""Judge an answer: from the coarsest fault to the finest, and stop at the first one found.

1. It crashed, or did not end: the learner's own line.
2. It returned nothing; the wrong type; on another device; it changed its input.
3. It equals a catalogued mistake on every case.
4. Its shape, the type of its numbers, NaN.
5. It differs from run to run.
6. It is like something: a factor, another axis, another order, other arguments …
7. The last stage that is right, or the first cell that is not.

A catalogued mistake comes before shape and NaN, because its sentence says what such a shape or NaN comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from torch import Tensor

from anatomy_utils.exercises.definition import Case, Exercise
from anatomy_utils.exercises.diagnosis.find import find_likeness
from anatomy_utils.exercises.diagnosis.wrong import Wrong
from anatomy_utils.exercises.judging import checks
from anatomy_utils.exercises.judging.answer_key import Sheet
from anatomy_utils.exercises.judging.checks import Finding
from anatomy_utils.exercises.judging.comparison import compare
from anatomy_utils.exercises.judging.crash import learners_line
from anatomy_utils.exercises.judging.error_messages import plain_words
from anatomy_utils.exercises.judging.first_difference import first_cell, last_good_stage
from anatomy_utils.exercises.judging.run import Attempt, attempt, try_once
from anatomy_utils.exercises.judging.tensors import close, parts, plain, same_result
from anatomy_utils.exercises.judging.verdict import Verdict

BEFORE_MISTAKES = (
    checks.returned_nothing,
    checks.wrong_type,
    checks.wrong_device,
    checks.mutated,
    checks.complex_numbers,
)


def judge(
    exercise: Exercise,
    function: Callable[..., Any],
    *,
    sheet: Sheet | None = None,
    source: str | None = None,
    seconds: float | None = None,
    thread: bool | None = None,
) -> Verdict:
    """Try `function` on the exercise's cases and say what was found.

    Args:
        exercise: what was asked.
        function: the learner's answer.
        sheet: the cases; those of seed 0 when left out.
        source: the answer's text, for where Python cannot find it.
        seconds: the time limit; the exercise's own when left out.
        thread: whether to run it in a thread; see `run_limited`.
    """
    sheet = sheet or Sheet(exercise)
    if not exercise.accepts(function):
        wanted = ", ".join(exercise.parameters())
        return Verdict(
            "wrong", f"Your function must take ({wanted}), in this order; keep the first line of the stub.", "signature"
        )
    seconds = exercise.seconds if seconds is None else seconds
    made = attempt(function, sheet, seconds=seconds, thread=thread)
    if made.error is not None:
        return _broken(sheet, made, function, source, seconds)
    for look in BEFORE_MISTAKES:
        if finding := look(exercise, sheet, made):
            return _verdict(exercise, sheet, made, finding)
    wrong = _wrong_outputs(exercise, sheet, made)
    if not any(wrong.values()) and not checks.wrong_dtype(exercise, sheet, made):
        return Verdict("passed", "Right on every case.", "passed", printed=made.printed)
    finding = (
        _catalogued(exercise, sheet, made, wrong)
        or _swapped_outputs(exercise, sheet, made)
        or _wrong_shape(exercise, sheet, made, function, wrong)
        or checks.wrong_dtype(exercise, sheet, made)
        or checks.not_a_number(exercise, sheet, made)
        or _unsteady(sheet, made, function, seconds)
        or _values(exercise, sheet, made, function, wrong)
    )
    return _verdict(exercise, sheet, made, finding)


def _broken(sheet: Sheet, made: Attempt, function: Callable[..., Any], source: str | None, seconds: float) -> Verdict:
    assert made.error is not None
    line = learners_line(made.error, function, source)
    case = sheet.cases[min(len(made.results), len(sheet.cases) - 1)]
    notes = [f"It was given {_given(case)}."]
    if made.results:
        notes.append(f"It ran through with {_kinds(sheet.cases[: len(made.results)])}.")
    if made.stopped:
        sentence = (
            f"Your function was stopped: it had not ended after {seconds:g} seconds. Does its loop ever reach an end?"
        )
        return Verdict("stopped", sentence, "time", tuple(notes), line, printed=made.printed)
    sentence = plain_words(made.error)
    if line is not None and line.turns_all_axes_round():
        sentence += " Note that `.T` turns all axes round, the batch too; only the last two should change places."
    return Verdict("crashed", sentence, "crash", tuple(notes), line, printed=made.printed)


def _wrong_outputs(exercise: Exercise, sheet: Sheet, made: Attempt) -> dict[int, list[int]]:
    """Output → the cases in which it is not the target."""
    wrong: dict[int, list[int]] = {k: [] for k in range(len(exercise.returns))}
    for i, k, yours, target in checks.pairs(sheet, made):
        if not close(plain(yours), plain(target)):
            wrong[k].append(i)
    return wrong


def _catalogued(exercise: Exercise, sheet: Sheet, made: Attempt, wrong: dict[int, list[int]]) -> Finding | None:
    for mistake, results in sheet.mistaken:
        if all(same_result(yours, theirs) for yours, theirs in zip(made.results, results, strict=True)):
            k = _first_output(exercise, wrong)
            return Finding(mistake.sentence, f"mistake:{mistake.name}", wrong[k][0] if wrong[k] else 0, k)
    return None


def _swapped_outputs(exercise: Exercise, sheet: Sheet, made: Attempt) -> Finding | None:
    if len(exercise.returns) < 2:
        return None
    for yours, target in zip(made.results, sheet.targets, strict=True):
        if not all(close(plain(y), plain(t)) for y, t in zip(yours, reversed(target), strict=True)):
            return None
    names = ", ".join(output.name for output in exercise.returns)
    return Finding(f"Both results are right, but in the wrong order; wanted is `return {names}`.", "swapped")


def _wrong_shape(
    exercise: Exercise, sheet: Sheet, made: Attempt, function: Callable[..., Any], wrong: dict[int, list[int]]
) -> Finding | None:
    """Shapes of all outputs come before the numbers of any."""
    for k in _order(exercise):
        cases = [
            i for i, output, yours, target in checks.pairs(sheet, made) if output == k and yours.shape != target.shape
        ]
        if cases:
            return _likeness(exercise, sheet, made, function, k, cases, wrong, "shape")
    return None


def _unsteady(sheet: Sheet, made: Attempt, function: Callable[..., Any], seconds: float) -> Finding | None:
    for i, (case, result) in enumerate(zip(sheet.cases, made.results, strict=True)):
        again = try_once(function, dict(case.arguments), seconds)
        before = parts(result) or ()
        if again is None or len(again) != len(before):
            continue
        if not all(close(a, plain(b)) for a, b in zip(again, before, strict=True)):
            return Finding(
                "Your function gives another result each time it is called with the same input. "
                "Is there a random number in it, or something it keeps from the call before?",
                "unsteady",
                i,
            )
    return None


def _values(
    exercise: Exercise, sheet: Sheet, made: Attempt, function: Callable[..., Any], wrong: dict[int, list[int]]
) -> Finding:
    k = _first_output(exercise, wrong)
    return _likeness(exercise, sheet, made, function, k, wrong[k], wrong, "likeness")


def _likeness(
    exercise: Exercise,
    sheet: Sheet,
    made: Attempt,
    function: Callable[..., Any],
    k: int,
    indices: list[int],
    wrong: dict[int, list[int]],
    prefix: str,
) -> Finding:
    cases = [sheet.cases[i] for i in indices]
    others = [{j: plain(part) for j, part in enumerate(parts(made.results[i]) or ()) if j != k} for i in indices]
    answer = Wrong(
        exercise, k, cases, _outputs(made.results, indices, k), _outputs(sheet.targets, indices, k), function, others
    )
    name, sentence = find_likeness(answer) or last_good_stage(answer) or first_cell(answer)
    notes = [f"Your {output.name}: right." for j, output in enumerate(exercise.returns) if j != k and not wrong[j]]
    scope = _scope(sheet.cases, indices)
    return Finding(scope + sentence, f"{prefix}:{name}", indices[0], k, tuple(notes))


def _outputs(results: Sequence[Any], indices: list[int], k: int) -> list[Tensor]:
    return [plain((parts(results[i]) or ())[k]) for i in indices]


def _scope(cases: Sequence[Case], indices: list[int]) -> str:
    """Which cases a sentence is about; empty when it is about all of them."""
    if len(indices) == len(cases):
        return ""
    wrong = [cases[i].kind for i in indices]
    right = [case.kind for i, case in enumerate(cases) if i not in indices]
    if not set(wrong) & set(right):
        return f"Right with {_kinds_in_words(right)}, but not with {_kinds_in_words(wrong)}. "
    return f"Right in {len(right)} of {len(cases)} cases. In the others: "


def _kinds(cases: Sequence[Case]) -> str:
    return _kinds_in_words([case.kind for case in cases])


def _kinds_in_words(kinds: Sequence[str]) -> str:
    return " and with ".join(dict.fromkeys(kinds))


def _order(exercise: Exercise) -> list[int]:
    names = [output.name for output in exercise.returns]
    return [names.index(name) for name in exercise.look_first or names]


def _first_output(exercise: Exercise, wrong: dict[int, list[int]]) -> int:
    return next((k for k in _order(exercise) if wrong[k]), 0)


def _verdict(exercise: Exercise, sheet: Sheet, made: Attempt, finding: Finding) -> Verdict:
    case, k = sheet.cases[finding.case], finding.output
    yours, target = parts(made.results[finding.case]), parts(sheet.targets[finding.case])
    if k is None or yours is None or target is None:
        return Verdict("wrong", finding.sentence, finding.found_by, finding.notes, printed=made.printed)
    output, mine, theirs = exercise.returns[k], yours[k], target[k]

    draw = partial(compare, output.name, output.axes, theirs, mine)
    notes = (f"Shown: {case.kind}, {_given(case)}.", *finding.notes)
    return Verdict("wrong", finding.sentence, finding.found_by, notes, None, draw, made.printed)


def _given(case: Case) -> str:
    return ", ".join(f"{name} {_short(value)}" for name, value in case.arguments.items())


def _short(value: Any) -> str:
    return str(tuple(value.shape)) if isinstance(value, Tensor) else repr(value)[:40]
