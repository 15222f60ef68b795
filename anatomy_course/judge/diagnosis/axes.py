"""Where the axes of an answer went wrong: an argument that lies the other way, or the first line with an odd shape."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, permutations
from types import FunctionType
from typing import Any

from torch import Tensor

from anatomy_course.judge.attempt.calls import Given, history, under_own_names
from anatomy_course.judge.attempt.run import try_once
from anatomy_course.judge.attempt.tensors import close, fresh_arguments, parts, plain
from anatomy_course.judge.attempt.tried import Attempt
from anatomy_course.judge.definition import Case
from anatomy_course.judge.diagnosis.wrong_answer import SECONDS, WrongOutput


def right_with_another_argument(trial: Attempt) -> str | None:
    """The learner's function gives the target on every case when two arguments, or two axes of one, change places."""
    for words, change in _changes(trial):
        changed = (change(fresh_arguments(case.arguments)) for case in trial.cases)
        if all(_is_right(trial, i, trial.again, arguments) for i, arguments in enumerate(changed)):
            return words
    return None


Change = Callable[[dict[str, Any]], dict[str, Any]]
Labels = Mapping[tuple[int, str], tuple[str | None, ...]]


def _changes(trial: Attempt) -> Iterator[tuple[str, Change]]:
    first = trial.cases[0].arguments
    called = dict(zip(first, under_own_names(trial.function, first), strict=True))
    names = [n for n in first if all(isinstance(case.arguments.get(n), Tensor) for case in trial.cases)]
    for name in names:
        tensors = [case.arguments[name] for case in trial.cases]
        rank = min(tensor.dim() for tensor in tensors)
        for one, other, which in ((-2, -1, "last two axes"), (-3, -2, "axes −3 and −2")):
            if rank >= -one:
                oblong = next((tensor for tensor in tensors if tensor.shape[one] != tensor.shape[other]), tensors[0])
                words = (
                    f"With the {which} of `{called[name]}` swapped, your function would give the target in every case: "
                    f"it uses `{called[name]}` as if it came as {tuple(oblong.transpose(one, other).shape)}, and it "
                    f"comes as {tuple(oblong.shape)}."
                )
                yield words, _turn(name, one, other)
    for one_name, other_name in combinations(names, 2):
        both = f"`{called[one_name]}` and `{called[other_name]}`"
        yield f"With {both} swapped, your function would give the target in every case.", _swap(one_name, other_name)


def _turn(name: str, one: int, other: int) -> Change:
    return lambda given: {**given, name: given[name].transpose(one, other).contiguous()}


def _swap(one: str, other: str) -> Change:
    return lambda given: {**given, one: given[other], other: given[one]}


def _is_right(trial: Attempt, case: int, function: Callable[..., Any], arguments: dict[str, Any]) -> bool:
    """Whether a variation of the answer, or the answer on other arguments, gives a case's target."""
    result = try_once(function, arguments, SECONDS)
    target = parts(trial.answer_key.targets[case]) or ()
    return result is not None and len(result) == len(target) and all(map(close, result, map(plain, target)))


def first_odd_line(trial: Attempt, case: int) -> str | None:
    """The first line after which a variable holds a right solution's stage with its axes in another order, or has an
    axis twice that none of these, no argument and no output has twice."""
    targets = zip(trial.exercise.returns, parts(trial.answer_key.targets[case]) or (), strict=True)
    stages = trial.stages(trial.cases[case]) | {output.name: plain(target) for output, target in targets}
    if trial.exercise.stages is None:
        return None
    around = [*stages.values(), *(v for v in trial.cases[case].arguments.values() if isinstance(v, Tensor))]
    labels = _labels(trial)
    steps = history(trial.again, trial.cases[case], SECONDS)
    held = [any(close(given.tensor, tensor) for given in steps) for tensor in stages.values()]
    after = max((place for place, is_held in enumerate(held, 1) if is_held), default=0)
    open_stages = list(stages)[after:]  # what comes before a right stage was good enough
    for given in steps:
        start = f"In line {given.line} `{given.name}` became {tuple(given.tensor.shape)}"
        for stage in open_stages:
            tensor = stages[stage]
            if _turned(given.tensor, tensor) and not any(close(given.tensor, other) for other in stages.values()):
                return (
                    f"{start}: these are the numbers of the {stage}, but our solution has them as "
                    f"{tuple(tensor.shape)}."
                )
        twice = _twice(given, labels)
        if twice and not any(tuple(t.shape).count(trial.cases[case].sizes[twice]) > 1 for t in around):
            return f"{start}: the length of `{twice}` appears twice."
    return None


def _twice(given: Given, labels: Labels) -> str | None:
    """The size that two of a variable's axes have in every case; tables of zeros and ones are often square."""
    names = labels.get((given.line, given.name), ())
    if not given.tensor.is_floating_point() or bool(((given.tensor == 0) | (given.tensor == 1)).all()):
        return None
    return next((name for name in names if name and "·" not in name and names.count(name) > 1), None)


def _labels(trial: Attempt) -> Labels:
    """(line, variable) → which size each of its axes has, where two cases at least agree about it."""
    found: dict[tuple[int, str], list[set[str]]] = {}
    seen: dict[tuple[int, str], int] = {}
    for case in trial.cases[:3]:
        here = {(g.line, g.name): g.tensor.shape for g in history(trial.again, case, SECONDS)}
        for place, shape in here.items():
            fits = [{name for name, size in _lengths(case) if size == length} for length in shape]
            if place not in found:
                found[place], seen[place] = fits, 1
            elif len(fits) == len(found[place]):
                found[place] = [one & other for one, other in zip(found[place], fits, strict=True)]
                seen[place] += 1
    return {
        place: tuple(next(iter(names)) if len(names) == 1 else None for names in axes)
        for place, axes in found.items()
        if seen[place] > 1
    }


def _lengths(case: Case) -> list[tuple[str, int]]:
    """The sizes, and what two of them make together, as d_model is made of heads · d_head."""
    together = ((f"{one}·{other}", case.sizes[one] * case.sizes[other]) for one, other in combinations(case.sizes, 2))
    return [*case.sizes.items(), *(pair for pair in together if pair[1] not in case.sizes.values())]


def _turned(yours: Tensor, stage: Tensor) -> bool:
    """Whether yours is the stage with its axes in another order."""
    if yours.dim() != stage.dim() or yours.dim() > 5 or yours.shape == stage.shape:
        return False
    if sorted(yours.shape) != sorted(stage.shape) or yours.numel() < 4:
        return False
    orders = permutations(range(stage.dim()))
    return any(yours.shape == (turned := stage.permute(order)).shape and close(yours, turned) for order in orders)


def origins(trial: Attempt, case: int, names: Sequence[str], before: int) -> str:
    """Where the variables of a crashed line got their shapes; empty when they came in, or were made on that line."""
    last = {given.name: given for given in history(trial.again, trial.cases[case], SECONDS)}
    told = [last[name] for name in names if name in last and last[name].line != before and last[name].tensor.dim()]
    labels = _labels(trial) if told else {}
    sentences = []
    for given in told:
        axes = labels.get((given.line, given.name), ())
        shown = f" ({' × '.join(filter(None, axes))})" if len(axes) > 1 and all(axes) else ""
        sentences.append(f"`{given.name}` got its shape {tuple(given.tensor.shape)}{shown} in line {given.line}.")
    return " ".join(sentences)


def turned_input(wrong: WrongOutput) -> tuple[str, str] | None:
    """The reference makes this of one argument with its last two axes exchanged."""
    for name, value in wrong.cases[0].arguments.items():
        if isinstance(value, Tensor) and wrong.holds_for_arguments(lambda given, case: _turn(name, -2, -1)(given)):  # noqa: B023
            return "turned_input", (
                f"{wrong.this_is} exactly what comes out when the last two axes of `{name}` are swapped first."
            )
    return None


def another_argument(wrong: WrongOutput) -> tuple[str, str] | None:
    """`right_with_another_argument`, for an answer of another shape."""
    words = right_with_another_argument(wrong.trial)
    return ("turned_argument", words) if words else None


MEANT: tuple[tuple[str, Callable[[Tensor], Tensor]], ...] = (
    ("over the last axis", lambda t: t.sum(-1)),
    ("over the last axis, which stays with length 1,", lambda t: t.sum(-1, keepdim=True)),
    ("of all numbers", lambda t: t.sum()),
)


def python_sum(wrong: WrongOutput) -> tuple[str, str] | None:
    """With another sum in its place all would be right, or an axis was handed to it as the number to start from."""
    function = wrong.trial.again
    if not isinstance(function, FunctionType) or "sum" not in function.__code__.co_names:
        return None
    if "sum" in function.__globals__:
        return None
    seen: list[tuple[int, bool]] = []
    for words, meant in MEANT:
        names = {**function.__globals__, "sum": _spy(meant, seen)}
        copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
        if all(_is_right(wrong.trial, i, copy, dict(case.arguments)) for i, case in enumerate(wrong.trial.cases)):
            return "python_sum", (
                f"Python's `sum` in line {seen[0][0]} adds along the first axis. With the sum {words} in its place "
                "your function would be right."
            )
    if lines := [line for line, start in seen if start]:
        return "python_sum", (
            f"Python's `sum` in line {lines[0]} adds along the first axis, and its second argument is not an axis but "
            "the number that it starts from."
        )
    return None


def _spy(meant: Callable[[Tensor], Tensor], seen: list[tuple[int, bool]]) -> Callable[..., Any]:
    def spy(values: Any, *start: Any, **named: Any) -> Any:
        if isinstance(values, Tensor) and values.dim() > 1:
            seen.append((sys._getframe(1).f_lineno, bool(start)))
            return meant(values)
        return builtins.sum(values, *start, **named)

    return spy
