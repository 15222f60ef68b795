"""The last resort for a wrong answer: how far along the way it is right, or the first cell that differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from anatomy_course.judge.attempt.comparison import cell_text
from anatomy_course.judge.attempt.history import history
from anatomy_course.judge.attempt.run import variables
from anatomy_course.judge.attempt.tensors import close, fresh_arguments, plain
from anatomy_course.judge.definition import Case, Output
from anatomy_course.judge.diagnosis.functions import function_of_target
from anatomy_course.judge.diagnosis.gradient_attribution import attribution
from anatomy_course.judge.diagnosis.mistakes import BY_PLACE, LOOKS, telling
from anatomy_course.judge.diagnosis.shapes import axes_swapped
from anatomy_course.judge.diagnosis.values import opposite
from anatomy_course.judge.diagnosis.wrong_answer import SECONDS, Diagnosis, WrongOutput, is_plural

LOOKS_FIRST = (opposite, *(look for look in LOOKS if look is not axes_swapped))
"""What a right solution seldom passes on its way, as it passes the same numbers in another order."""
Tensors = Sequence[Mapping[str, Tensor]]
"""Name → tensor, case by case."""


@dataclass(frozen=True)
class Way:
    """How far an answer comes along the stages.

    Args:
        held: the function's own variables, case by case.
        stages: what a right solution passes, in its order, case by case.
        right: stage → the variable that holds it on every case: "`scores`", or "`scores` in line 4" if not to the end.
    """

    held: Tensors
    stages: Tensors
    right: Mapping[str, str]

    @property
    def last(self) -> int:
        """The place of the last stage that is held; −1 when none is."""
        return max((place for place, stage in enumerate(self.stages[0]) if stage in self.right), default=-1)

    @property
    def before(self) -> list[str]:
        """The stages before the last one held that no variable holds."""
        return [stage for stage in list(self.stages[0])[: max(self.last, 0)] if stage not in self.right]

    @property
    def after(self) -> list[str]:
        """The stages behind the last one held."""
        return list(self.stages[0])[self.last + 1 :]

    @property
    def others(self) -> list[str]:
        """The variables that hold no stage."""
        everywhere = [name for name in self.held[0] if all(name in variables for variables in self.held)]
        return [name for name in everywhere if f"`{name}`" not in self.right.values()]

    def in_words(self) -> str:
        """`"You are right up to the scores: your variable `s` holds them."` What holds a stage is right, and so is all
        that it is made of; "up to" is said only where every earlier stage is held as well.
        """
        if not self.right:
            return ""
        stage = list(self.stages[0])[self.last]
        many = is_plural(stage)
        start = f"The {stage} {'are' if many else 'is'} right" if self.before else f"You are right up to the {stage}"
        return f"{start}: your variable {self.right[stage]} holds {'them' if many else 'it'}. "


def _way(wrong: WrongOutput) -> Way | None:
    if wrong.trial.exercise.stages is None:
        return None
    driven = wrong.trial.again if wrong.trial.exercise.observe else None
    held = [variables(wrong.trial.call_again, case, SECONDS, of=driven) for case in wrong.cases]
    stages = _stages(wrong)
    in_the_end = [{f"`{name}`": tensor for name, tensor in variables.items()} for variables in held]
    right = {stage: name for stage in stages[0] if (name := _holder(stage, in_the_end, stages))}
    if len(right) < len(stages[0]):  # one may have been overwritten
        passed = [_passed(wrong, case, driven) for case in wrong.cases]
        right |= {s: name for s in stages[0] if s not in right and (name := _holder(s, passed, stages))}
    return Way(held, stages, right)


def _passed(wrong: WrongOutput, case: Case, driven: Any) -> dict[str, Tensor]:
    """What each variable was given, by its name and the line."""
    given = history(wrong.trial.call_again, case, SECONDS, of=driven)
    return {f"`{each.name}` in line {each.line}": each.tensor for each in given}


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
        if (name := stage.replace(" ", "_")) in way.others and _fits(stage, way.held, way.stages):
            return "stage", f"{way.in_words()}If your `{name}` is to hold the {stage}, it does not do so yet."
    following = f"In the end none of your variables holds the next stage ({way.after[0]}). " if way.after else ""
    return "stage", f"{way.in_words()}{following}The fault lies after that, or in something that joins it there."


def _fits(stage: str, held: Tensors, stages: Tensors) -> bool:
    """Whether the variable of a stage's name has its shape on every case."""
    name = stage.replace(" ", "_")
    return all(variables[name].shape == tensors[stage].shape for variables, tensors in zip(held, stages, strict=True))


def _stages(wrong: WrongOutput) -> list[dict[str, Tensor]]:
    """The stages that a solution passes on every case."""
    compute = wrong.trial.exercise.stages
    assert compute is not None
    passed = [compute(*fresh_arguments(case.arguments).values()) for case in wrong.cases]
    names = [name for name in passed[0] if all(name in stages for stages in passed)]
    return [{name: plain(stages[name]) for name in names} for stages in passed]


def _holder(stage: str, held: Tensors, stages: Tensors) -> str | None:
    """The variable that holds a stage on every case."""
    names = [name for name in held[0] if all(name in variables for variables in held)]
    if not any(tensors[stage].numel() for tensors in stages):
        return None
    return next(
        (
            name
            for name in reversed(names)
            if all(close(variables[name], tensors[stage]) for variables, tensors in zip(held, stages, strict=True))
        ),
        None,
    )


def _first_changed(wrong: WrongOutput, way: Way, looks: Sequence[Diagnosis]) -> str | None:
    """Of the stages that no variable holds, those to come first: what a variable makes of one."""
    said = (_changed(wrong, way, stage, looks) for stage in [*way.after, *way.before])
    return next((words for words in said if words), None)


def _changed(wrong: WrongOutput, way: Way, stage: str, looks: Sequence[Diagnosis]) -> str | None:
    targets = [tensors[stage] for tensors in way.stages]
    for name in way.others:
        yours = [variables[name] for variables in way.held]
        shaped = all(y.shape == t.shape for y, t in zip(yours, targets, strict=True))
        if not shaped or not telling(yours, targets):
            continue
        beside = wrong.beside(targets, yours, Output(f"variable `{name}`", BY_PLACE))
        for look in looks:
            if said := look(beside):
                return (
                    f"In the end none of your variables holds the {stage}. With the {stage} as the target: "
                    f"{said[1][0].lower()}{said[1][1:]}"
                )
    return None


def first_cell(wrong: WrongOutput) -> tuple[str, str]:
    """How many cells differ, and the first of them with both numbers."""
    marks = wrong.marks()
    off, all_cells = sum(int(m.sum()) for m in marks), sum(m.numel() for m in marks)
    cell = marks[0].nonzero()[0].tolist()
    yours, target = (cell_text(tensors[0][tuple(cell)]) for tensors in (wrong.yours, wrong.targets))
    where = ", ".join(f"{wrong.axis(axis)} {index}" for axis, index in enumerate(cell))
    single = all(m.numel() == 1 for m in marks)
    pair = f"have {yours}, the target is {target}."
    if single:
        start = (
            f"Your {wrong.name} {wrong.verb} not the target, in a way that this check does not recognize: you {pair}"
        )
    else:
        share = (
            f"{_share(off, all_cells)} of your {wrong.name} differ from the target, in a way that this check does not "
            "recognize."
        )
        start = f"{share} The first one, at {where}: you {pair}"
    return "cell", f"{start}{attribution(wrong, tuple(cell))}{_next(wrong)}"


def _next(wrong: WrongOutput) -> str:
    """What to do where nothing is known."""
    if wrong.trial.exercise.stages is None:
        if any(callable(value) for value in wrong.cases[0].arguments.values()):
            return ""
        return " The case shown is small: work one cell out on paper and print what each of your lines makes of it."
    names = [f"the {name}" for name in _stages(wrong)[0]]
    passed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return (
        f" Our solution passes through {passed}. Give each of them a variable of its own: "
        "the next check says how far they are right."
    )


def _share(off: int, all_cells: int) -> str:
    return "All cells" if off == all_cells else f"{off} of {all_cells} cells"


STAGES_CHANGED: tuple[Diagnosis, ...] = (changed_stage,)
