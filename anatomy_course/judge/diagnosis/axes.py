"""Where the axes of an answer went wrong: an argument that lies the other way, or the first line with an odd shape."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, permutations
from typing import Any

from torch import Tensor

from anatomy_course.judge.attempt.calls import under_own_names
from anatomy_course.judge.attempt.history import Given, history
from anatomy_course.judge.attempt.run import try_once
from anatomy_course.judge.attempt.tensors import close, fresh_arguments, parts, plain
from anatomy_course.judge.attempt.tried import Attempt
from anatomy_course.judge.definition import Case
from anatomy_course.judge.diagnosis.wrong_answer import SECONDS, Diagnosis, WrongOutput


def right_with_another_argument(trial: Attempt) -> str | None:
    """The learner's function gives the target on every case when two arguments, or two axes of one, change places."""
    for words, change in _changes(trial):
        if all(_right(trial, i, change) for i in range(len(trial.cases))):
            return words
    return None


Change = Callable[[dict[str, Any]], dict[str, Any]]


def _changes(trial: Attempt) -> Iterator[tuple[str, Change]]:
    first = trial.cases[0].arguments
    called = dict(zip(first, under_own_names(trial.function, first), strict=True))
    names = [n for n in first if all(isinstance(case.arguments.get(n), Tensor) for case in trial.cases)]
    for name in names:
        tensors = [case.arguments[name] for case in trial.cases]
        rank = min(tensor.dim() for tensor in tensors)
        for one, other in ((-2, -1), (-3, -2)):
            if rank >= -one:
                oblong = next((tensor for tensor in tensors if tensor.shape[one] != tensor.shape[other]), tensors[0])
                yield _turned_words(called[name], oblong, one, other), _turn(name, one, other)
    for one_name, other_name in combinations(names, 2):
        yield (
            f"With `{called[one_name]}` and `{called[other_name]}` swapped, your function would give the "
            "target in every case.",
            _swap(one_name, other_name),
        )


def _turned_words(name: str, tensor: Tensor, one: int, other: int) -> str:
    which = "last two axes" if other == -1 else "axes −3 and −2"
    return (
        f"With the {which} of `{name}` swapped, your function would give the target in every case: it uses "
        f"`{name}` as if it came as {tuple(tensor.transpose(one, other).shape)}, and it comes as {tuple(tensor.shape)}."
    )


def _turn(name: str, one: int, other: int) -> Change:
    return lambda given: {**given, name: given[name].transpose(one, other).contiguous()}


def _swap(one: str, other: str) -> Change:
    return lambda given: {**given, one: given[other], other: given[one]}


def _right(trial: Attempt, index: int, change: Change) -> bool:
    result = try_once(trial.again, change(fresh_arguments(trial.cases[index].arguments)), SECONDS)
    target = parts(trial.answer_key.targets[index]) or ()
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
        if (twice := _twice(given, labels)) and not any(_has_twice(t, trial.cases[case].sizes[twice]) for t in around):
            return f"{start}: the length of `{twice}` appears twice."
    return None


def _twice(given: Given, labels: Labels) -> str | None:
    """The size that two of a variable's axes have in every case; tables of zeros and ones are often square."""
    names = labels.get((given.line, given.name), ())
    if not given.tensor.is_floating_point() or bool(((given.tensor == 0) | (given.tensor == 1)).all()):
        return None
    return next((name for name in names if name and "·" not in name and names.count(name) > 1), None)


def _has_twice(tensor: Tensor, length: int) -> bool:
    return tuple(tensor.shape).count(length) > 1


Labels = Mapping[tuple[int, str], tuple[str | None, ...]]


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
    return " ".join(f"{_origin(given, labels.get((given.line, given.name), ()))}." for given in told)


def _origin(given: Given, names: tuple[str | None, ...]) -> str:
    axes = f" ({' × '.join(name for name in names if name)})" if len(names) > 1 and all(names) else ""
    return f"`{given.name}` got its shape {tuple(given.tensor.shape)}{axes} in line {given.line}"


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


FIRST: tuple[Diagnosis, ...] = (turned_input,)
REST: tuple[Diagnosis, ...] = (another_argument,)
