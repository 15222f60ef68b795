"""The outer form of an answer: did it run, and did it return the right kind of thing? One function per question.

Each takes a trial and returns a `Finding` or None. They look at all cases and report the first one that is off.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy
import torch
from torch import Tensor

from anatomy_course.judge.attempt import time_limit
from anatomy_course.judge.attempt.calls import history
from anatomy_course.judge.attempt.run import try_once
from anatomy_course.judge.attempt.tensors import close, is_tensor, parts, plain
from anatomy_course.judge.attempt.tried import Attempt, OutputPair, kinds_in_words, listed
from anatomy_course.judge.definition import Objection
from anatomy_course.judge.diagnosis import axes, calls
from anatomy_course.judge.diagnosis.axes import python_sum
from anatomy_course.judge.diagnosis.find import diagnose, explain
from anatomy_course.judge.diagnosis.mistakes import equal_to_a_mistake, with_a_likeness
from anatomy_course.judge.diagnosis.wrong_answer import SECONDS, WrongOutput
from anatomy_course.judge.judging.crash import learners_place, line_of, type_words
from anatomy_course.judge.judging.crash_words import crash_words, time_words
from anatomy_course.judge.judging.error_messages import str_of
from anatomy_course.judge.judging.verdict import Finding


def crashed(trial: Attempt) -> Finding | None:
    """It raised an error, or it had to be stopped."""
    error, ran = trial.run.error, len(trial.results)
    if error is None:
        return None
    place = learners_place(error, trial.function, trial.source)
    line = line_of(place) if place else None
    usual = trial.exercise.function_name
    own_names = getattr(trial.function, "__name__", usual), usual
    given = trial.arguments_in_words(min(ran, len(trial.cases) - 1))
    notes = [f"Your {trial.exercise.kind} was given {given}."] if given else []
    if ran:
        notes.append(f"It ran through with {kinds_in_words(trial.cases[:ran])}.")
    if trial.run.stopped:
        sentence = time_words(trial.seconds, place, own_names)
        if trial.run.seconds > trial.seconds + time_limit.LATE:
            notes.append(
                f"It ended only after {trial.run.seconds:.0f} seconds: a single call into torch or another library "
                "cannot be interrupted."
            )
        return Finding(sentence, "time", notes=tuple(notes), state="stopped", line=line)
    sentence = crash_words(error, place, own_names)
    if line is not None and line.turns_all_axes_round():
        sentence += " Note that `.T` reverses all axes, the batch too; only the last two should be swapped."
    elif cause := _cause(trial, error):
        sentence += f" {cause}"
    if place is not None and line is not None and _about_shapes(error) and place.is_in(trial.function):
        names = [name for name, words in line.held if words.startswith("shape")]
        if origin := axes.origins(trial, ran, names, place.number):
            notes.insert(0, origin)
    return Finding(sentence, "crash", notes=tuple(notes), state="crashed", line=line)


def _cause(trial: Attempt, error: BaseException) -> str | None:
    """What was wrong before the line that crashed, where that can be told."""
    if isinstance(error, NameError | NotImplementedError | SystemExit | RecursionError | SyntaxError):
        return None
    if not trial.may_run_again:
        return None
    case = len(trial.results)
    return (
        axes.right_with_another_argument(trial)
        or calls.first_other_call(trial.exercise, trial.again, trial.cases[case], ended=False)
        or axes.first_odd_line(trial, case)
    )


def _about_shapes(error: BaseException) -> bool:
    other = isinstance(error, NotImplementedError) or "Boolean value" in str_of(error)
    return isinstance(error, RuntimeError | IndexError | ValueError) and not other


def objected_to(trial: Attempt) -> Finding | None:
    """It cannot be compared: a module without the right parameters, a step that returns no number."""
    for i, result in enumerate(trial.results):
        if isinstance(result, Objection):
            if trial.mistake:
                notes = () if result.example is None else (result.sentence,)
                return Finding(trial.mistake.sentence, f"mistake:{trial.mistake.name}", i, notes=notes)
            return Finding(result.sentence, f"objection:{result.name}", i)
    return None


def returned_nothing(trial: Attempt) -> Finding | None:
    """It returned None on some case."""
    for i, result in enumerate(trial.results):
        if result is None:
            ending = "Its last line should be `return` and the result."
            if any(other is not None for other in trial.results):
                ending = f"It does so with {trial.cases[i].kind}; with other cases it returns something."
            elif trial.run.printed:
                ending = "It printed something, but printing is not returning: later code cannot use what is printed."
            return Finding(f"Your function ran to its end, but it returned nothing (None). {ending}", "nothing", i)
    return None


def wrong_type(trial: Attempt) -> Finding | None:
    """It returned something that is not a tensor, or not as many as wanted."""
    for i, (result, target) in enumerate(zip(trial.results, trial.answer_key.targets, strict=True)):
        wanted = parts(target) or ()
        if isinstance(target, Tensor):
            words = None if is_tensor(result) else _instead_of_a_tensor(result)
        else:
            words = _instead_of_a_tuple(trial, result, wanted)
        if words:
            return Finding(words, "type", i)
    return None


def _instead_of_a_tensor(result: Any) -> str:
    known = _strange(result)
    if known:
        return known
    if isinstance(result, tuple) and len(result) == 1 and is_tensor(result[0]):
        return "You return a tuple with one tensor in it; a comma after the result does that. Return the tensor itself."
    if isinstance(result, tuple) and parts(result):
        return f"You return {len(result)} tensors; this exercise wants one."
    if isinstance(result, list) and result and all(map(is_tensor, result)):
        return f"You return a list of {len(result)} tensors; one tensor is wanted. torch.stack makes one of many."
    if isinstance(result, list | tuple):
        kind = type(result).__name__
        return f"You return a {kind} of {len(result)}; a tensor is wanted. torch.tensor makes one from it."
    if isinstance(result, bool | int | float | complex):
        return f"You return a plain {type(result).__name__}; a tensor is wanted."
    return f"You return {_a(result)}; a tensor is wanted."


def _instead_of_a_tuple(trial: Attempt, result: Any, wanted: tuple[Tensor, ...]) -> str | None:
    exercise = trial.exercise
    names = ", ".join(output.name for output in exercise.returns)
    count = len(wanted)
    if is_tensor(result):
        pairs = list(zip(trial.results, map(parts, trial.answer_key.targets), strict=True))
        same = [
            output.name
            for k, output in enumerate(exercise.returns)
            if all(is_tensor(r) and t and close(plain(r), plain(t[k])) for r, t in pairs)
        ]
        which = f"one tensor, and it is the right {same[0]}" if same else f"one tensor of shape {tuple(result.shape)}"
        return f"You return {which}; this exercise wants {count}: `return {names}`."
    if isinstance(result, tuple) and len(result) == count:
        strange = next(((o.name, r) for o, r in zip(exercise.returns, result, strict=True) if not is_tensor(r)), None)
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
        return f"You return a function ({_name(result)}); is a pair of parentheses missing after its name?"
    return None


def _name(value: Any) -> str:
    return str(getattr(type(value), "__name__", "strange object"))


def _a(value: Any) -> str:
    """What kind of thing it is, with its article."""
    name = _name(value)
    return f"{'an' if name[0] in 'aeio' else 'a'} {name}"


def changed_input(trial: Attempt) -> Finding | None:
    """It wrote into one of its arguments, and what it returned is right."""
    if not trial.run.changed or any(trial.wrong.values()) or wrong_dtype(trial):
        return None
    return Finding(
        f"{change_in_words(trial)} The code that called it still needs them; "
        "work on a new tensor (`x = x / 2` makes one, `x /= 2` and functions that end in `_` do not). "
        "What it returns is right.",
        "mutated",
    )


def change_in_words(trial: Attempt) -> str:
    """Which arguments it wrote into; empty where it left them alone."""
    if not trial.run.changed:
        return ""
    names = " and ".join(f"`{name}`" for name in trial.run.changed)
    return f"Your function changes its input: {names} held other numbers afterwards."


def wrong_device(trial: Attempt) -> Finding | None:
    """It returned a tensor on another device than the input's."""
    for i, k, yours, target in trial.as_returned():
        if yours.device != target.device:
            sentence = (
                f"You return the {trial.exercise.returns[k].name} on the device {yours.device}, but the input is on "
                f"{target.device}; make new tensors where the input is."
            )
            return Finding(sentence, "device", i)
    return None


MOST_NUMBERS = 10**7
"""A result of more numbers than this, and more than a thousand times as many as wanted, is not looked into."""
ORDINARY = frozenset(
    (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128, torch.bool,
     torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
)  # fmt: skip


def too_large(trial: Attempt) -> Finding | None:
    """It returned so many numbers that looking at them would take all memory: a wrong `expand`."""
    for i, k, yours, target in trial.as_returned():
        if not yours.is_nested and yours.numel() > max(MOST_NUMBERS, 1000 * target.numel()):
            name, have, want = trial.exercise.returns[k].name, tuple(yours.shape), tuple(target.shape)
            sentence = f"The shape of your {name} is {have}, {yours.numel():,} numbers; wanted is {want}."
            return Finding(sentence, "shape:too_large", i)
    return None


def extraordinary(trial: Attempt) -> Finding | None:
    """It returned a kind of tensor that cannot be compared; asked where comparing it has failed."""
    for i, result in enumerate(trial.results):
        for output, yours in zip(trial.exercise.returns, parts(result) or (), strict=False):
            if kind := _kind_of_tensor(yours):
                sentence = (
                    f"Your {output.name} is {kind}, which cannot be compared with the target; "
                    "return an ordinary tensor, such as one of float32 numbers."
                )
                return Finding(sentence, "type", i)
    return None


def _kind_of_tensor(tensor: Tensor) -> str | None:
    if torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        return "a tensor out of the inside of `torch.vmap` or `torch.func`"
    if type(tensor) not in (Tensor, torch.nn.Parameter):
        return f"a tensor of the kind {type(tensor).__name__}"
    if tensor.is_nested or tensor.is_quantized:
        return "a nested tensor" if tensor.is_nested else "a quantized tensor"
    if tensor.layout != torch.strided:
        return "a sparse tensor"
    return None if tensor.dtype in ORDINARY else f"a tensor of {str(tensor.dtype).removeprefix('torch.')} numbers"


def complex_numbers(trial: Attempt) -> Finding | None:
    """Numbers with an imaginary part can be compared to nothing here, so they come before everything about numbers."""
    if any(yours.is_complex() for _, _, yours, _ in trial.pairs):
        return wrong_dtype(trial)
    return None


def wrong_dtype(trial: Attempt, output: int | None = None) -> Finding | None:
    """The numbers are of another type than the target's, in one output or in any."""
    for i, k, yours, target in trial.pairs:
        if yours.dtype == target.dtype or output not in (None, k):
            continue
        name = trial.exercise.returns[k].name
        cure = ""
        if target.dtype == torch.bool:
            cure = " A comparison such as `a >= b` gives True and False, and so does .bool()."
        elif target.is_floating_point() and not yours.is_floating_point() and not yours.is_complex():
            cure = " Whole numbers cut off the decimals."
        elif target.is_floating_point() and yours.is_floating_point():
            cure = " Cells further on would refuse to mix the two; bring it back with .to(…)."
        right = not trial.wrong[k]
        start = f"The numbers are right, but not their type: in your {name}" if right else f"In your {name}"
        have, want = type_words(yours), type_words(target)
        if yours.is_floating_point() and target.is_floating_point():
            have, want = (f"{str(tensor.dtype).removeprefix('torch.')} numbers" for tensor in (yours, target))
        return Finding(f"{start} there are {have}; wanted are {want}.{cure}", "dtype", i, k)
    return None


COMES_FROM = {
    "NaN (not a number)": "It comes from 0/0, ∞/∞, 0 · ∞ or ∞ − ∞, or from the root of a negative number.",
    "∞": "It comes from a division by 0, from the logarithm of 0, from a number too large to hold, such as "
    "exp(1000), or from an ∞ that was written there.",
}


def not_a_number(trial: Attempt) -> Finding | None:
    """There is NaN or ∞ where the target has none."""
    for i, k, yours, target in trial.pairs:
        if not yours.is_floating_point():
            continue
        no_numbers = yours.isnan() & ~target.isnan()
        infinite = yours.isinf() & ~target.isinf().any()  # where −∞ is wanted somewhere, it is only misplaced
        for lost, what in ((no_numbers, "NaN (not a number)"), (infinite, "∞")):
            if count := int(lost.sum()):
                where = "everywhere" if count == lost.numel() else f"in {count} of {lost.numel()} cells"
                start = f"In your {trial.exercise.returns[k].name} there is {what} {where}{_kind_of_case(trial, i, k)}."
                first = _first_line(trial, i, Tensor.isnan if what.startswith("NaN") else Tensor.isinf)
                return Finding(f"{start} {first or COMES_FROM[what]}", "nan", i, k)
    return None


def _first_line(trial: Attempt, case: int, lost: Callable[[Tensor], Tensor]) -> str:
    """Where the first variable of the answer's holds such a number; empty where it is no variable's, or came in."""
    arguments = trial.cases[case].arguments.values()
    if trial.exercise.observe or any(isinstance(value, Tensor) and bool(lost(value).any()) for value in arguments):
        return ""
    for given in history(trial.again, trial.cases[case], SECONDS):
        if given.tensor.is_floating_point() and bool(lost(given.tensor).any()):
            return f"The first variable that has it is `{given.name}`, in line {given.line}."
    return ""


def _kind_of_case(trial: Attempt, case: int, output: int) -> str:
    """Where all cases of another kind are right, say which kind is not."""
    kind = trial.cases[case].kind
    off = {trial.cases[i].kind for i in trial.wrong[output]}
    right = sorted({c.kind for c in trial.cases} - off)
    if right:
        return f" with {kind}; with {listed(right)} it is right"
    lost = {trial.cases[i].kind for i, k, yours, _ in trial.pairs if k == output and not bool(yours.isfinite().all())}
    finite = sorted(off - lost)
    if finite:
        return f" with {kind}; with {listed(finite)} there is none, but the numbers are not right either"
    return ""


UNKNOWN = "wrong too, from the same cause or from another one."
SIGNS = ("calls", "constant", "sum_axis", "sum_all")
"""Diagnoses that hold of every number, and yet are only the sign of a cause."""


def passed(trial: Attempt) -> Finding | None:
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
                notes.append(f"Your {output.name}: {UNKNOWN}")
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
