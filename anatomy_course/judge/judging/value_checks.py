"""The numbers of an answer: are they right and, if not, what is wrong with them? One function per question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

from anatomy_course.judge.attempt.run import try_once
from anatomy_course.judge.attempt.tensors import close, parts, plain
from anatomy_course.judge.attempt.tried import Attempt, OutputPair, kinds_in_words
from anatomy_course.judge.diagnosis.find import diagnose, explain
from anatomy_course.judge.diagnosis.mistakes import equal_to_a_mistake, with_a_likeness
from anatomy_course.judge.diagnosis.python_sum import python_sum
from anatomy_course.judge.diagnosis.wrong_answer import WrongOutput
from anatomy_course.judge.judging.checks import wrong_dtype
from anatomy_course.judge.judging.verdict import Finding

SIGNS = ("calls", "constant", "sum_axis", "sum_all")
"""Diagnoses that hold of every number, and yet are only the sign of a cause."""


def passed(trial: Attempt) -> Finding | None:
    """Every output is the target on every case, in its type too."""
    if any(trial.wrong.values()) or wrong_dtype(trial):
        return None
    return Finding("Right on every case.", "passed", state="passed")


def catalogued_mistake(trial: Attempt) -> Finding | None:
    """It equals one of the exercise's mistakes on every case."""
    if trial.mistake is None:
        return None
    output = _first_wrong(trial)
    case = next(iter(trial.wrong[output]), 0)
    return Finding(trial.mistake.sentence, f"mistake:{trial.mistake.name}", case, output)


def swapped_outputs(trial: Attempt) -> Finding | None:
    """The right results, or those of a mistake, returned in another order."""
    outputs = trial.exercise.returns
    if trial.exercise.observe:  # it is the drive that puts them in order
        return None
    names = ", ".join(output.name for output in outputs)
    all_of_them = "Both" if len(outputs) == 2 else "All"
    for order in list(permutations(range(len(outputs))))[1:]:
        if _in_order(trial, order, trial.answer_key.targets):
            words = f"{all_of_them} results are right, but in the wrong order; wanted is `return {names}`."
            return Finding(words, "swapped")
        for mistake, results in trial.answer_key.mistaken:
            if _in_order(trial, order, results):
                words = f"It should `return {names}`: in another order, your results would be a known mistake's: "
                return Finding(f"{words}“{mistake.sentence}”", f"swapped:{mistake.name}")
    return None


def _in_order(trial: Attempt, order: Sequence[int], results: Sequence[Any]) -> bool:
    """Whether the answer's output k is output `order[k]` of these results, in every case."""
    wanted = [parts(result) or () for result in results]
    return all(
        len(wanted[i]) == len(order) and close(yours, plain(wanted[i][order[k]])) for i, k, yours, _ in trial.pairs
    )


def mistake_in_part(trial: Attempt) -> Finding | None:
    """One output is what a mistake makes of it, in all cases in which it is wrong."""
    found = {k: equal_to_a_mistake(WrongOutput(trial, k, cases)) for k, cases in trial.wrong.items() if cases}
    output = next((k for k, said in found.items() if said), None)
    if output is None:
        return None
    prefix = "mistake" if all(found.values()) else "part"  # of a mistake: there is something else as well
    return _told(WrongOutput(trial, output, trial.wrong[output]), prefix, found[output])


def mistake_with_nan(trial: Attempt) -> Finding | None:
    """A mistake's result, with its NaN, and changed once more; or Python's own sum, which led to NaN or ∞."""
    for k, cases in trial.wrong.items():
        wrong = WrongOutput(trial, k, cases)
        if not cases or all(bool(y.isfinite().all()) for y in wrong.yours):
            continue
        said = with_a_likeness(wrong) if any(bool(y.isnan().any()) for y in wrong.yours) else None
        if said := said or python_sum(wrong):
            return _told(wrong, "likeness", said)
    return None


def wrong_shape(trial: Attempt) -> Finding | None:
    """An output has another shape than the target. Shapes of all outputs come before the numbers of any."""
    for k in trial.wrong:
        cases = [pair.case for pair in trial.pairs if pair.output == k and pair.yours.shape != pair.target.shape]
        if cases:
            return _told(WrongOutput(trial, k, cases), "shape")
    return None


def wrong_type_of_numbers(trial: Attempt) -> Finding | None:
    """The numbers are of another type than the target's; what else is known of them is told, too."""
    finding = wrong_dtype(trial)
    if finding is None or finding.output is None or not trial.wrong[finding.output]:
        return finding
    if all(_is_cut(trial, pair) for pair in trial.pairs if pair.output == finding.output):
        return finding  # nothing else is off: the type cut off the decimals
    known = explain(WrongOutput(trial, finding.output, trial.wrong[finding.output]))
    return replace(finding, sentence=f"{finding.sentence} And something else is off. {known[1]}") if known else finding


def _is_cut(trial: Attempt, pair: OutputPair) -> bool:
    """Whether yours are the target's whole parts, or 1 where they are not 0: what its own type leaves of them."""
    whole = pair.target.to(pair.yours.dtype) if bool(pair.target.isfinite().all()) else pair.yours
    return pair.yours.shape == pair.target.shape and close(pair.yours, whole)


def unsteady(trial: Attempt) -> Finding | None:
    """Another run on the same input gives another result."""
    for i, (case, result) in enumerate(zip(trial.cases, trial.results, strict=True)):
        again = try_once(trial.once_more, dict(case.arguments), trial.seconds)
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


def wrong_values(trial: Attempt) -> Finding:
    """What the numbers of an output are instead: of the first wrong one, or of the first of which it is known."""
    looked_at = {k: cases for k, cases in trial.wrong.items() if cases}
    if trial.exercise.observe:  # what it returns is in the order in which a fault spreads
        looked_at = {_first_wrong(trial): trial.wrong[_first_wrong(trial)]}
    found = {k: explain(WrongOutput(trial, k, cases)) for k, cases in looked_at.items()}
    output = next((k for k, said in found.items() if said), _first_wrong(trial))
    return _told(WrongOutput(trial, output, trial.wrong[output]), "likeness", found.get(output))


def _first_wrong(trial: Attempt) -> int:
    return next((output for output, cases in trial.wrong.items() if cases), 0)


def _told(wrong: WrongOutput, prefix: str, said: tuple[str, str] | None = None) -> Finding:
    """What was found of one output, with a note on each of the others."""
    trial, outputs = wrong.trial, wrong.trial.exercise.returns
    known = said or explain(wrong)
    name, sentence = known or diagnose(wrong)
    exact = known is not None and name not in SIGNS
    notes = []
    for k, output in enumerate(outputs):
        if k == wrong.index:
            continue
        if k in _right(trial):
            notes.append(f"Your {output.name}: right.")
        elif trial.wrong[k]:
            other = WrongOutput(trial, k, trial.wrong[k])
            more = None if trial.exercise.observe else explain(other)
            if more is None:
                exact = False
                notes.append(f"Your {output.name}: wrong too; that may come from the same cause.")
            elif more[1] != sentence:
                notes.append(f"Your {output.name}: wrong too. {_scope(other)}{more[1]}")
    if types := wrong_dtype(trial, wrong.index):
        sentence += f" Besides, {types.sentence[0].lower()}{types.sentence[1:]}"
    scope = "" if sentence.startswith("In the case shown: ") else _scope(wrong)  # of the others it may not hold
    return Finding(scope + sentence, f"{prefix}:{name}", wrong.indices[0], wrong.index, tuple(notes), exact=exact)


def _right(trial: Attempt) -> set[int]:
    """The outputs that are right in every case, in their type too."""
    mistyped = {pair.output for pair in trial.pairs if pair.yours.dtype != pair.target.dtype}
    return {k for k, cases in trial.wrong.items() if not cases} - mistyped


def _scope(wrong: WrongOutput) -> str:
    """Which cases a sentence is about; empty when it is about all of them. "Right" means right in all outputs."""
    trial, indices = wrong.trial, set(wrong.indices)
    off = {pair.case for pair in trial.pairs if pair.yours.dtype != pair.target.dtype}.union(*trial.wrong.values())
    here, elsewhere = ([c for i, c in enumerate(trial.cases) if (i in indices) is inside] for inside in (True, False))
    if not elsewhere:
        return ""
    apart = not {case.kind for case in here} & {case.kind for case in elsewhere}
    if indices != set(trial.wrong[wrong.index]):  # the others are wrong in another way
        return f"With {kinds_in_words(here)}: " if apart else f"In {len(here)} of {len(trial.cases)} cases: "
    start = "Right" if indices == off else f"Your {wrong.name} {wrong.verb} right"
    if apart:
        return f"{start} with {kinds_in_words(elsewhere)}, but not with {kinds_in_words(here, 'or')}. "
    return f"{start} in {len(elsewhere)} of {len(trial.cases)} cases. In the others: "
