"""The outer form of an answer: did it run, and did it return the right kind of thing? One function per question.

Each takes a trial and returns a `Finding` or None. They look at all cases and report the first one that is off.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy
import torch
from torch import Tensor

from anatomy_utils.exercises.attempt.tensors import close, parts, plain
from anatomy_utils.exercises.attempt.trial import Trial, kinds_in_words
from anatomy_utils.exercises.definition import Exercise
from anatomy_utils.exercises.judging.crash import learners_line, type_words
from anatomy_utils.exercises.judging.error_messages import plain_words
from anatomy_utils.exercises.judging.verdict import Finding


def crashed(trial: Trial) -> Finding | None:
    """It raised an error, or it had to be stopped."""
    error, ran = trial.run.error, len(trial.results)
    if error is None:
        return None
    line = learners_line(error, trial.function, trial.source)
    notes = [f"It was given {trial.arguments_in_words(min(ran, len(trial.cases) - 1))}."]
    if ran:
        notes.append(f"It ran through with {kinds_in_words(trial.cases[:ran])}.")
    if trial.run.stopped:
        sentence = (
            f"Your function was stopped: it had not ended after {trial.seconds:g} seconds. "
            "Does its loop ever reach an end?"
        )
        return Finding(sentence, "time", notes=tuple(notes), state="stopped", line=line)
    sentence = plain_words(error)
    if isinstance(error, RecursionError) and line is not None:
        usual = trial.exercise.function_name
        own_names = getattr(trial.function, "__name__", usual), usual
        if called := [name for name in own_names if re.search(rf"\b{name}\b", line.text)]:
            sentence = (
                f"Your function calls itself and never ends: `{called[0]}` in line {line.number} is your own "
                "function, not the course's."
            )
    if line is not None and line.turns_all_axes_round():
        sentence += " Note that `.T` turns all axes round, the batch too; only the last two should change places."
    return Finding(sentence, "crash", notes=tuple(notes), state="crashed", line=line)


def returned_nothing(trial: Trial) -> Finding | None:
    """It returned None on some case."""
    for i, result in enumerate(trial.results):
        if result is None:
            always = all(r is None for r in trial.results)
            ending = (
                "Its last line should be `return` and the result."
                if always
                else (f"It does so with {trial.cases[i].kind}; with other cases it returns something.")
            )
            if trial.run.printed and always:
                ending = "It printed something, but to print is not to return: later code cannot use what is printed."
            return Finding(f"Your function ran to its end, but it returned nothing (None). {ending}", "nothing", i)
    return None


def wrong_type(trial: Trial) -> Finding | None:
    """It returned something that is not a tensor, or not as many as wanted."""
    for i, (result, target) in enumerate(zip(trial.results, trial.answer_key.targets, strict=True)):
        wanted = parts(target) or ()
        if isinstance(target, Tensor):
            words = None if isinstance(result, Tensor) else _instead_of_a_tensor(result)
        else:
            words = _instead_of_a_tuple(trial.exercise, result, wanted)
        if words:
            return Finding(words, "type", i)
    return None


def _instead_of_a_tensor(result: Any) -> str:
    known = _strange(result)
    if known:
        return known
    if isinstance(result, tuple) and len(result) == 1 and isinstance(result[0], Tensor):
        return (
            "You return a tuple with one tensor in it; a comma behind the result does that. Return the tensor itself."
        )
    if isinstance(result, tuple) and parts(result):
        return f"You return {len(result)} tensors; this exercise wants one."
    if isinstance(result, list) and result and all(isinstance(item, Tensor) for item in result):
        return f"You return a list of {len(result)} tensors; one tensor is wanted. torch.stack makes one of many."
    if isinstance(result, list | tuple):
        return (
            f"You return a {type(result).__name__} of {len(result)}; a tensor is wanted. torch.tensor makes one of it."
        )
    if isinstance(result, bool | int | float | complex):
        return f"You return a plain {type(result).__name__}; a tensor is wanted."
    return f"You return {_a(result)}; a tensor is wanted."


def _instead_of_a_tuple(exercise: Exercise, result: Any, wanted: tuple[Tensor, ...]) -> str | None:
    names = ", ".join(output.name for output in exercise.returns)
    count = len(wanted)
    if isinstance(result, Tensor):
        same = [o.name for o, t in zip(exercise.returns, wanted, strict=True) if close(plain(result), plain(t))]
        which = f"one tensor, and it is the right {same[0]}" if same else f"one tensor of shape {tuple(result.shape)}"
        return f"You return {which}; this exercise wants {count}: `return {names}`."
    if isinstance(result, tuple) and len(result) == count:
        strange = next(
            ((o.name, r) for o, r in zip(exercise.returns, result, strict=True) if not isinstance(r, Tensor)), None
        )
        if strange is None:
            return None
        return f"Where {strange[0]} belongs you return {_a(strange[1])}; a tensor is wanted."
    if isinstance(result, tuple):
        return f"You return {len(result)} values; this exercise wants {count}: `return {names}`."
    if isinstance(result, list) and len(result) == count and parts(tuple(result)):
        return f"You return a list of {count} tensors; a tuple is wanted: `return {names}`."
    if isinstance(result, dict):
        return f"You return a dict; this exercise wants {count} tensors: `return {names}`."
    return _strange(result) or f"You return {_a(result)}; this exercise wants {count} tensors: `return {names}`."


def _strange(result: Any) -> str | None:
    if isinstance(result, numpy.ndarray):
        return f"You return a NumPy array of shape {result.shape}; a tensor is wanted. Stay in torch all the way."
    if inspect.isgenerator(result):
        return "Your function uses `yield`, so it returns a generator; a tensor is wanted, with `return`."
    if inspect.iscoroutine(result):
        return "Your function is `async`, so it returns a promise and no result; write a plain `def`."
    if callable(result) and not isinstance(result, Tensor):
        return f"You return a function ({_name(result)}); is a pair of parentheses missing behind its name?"
    return None


def _name(value: Any) -> str:
    return str(getattr(type(value), "__name__", "strange object"))


def _a(value: Any) -> str:
    """What kind of thing it is, with its article."""
    name = _name(value)
    return f"{'an' if name[0] in 'aeio' else 'a'} {name}"


def changed_input(trial: Trial) -> Finding | None:
    """It wrote into one of its arguments."""
    if not trial.run.changed:
        return None
    names = " and ".join(f"`{name}`" for name in trial.run.changed)
    return Finding(
        f"Your function changes its input: {names} held other numbers afterwards. Whoever called it still needs them; "
        "work on a new tensor (`x = x / 2` makes one, `x /= 2` and functions that end in `_` do not).",
        "mutated",
    )


def wrong_device(trial: Trial) -> Finding | None:
    """It returned a tensor on another device than the input's."""
    for i, (result, wanted) in enumerate(zip(trial.results, trial.answer_key.targets, strict=True)):
        for output, yours, target in zip(trial.exercise.returns, parts(result) or (), parts(wanted) or (), strict=True):
            if yours.device != target.device:
                return Finding(
                    f"You return the {output.name} on the device {yours.device}, but the input is on "
                    f"{target.device}; make new tensors where the input is.",
                    "device",
                    i,
                )
    return None


def complex_numbers(trial: Trial) -> Finding | None:
    """Numbers with an imaginary part can be compared to nothing here, so they come before everything about numbers."""
    if any(yours.is_complex() for _, _, yours, _ in trial.pairs):
        return wrong_dtype(trial)
    return None


def wrong_dtype(trial: Trial) -> Finding | None:
    """The numbers are of another type than the target's."""
    for i, k, yours, target in trial.pairs:
        if yours.dtype == target.dtype:
            continue
        name = trial.exercise.returns[k].name
        cure = ""
        if target.dtype == torch.bool:
            cure = " A comparison such as `a >= b` gives True and False, and so does .bool()."
        elif target.is_floating_point() and not yours.is_floating_point() and not yours.is_complex():
            cure = " Whole numbers cut off what stands behind the point."
        elif target.is_floating_point() and yours.is_floating_point():
            cure = " Cells further on would refuse to mix the two; bring it back with .to(…)."
        right = i not in trial.wrong[k]
        start = f"The numbers are right, but not their type: in your {name}" if right else f"In your {name}"
        have, want = type_words(yours), type_words(target)
        if yours.is_floating_point() and target.is_floating_point():
            have, want = (f"{str(tensor.dtype).removeprefix('torch.')} numbers" for tensor in (yours, target))
        return Finding(f"{start} there are {have}; wanted are {want}.{cure}", "dtype", i, k)
    return None


def not_a_number(trial: Trial) -> Finding | None:
    """There is NaN or ∞ where the target has none."""
    for i, k, yours, target in trial.pairs:
        if not yours.is_floating_point():
            continue
        name = trial.exercise.returns[k].name
        for lost, what, why in (
            (
                yours.isnan() & ~target.isnan(),
                "NaN (not a number)",
                "It comes from 0/0, from ∞ − ∞ or from the root of a negative number.",
            ),
            (
                yours.isinf() & ~target.isinf().any(),  # where −∞ is wanted somewhere, it is only misplaced
                "∞",
                "It comes from a division by 0, from a number too large to hold, such as exp(1000), or from an ∞ that "
                "was written there.",
            ),
        ):
            if bool(lost.any()):
                count = int(lost.sum())
                where = "everywhere" if count == lost.numel() else f"in {count} of {lost.numel()} cells"
                only = _kind_of_case(trial, i, k)
                return Finding(f"In your {name} there is {what} {where}{only}. {why}", "nan", i, k)
    return None


def _kind_of_case(trial: Trial, case: int, output: int) -> str:
    """Where all cases of another kind are right, say which kind is not."""
    right = {c.kind for i, c in enumerate(trial.cases) if i not in trial.wrong[output]}
    kind = trial.cases[case].kind
    if right and kind not in right:
        return f" with {kind}; with {' and with '.join(sorted(right))} it is right"
    elsewhere = {trial.cases[i].kind for i, k, yours, _ in trial.pairs if k == output and bool(yours.isfinite().all())}
    if elsewhere and kind not in elsewhere:
        return (
            f" with {kind}; with {' and with '.join(sorted(elsewhere))} there is none, but the numbers are "
            f"not right either"
        )
    return ""
