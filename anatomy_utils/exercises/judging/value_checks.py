"""The numbers of an answer: are they right and, if not, what is wrong with them? One function per question."""

from __future__ import annotations

from collections.abc import Sequence

from anatomy_utils.exercises.attempt.run import try_once
from anatomy_utils.exercises.attempt.tensors import close, parts, plain, same_result
from anatomy_utils.exercises.attempt.trial import Trial, kinds_in_words
from anatomy_utils.exercises.diagnosis.find import diagnose
from anatomy_utils.exercises.diagnosis.wrong_answer import Wrong
from anatomy_utils.exercises.judging.checks import wrong_dtype
from anatomy_utils.exercises.judging.verdict import Finding


def passed(trial: Trial) -> Finding | None:
    """Every output is the target on every case, in its type too."""
    if any(trial.wrong.values()) or wrong_dtype(trial):
        return None
    return Finding("Right on every case.", "passed", state="passed")


def catalogued_mistake(trial: Trial) -> Finding | None:
    """It equals one of the exercise's mistakes on every case."""
    for mistake, results in trial.answer_key.mistaken:
        if all(same_result(yours, theirs) for yours, theirs in zip(trial.results, results, strict=True)):
            output = _first_wrong(trial)
            case = next(iter(trial.wrong[output]), 0)
            return Finding(mistake.sentence, f"mistake:{mistake.name}", case, output)
    return None


def swapped_outputs(trial: Trial) -> Finding | None:
    """The right results, returned in the reverse order."""
    outputs = trial.exercise.returns
    if len(outputs) < 2:
        return None
    targets = {(pair.case, pair.output): pair.target for pair in trial.pairs}
    if not all(close(yours, targets[i, len(outputs) - 1 - k]) for i, k, yours, _ in trial.pairs):
        return None
    names = ", ".join(output.name for output in outputs)
    return Finding(f"Both results are right, but in the wrong order; wanted is `return {names}`.", "swapped")


def wrong_shape(trial: Trial) -> Finding | None:
    """An output has another shape than the target. Shapes of all outputs come before the numbers of any."""
    for k in trial.wrong:
        cases = [pair.case for pair in trial.pairs if pair.output == k and pair.yours.shape != pair.target.shape]
        if cases:
            return _diagnosed(Wrong(trial, k, cases), "shape")
    return None


def unsteady(trial: Trial) -> Finding | None:
    """Another run on the same input gives another result."""
    for i, (case, result) in enumerate(zip(trial.cases, trial.results, strict=True)):
        again = try_once(trial.function, dict(case.arguments), trial.seconds)
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


def wrong_values(trial: Trial) -> Finding:
    """What the numbers of the first wrong output are instead."""
    output = _first_wrong(trial)
    return _diagnosed(Wrong(trial, output, trial.wrong[output]), "likeness")


def _first_wrong(trial: Trial) -> int:
    return next((output for output, cases in trial.wrong.items() if cases), 0)


def _diagnosed(wrong: Wrong, prefix: str) -> Finding:
    name, sentence = diagnose(wrong)
    trial, outputs = wrong.trial, wrong.trial.exercise.returns
    right = (o.name for k, o in enumerate(outputs) if k != wrong.index and not trial.wrong[k])
    notes = tuple(f"Your {name}: right." for name in right)
    scope = _scope(trial, wrong.indices)
    return Finding(scope + sentence, f"{prefix}:{name}", wrong.indices[0], wrong.index, notes)


def _scope(trial: Trial, indices: Sequence[int]) -> str:
    """Which cases a sentence is about; empty when it is about all of them."""
    wrong = [trial.cases[i] for i in indices]
    right = [case for i, case in enumerate(trial.cases) if i not in indices]
    if not right:
        return ""
    if not {case.kind for case in wrong} & {case.kind for case in right}:
        return f"Right with {kinds_in_words(right)}, but not with {kinds_in_words(wrong)}. "
    return f"Right in {len(right)} of {len(trial.cases)} cases. In the others: "
