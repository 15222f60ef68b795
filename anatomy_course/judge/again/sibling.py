"""A sibling of an exercise: the same idea, so that what was written before does not fit as it is.

It is made from the exercise itself: its parameters come in another order, or one of its tensors comes with its last two
axes swapped, and other numbers are drawn. Where the exercise names one, the second and the third sibling ask for the
same under another condition.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial, wraps
from typing import Any, NamedTuple

import torch
from torch import Tensor

from anatomy_course.judge.attempt.answer_key import AnswerKey
from anatomy_course.judge.attempt.tensors import fresh_arguments, same_result
from anatomy_course.judge.definition import Case, Condition, Exercise, Mistake
from anatomy_course.judge.registry import find_exercise

ROUNDS = 3  # how many siblings an exercise has
WIDEST = 100  # characters in a line of the stub


class Change(NamedTuple):
    """What a sibling changes."""

    order: list[str]  # the parameters, as the sibling takes them
    turned: list[str]  # those that come with their last two axes swapped


@cache
def sibling(id: str, round: int) -> Exercise:
    """An exercise's sibling number `round`, from 0 to 2; its function has a name of its own: `attention_scores_again`.

    Raises:
        ValueError: there is no such exercise, or no such sibling.
    """
    exercise, given = find_exercise(id), find_exercise(id).again
    if round not in range(ROUNDS):
        raise ValueError(f"{id} comes again {ROUNDS} times, numbered from 0; there is no number {round!r}.")
    if given and round > 0:
        exercise = _under(exercise, given, round)
    change = Change(exercise.parameters(), []) if given and round == 1 else change_of(exercise, round)
    head = exercise.methods[0] if exercise.methods else exercise.signature
    name = exercise.function_name + ("Again" if exercise.methods else "_again")
    new_head = _reordered(head, change.order)
    first, second, third = exercise.hints
    methods = (new_head, *exercise.methods[1:]) if exercise.methods else ()
    sentence = in_words(exercise, change)
    said = " ".join(filter(None, [given.sentence if given and round > 0 else "", sentence]))
    old = partial(_as_the_old_one, change=change, of=exercise)
    new = partial(_as_the_new_one, change=change, of=exercise)
    ours = {exercise.resolve(), *(m.function for m in exercise.mistakes), *exercise.also_right.values()}
    return replace(
        exercise,
        title=f"{exercise.title}, once more",
        signature=(exercise.signature if exercise.methods else new_head).replace(exercise.function_name, name, 1),
        methods=methods,
        docstring="\n".join([exercise.docstring, *textwrap.wrap(said, WIDEST)]),
        task=f"{exercise.task} {said}".rstrip(),
        reference=new(exercise.resolve()),
        cases=partial(_cases, exercise, change, round),
        mistakes=tuple(Mistake(m.name, new(m.function), m.sentence) for m in exercise.mistakes),
        also_right={name: new(function) for name, function in exercise.also_right.items()},
        hints=(f"These hints are those of the exercise as it was. {first}", second, third),
        solution=_solution(exercise, change, head, new_head),
        stages=new(exercise.stages) if exercise.stages and not exercise.observe else exercise.stages,
        observe=exercise.observe and partial(_observed, exercise.observe, ours, old),
    )


def _under(exercise: Exercise, given: Condition, round: int) -> Exercise:
    """The exercise under another condition, with those mistakes that can be told apart there."""
    other = replace(
        exercise,
        reference=given.function,
        mistakes=given.mistakes,
        also_right={},
        solution=given.solution,
        cases=partial(_drawn, exercise, round),
    )
    key = AnswerKey(other)
    seen, told = [key.targets], []
    for mistake in given.mistakes:
        with suppress(Exception):  # it cannot be made here
            ((_, results),) = AnswerKey(replace(other, mistakes=(mistake,))).mistaken
            if not any(all(map(same_result, results, others)) for others in seen):
                seen.append(results)
                told.append(mistake)
    with suppress(Exception):  # what the solution passes on its way may be something else here
        first = fresh_arguments(key.cases[0].arguments)
        stages = given.stages if given.stages and given.stages(*first.values()) else None
        return replace(other, mistakes=tuple(told), stages=stages, cases=exercise.cases)
    return replace(other, mistakes=tuple(told), stages=None, cases=exercise.cases)


def change_of(exercise: Exercise, round: int) -> Change:
    """Another order in the first and the last round, other axes in the second and the last one; where an exercise
    allows one of them alone, that one."""
    names = exercise.parameters()
    axes = [] if exercise.observe else _with_two_axes(exercise)
    turned = {0: [] if len(names) > 1 else axes[:1], 1: axes[-1:], 2: axes[:1]}[round]
    reverse = round != 1 or (not axes and len(names) == 2)
    order = names[::-1] if reverse else names if axes else names[1:] + names[:1]
    return Change(order, turned)


def in_words(exercise: Exercise, change: Change) -> str:
    """What is different, in a sentence for the learner."""
    said = []
    if change.order != exercise.parameters():
        said.append(f"the parameters come in the order {', '.join(change.order)}")
    said += [f"`{name}` comes with its last two axes swapped" for name in change.turned]
    return f"This time {', and '.join(said)}." if said else ""


def _with_two_axes(exercise: Exercise) -> list[str]:
    """The arguments that have two axes or more in each case."""
    given = [case.arguments for case in exercise.cases(torch.Generator().manual_seed(0))]
    return [n for n in given[0] if all(isinstance(each[n], Tensor) and each[n].dim() > 1 for each in given)]


def _cases(exercise: Exercise, change: Change, round: int, generator: torch.Generator) -> Iterable[Case]:
    for case in _drawn(exercise, round, generator):
        yield case if exercise.observe else replace(case, arguments=_given(case.arguments, change))


def _drawn(exercise: Exercise, round: int, generator: torch.Generator) -> Iterable[Case]:
    """The exercise's cases with other numbers."""
    return exercise.cases(generator.manual_seed(generator.initial_seed() + 1000 * (round + 1)))


def _given(arguments: Mapping[str, Any], change: Change) -> dict[str, Any]:
    turned = {name: arguments[name].mT for name in change.turned}
    return {name: turned.get(name, arguments[name]) for name in change.order}


def _as_the_new_one(function: Callable[..., Any], change: Change, of: Exercise) -> Callable[..., Any]:
    """One of the course's own functions, as it would be called in the sibling; what is observed stays as it is."""
    if of.observe:
        return function

    @wraps(function)
    def called(*arguments: Any) -> Any:
        given = dict(zip(change.order, arguments, strict=True))
        return function(*(given[n].mT if n in change.turned else given[n] for n in of.parameters()))

    return called


def _as_the_old_one(answer: Callable[..., Any], change: Change, of: Exercise) -> Callable[..., Any]:
    """An answer to the sibling, as what observes it calls an answer to the exercise."""

    def in_order(arguments: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
        given = {**dict(zip(of.parameters(), arguments, strict=False)), **named}
        return [given[name] for name in change.order]

    if not isinstance(answer, type):
        return wraps(answer)(lambda *arguments, **named: answer(*in_order(arguments, named)))

    @wraps(answer.__init__)  # type: ignore[misc]
    def begin(self: Any, *arguments: Any, **named: Any) -> None:
        answer.__init__(self, *in_order(arguments, named))  # type: ignore[misc]

    return type(answer.__name__, (answer,), {"__init__": begin, "__module__": answer.__module__})


def _observed(
    observe: Callable[..., Any],
    ours: set[Callable[..., Any]],
    old: Callable[[Callable[..., Any]], Callable[..., Any]],
    answer: Callable[..., Any],
    *arguments: Any,
) -> Any:
    return observe(answer if answer in ours else old(answer), *arguments)


def _reordered(head: str, order: Sequence[str]) -> str:
    """A signature, as behind `def`, with its parameters in another order."""
    node = ast.parse(f"def {head}: ...").body[0]
    assert isinstance(node, ast.FunctionDef)
    by_name = {argument.arg: ast.unparse(argument) for argument in node.args.args}
    parameters = [*(["self"] if "self" in by_name else []), *(by_name[name] for name in order)]
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    line = f"{node.name}({', '.join(parameters)}){returns}"
    if len(line) < WIDEST:
        return line
    lines = textwrap.wrap(", ".join(each.replace(" ", "\0") for each in parameters), WIDEST)
    return "\n    ".join([f"{node.name}(", *lines]).replace("\0", " ") + f"\n){returns}"


def _solution(exercise: Exercise, change: Change, head: str, new_head: str) -> str:
    if exercise.methods:
        start = exercise.solution.index("def __init__(")
        end = re.compile(r"\)( -> None)?:").search(exercise.solution, start)
        assert end is not None
        return f"{exercise.solution[:start]}def {new_head}:{exercise.solution[end.end() :]}"
    back = [f"{name} = {name}.mT" for name in change.order if name in change.turned]
    own_calls = rf"(?<![.\w]){exercise.function_name}(?=\()"
    return "\n".join([*back, re.sub(own_calls, f"{exercise.function_name}_again", exercise.solution)])
