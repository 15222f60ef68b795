"""The last resort for a wrong answer: how far along the way it is right, or the first cell that differs."""

from __future__ import annotations

from torch import Tensor

from anatomy_utils.exercises.attempt.comparison import cell_text
from anatomy_utils.exercises.attempt.run import variables
from anatomy_utils.exercises.attempt.tensors import close, fresh_arguments, plain
from anatomy_utils.exercises.diagnosis.gradient_attribution import attribution
from anatomy_utils.exercises.diagnosis.wrong_answer import SECONDS, Diagnosis, Wrong


def last_good_stage(wrong: Wrong) -> tuple[str, str] | None:
    """Look into the function's own variables: which of them hold a tensor that a right solution passes?

    A variable counts only when it holds the stage on every case.
    """
    if wrong.trial.exercise.stages is None:
        return None
    held = [variables(wrong.trial.function, case, SECONDS) for case in wrong.cases]
    passed = [wrong.trial.exercise.stages(*fresh_arguments(case.arguments).values()) for case in wrong.cases]
    names = [name for name in held[0] if all(name in variables for variables in held)]
    right: dict[str, str] = {}
    misnamed: str | None = None
    for stage in passed[0]:
        for name in names:
            if all(_holds(variables[name], stages[stage]) for variables, stages in zip(held, passed, strict=True)):
                right[stage] = name
        same_name = stage.replace(" ", "_")
        if stage not in right and same_name in names and misnamed is None:
            misnamed = same_name
    if not right:
        return (
            (
                "stage",
                f"Look at your variable `{misnamed}` first: it does not hold the {misnamed.replace('_', ' ')} "
                "of the target.",
            )
            if misnamed
            else None
        )
    stage, name = list(right.items())[-1]
    after = (
        f" Your `{misnamed}`, though, is not the target's."
        if misnamed and misnamed != name
        else (" What you do after that is where the two part.")
    )
    return "stage", f"Up to the {stage} you are right: your variable `{name}` holds them.{after}"


def _holds(variable: Tensor, stage: Tensor) -> bool:
    return close(variable, plain(stage))


def first_cell(wrong: Wrong) -> tuple[str, str]:
    """How many cells differ, and the first of them with both numbers."""
    marks = wrong.marks()
    off, all_cells = sum(int(m.sum()) for m in marks), sum(m.numel() for m in marks)
    cell = marks[0].nonzero()[0].tolist()
    yours, target = (cell_text(tensors[0][tuple(cell)]) for tensors in (wrong.yours, wrong.targets))
    where = ", ".join(f"{wrong.axis(axis)} {index}" for axis, index in enumerate(cell))
    return "cell", (
        f"{_share(off, all_cells)} of your {wrong.name} differ from the target. "
        f"{f'The first one, at {where}: you' if cell else 'You'} have {yours}, the target is {target}."
        + attribution(wrong, tuple(cell))
    )


def _share(off: int, all_cells: int) -> str:
    return "All cells" if off == all_cells else f"{off} of {all_cells} cells"


ALL: tuple[Diagnosis, ...] = (last_good_stage, first_cell)
