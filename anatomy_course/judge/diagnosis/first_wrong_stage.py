"""The last resort for a wrong answer: how far along the way it is right, or the first cell that differs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from anatomy_course.judge.attempt.calls import history, variables
from anatomy_course.judge.attempt.comparison import cell_text
from anatomy_course.judge.attempt.run import try_with_gradients
from anatomy_course.judge.attempt.surroundings import in_a_row
from anatomy_course.judge.attempt.tensors import close, fresh
from anatomy_course.judge.definition import Output
from anatomy_course.judge.diagnosis.mistakes import BY_PLACE, LOOKS, telling
from anatomy_course.judge.diagnosis.shapes import axes_swapped
from anatomy_course.judge.diagnosis.values import function_of_target
from anatomy_course.judge.diagnosis.wrong_answer import (
    SECONDS,
    Diagnosis,
    WrongOutput,
    in_each,
    is_plural,
    same_shapes,
)

LOOKS_FIRST = tuple(look for look in LOOKS if look is not axes_swapped)
"""What a right solution seldom passes on its way, as it passes the same numbers in another order."""
Tensors = Mapping[str, Sequence[Tensor]]  # name → tensors, case by case


@dataclass(frozen=True)
class Way:
    """How far an answer comes along the stages.

    Args:
        right: stage → the variable that holds it on every case: "`scores`", or "`scores` in line 4" if not to the end.
    """

    held: Tensors  # the function's own variables
    stages: Tensors  # what a right solution passes, in its order
    right: Mapping[str, str]

    @property
    def last(self) -> int:
        """The place of the last stage that is held; −1 when none is."""
        return max((place for place, stage in enumerate(self.stages) if stage in self.right), default=-1)

    @property
    def before(self) -> list[str]:
        """The stages before the last one held that no variable holds."""
        return [stage for stage in list(self.stages)[: max(self.last, 0)] if stage not in self.right]

    @property
    def after(self) -> list[str]:
        """The stages behind the last one held."""
        return list(self.stages)[self.last + 1 :]

    @property
    def others(self) -> list[str]:
        return [name for name in self.held if f"`{name}`" not in self.right.values()]

    def in_words(self) -> str:
        """`"You are right up to the scores: your variable `s` holds them."` What holds a stage is right, and so is all
        that it is made of; "up to" is said only where every earlier stage is held as well.
        """
        if not self.right:
            return ""
        stage = list(self.stages)[self.last]
        many = is_plural(stage)
        start = f"The {stage} {'are' if many else 'is'} right" if self.before else f"You are right up to the {stage}"
        return f"{start}: your variable {self.right[stage]} holds {'them' if many else 'it'}. "


def _way(wrong: WrongOutput) -> Way | None:
    trial, stages = wrong.trial, wrong.stages
    if trial.exercise.stages is None:
        return None
    driven = trial.again if trial.exercise.observe else None
    held = in_each([variables(trial.call_again, case, SECONDS, of=driven) for case in wrong.cases])
    right = _holders(stages, {f"`{name}`": tensors for name, tensors in held.items()})
    if len(right) < len(stages):  # one may have been overwritten
        given = [history(trial.call_again, case, SECONDS, of=driven) for case in wrong.cases]
        passed = in_each([{f"`{each.name}` in line {each.line}": each.tensor for each in case} for case in given])
        right = _holders(stages, passed) | right
    return Way(held, stages, right)


def _holders(stages: Tensors, held: Tensors) -> dict[str, str]:
    """Stage → the last variable that holds it on every case, for those that one holds."""
    found = {}
    for stage, tensors in stages.items():
        holders = [name for name, yours in held.items() if all(map(close, yours, tensors))]
        if holders and any(tensor.numel() for tensor in tensors):
            found[stage] = holders[-1]
    return found


def changed_stage(wrong: WrongOutput) -> tuple[str, str] | None:
    """A variable of the function is a stage times a number, plus a number, with other signs."""
    way = _way(wrong)
    said = way and _first_changed(wrong, way, LOOKS_FIRST)
    return ("stage", f"{way.in_words()}{said}") if way and said else None


def last_good_stage(wrong: WrongOutput) -> tuple[str, str] | None:
    """Look into the function's own variables: which of them hold a tensor that a right solution passes?"""
    way = _way(wrong)
    if way is None:
        return None
    if said := _first_changed(wrong, way, (*LOOKS, function_of_target)):
        return "stage", f"{way.in_words()}{said}"
    if not way.right:
        return None
    for stage in way.before:
        name = stage.replace(" ", "_")
        if name in way.others and same_shapes(way.held[name], way.stages[stage]):
            return "stage", f"{way.in_words()}If your `{name}` is to hold the {stage}, it does not do so yet."
    following = f"In the end none of your variables holds the next stage ({way.after[0]}). " if way.after else ""
    return "stage", f"{way.in_words()}{following}The fault lies after that, or in something that joins it there."


def _first_changed(wrong: WrongOutput, way: Way, looks: Sequence[Diagnosis]) -> str | None:
    """Of the stages that no variable holds, those to come first: what a variable makes of one."""
    said = (_changed(wrong, way, stage, looks) for stage in [*way.after, *way.before])
    return next((words for words in said if words), None)


def _changed(wrong: WrongOutput, way: Way, stage: str, looks: Sequence[Diagnosis]) -> str | None:
    targets = way.stages[stage]
    for name in way.others:
        yours = way.held[name]
        if not same_shapes(yours, targets) or not telling(yours, targets):
            continue
        beside = wrong.beside(targets, yours, Output(f"variable `{name}`", BY_PLACE))
        for look in looks:
            if said := look(beside):
                words = said[1].replace("the target", "the right one")  # "the target" is what is to be returned
                start = f"In the end none of your variables holds the {stage}. Beside the right {stage}: "
                return f"{start}{words[0].lower()}{words[1:]}"
    return None


def first_cell(wrong: WrongOutput) -> tuple[str, str]:
    """How many cells differ, and the first of them with both numbers."""
    marks = wrong.marks()
    off, cells = sum(int(m.sum()) for m in marks), sum(m.numel() for m in marks)
    cell = marks[0].nonzero()[0].tolist()
    yours, target = (cell_text(tensors[0][tuple(cell)]) for tensors in (wrong.yours, wrong.targets))
    axes = ", ".join(wrong.axis(axis) for axis in range(len(cell)))
    unknown, pair = "in a way that this check does not recognize", f"you have {yours}, the target is {target}."
    if all(m.numel() == 1 for m in marks):
        start = f"Your {wrong.name} {wrong.verb} not the target, {unknown}: {pair}"
    else:
        share = "All cells" if off == cells else f"{off} of {cells} cells"
        share = f"In all calls together, {share}" if len(marks) > 1 and off < cells else share
        start = f"{share} of your {wrong.name} differ from the target, {unknown}."
        start += f" The first one is at {cell} ({axes}): {pair}"
    return "cell", f"{start}{attribution(wrong, tuple(cell))}{_next(wrong)}"


def _next(wrong: WrongOutput) -> str:
    """What to do where nothing is known."""
    if wrong.trial.exercise.stages is None:
        if any(callable(value) for value in wrong.cases[0].arguments.values()):
            return ""
        return " Work this one number out on paper, and print what each of your lines makes of it."
    passed = "; ".join(f"{number}. the {name}" for number, name in enumerate(wrong.stages, 1))
    return (
        f" On its way our solution computes: {passed}. Where yours has one of them as a whole, give it a variable of "
        "its own: the next check says which are right."
    )


MOST_ROWS = 4
MOST_LINES = 8
ROUNDING = 1e-6  # which part of the largest gradient is no more than rounding
Used = dict[str, Tensor]  # argument → True wherever a number of it takes part


def attribution(wrong: WrongOutput, cell: tuple[int, ...]) -> str:
    """A sentence (with a space in front) that says what the cell hangs on; empty where gradients cannot tell."""
    target = _used(wrong, wrong.right, cell)
    if not target:
        return ""
    yours = _used(wrong, wrong.trial.call_again, cell)
    words = _words(target)
    if not words:  # such as −∞, which hangs on nothing
        return ""
    if yours is None:
        return f" The target's number is made of {words}."
    if not any(bool(mask.any()) for mask in yours.values()):
        return f" The target's number is made of {words}; yours there stays the same when these change a little."
    missing = {name: target[name] & ~yours[name] for name in target}
    too_much = {name: yours[name] & ~target[name] for name in target}
    lacks, adds = (any(bool(mask.any()) for mask in used.values()) for used in (missing, too_much))
    if lacks and adds:
        return f" The target's number is made of {words}, yours of {_words(yours)}."
    if lacks:
        return f" The target's number is made of {words}; yours does not use {_words(missing)}."
    if adds:
        return f" The target's number is made of {words}; yours also uses {_words(too_much)}."
    return f" Both are made of {words}, so the difference is in what is done with them."


def _used(wrong: WrongOutput, function: Callable[..., Any], cell: tuple[int, ...]) -> Used | None:
    arguments = {name: fresh(value) for name, value in wrong.cases[0].arguments.items()}
    watched = {n: v for n, v in arguments.items() if isinstance(v, Tensor) and v.is_floating_point()}
    for tensor in watched.values():
        tensor.requires_grad_(True)
    result = try_with_gradients(function, arguments, SECONDS)
    if result is None or len(result) <= wrong.index or not watched:
        return None
    try:
        value = result[wrong.index][cell]
        gradients = torch.autograd.grad(value, list(watched.values()), allow_unused=True)
    except (RuntimeError, IndexError):
        return None
    largest = (float(gradient.abs().max()) for gradient in gradients if gradient is not None and gradient.numel())
    least = ROUNDING * max(largest, default=0.0)
    return {
        name: torch.zeros(tensor.shape, dtype=torch.bool)
        if gradient is None or not bool((gradient.abs() > least).any())
        else gradient != 0
        for (name, tensor), gradient in zip(watched.items(), gradients, strict=True)
    }


def _words(used: Used) -> str:
    return in_a_row([_piece(name, mask) for name, mask in used.items() if bool(mask.any())])


def _piece(name: str, mask: Tensor) -> str:
    """`query[0]`, all of `key`, `key[2, 1:3]`: what is used; row by row where it has no simple form."""
    if bool(mask.all()):
        return f"all of `{name}`"
    indices, exact = _indices(mask)
    if not exact and mask.dim() > 1:
        rows = {i: _indices(row) for i, row in enumerate(mask) if bool(row.any())}
        if len(rows) <= MOST_ROWS and all(simple for _, simple in rows.values()):
            return " and ".join(_subscript(name, [str(i), *inner]) for i, (inner, _) in rows.items())
    return _subscript(name, indices) if exact else f"a part of {_subscript(name, indices)}"


def _indices(mask: Tensor) -> tuple[list[str], bool]:
    """The smallest box that holds everything used, and whether all of it is used."""
    indices, cells, listed = [], 1, True
    for axis, length in enumerate(mask.shape):
        lines = mask.movedim(axis, 0).reshape(length, -1).any(1).nonzero().flatten().tolist()
        cells *= len(lines)
        if len(lines) == length:
            indices.append(":")
        elif len(lines) == 1:
            indices.append(str(lines[0]))
        elif len(lines) == lines[-1] - lines[0] + 1:
            indices.append(f"{lines[0]}:{lines[-1] + 1}")
        elif len(lines) <= MOST_LINES:
            indices.append(str(lines))
        else:
            indices.append(f"{lines[0]}:{lines[-1] + 1}")
            listed = False
    return indices, listed and cells == int(mask.sum())


def _subscript(name: str, indices: list[str]) -> str:
    kept = len(indices)
    while kept and indices[kept - 1] == ":":
        kept -= 1
    return f"`{name}[{', '.join(indices[:kept])}]`" if kept else f"`{name}`"
