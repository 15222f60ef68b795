"""Diagnoses by the catalogue, where the whole answer equals no mistake: one output does, or the answer does in some
cases, or a mistake's result has been changed once more.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import torch
from torch import Tensor

from anatomy_course.judge.attempt.tensors import close, differing, numbers, parts, plain
from anatomy_course.judge.definition import Mistake, Output
from anatomy_course.judge.diagnosis import shapes, values
from anatomy_course.judge.diagnosis.wrong_answer import Diagnosis, WrongOutput, same_shapes

CELLS = 4  # so many wrong cells of a mask, or of whole numbers, are no accident when they are not all alike
SIMPLEST_FIRST = ("sign", "ones", "transposed", "dtype", "factor", "layout", "size_factor")
KNOWN = "just what a known mistake gives"


LOOKS: tuple[Diagnosis, ...] = (  # the opposite of a wrong mask is often another simple mask, with a cause of its own
    values.one_factor,
    values.one_offset,
    shapes.axes_swapped,
    values.one_relation,
)
LOOKS_AT_SHAPES: tuple[Diagnosis, ...] = (
    shapes.axes_swapped,
    shapes.extra_or_missing_ones,
    shapes.laid_out_differently,
    shapes.repeated,
    shapes.one_axis_gone,
)
BY_PLACE = "fourth-to-last third-to-last second-to-last last"
"""Names for the axes of a tensor that has not the output's rank."""


def equal_to_a_mistake(wrong: WrongOutput) -> tuple[str, str] | None:
    """The output is what one mistake makes of it in all of these cases; of two that make the same, both are told."""
    if not telling(wrong.yours, wrong.targets):
        return None
    found = [
        (round(_agreement(wrong, results), 6), mistake)
        for mistake, results in wrong.trial.answer_key.mistaken
        if (theirs := _outputs(wrong, results)) and all(map(close, wrong.yours, theirs))
    ]
    best = [mistake for agreement, mistake in found if agreement == max(a for a, _ in found)]
    if len(wrong.indices) == 1:  # one case may be equal by chance, to a mistake that would show in others
        mistaken = dict(wrong.trial.answer_key.mistaken)
        best = [mistake for mistake in best if _same_elsewhere(wrong, mistaken[mistake])]
    if not best or len(best) > 2:
        return None
    name = "|".join(mistake.name for mistake in best)
    if len(best) == 2:
        one, other = (about_this(mistake) for mistake in best)
        start = f"{wrong.this_is} what either of two mistakes gives; here they give the same."
        return name, f"{start} “{one}” Or: “{other}”"
    results = next(results for mistake, results in wrong.trial.answer_key.mistaken if mistake is best[0])
    if all(_same_in_all_outputs(wrong, i, results) for i in wrong.indices) and _same_elsewhere(wrong, results):
        return name, best[0].sentence
    return name, f"{wrong.this_is} {KNOWN}: “{about_this(best[0])}”"


def with_a_likeness(wrong: WrongOutput) -> tuple[str, str] | None:
    """A mistake's result times a number, turned round, with an axis more: two slips, and both are told."""
    shaped = wrong.is_shaped
    found: list[tuple[int, Mistake, str, str]] = []
    for mistake, results in wrong.trial.answer_key.mistaken:
        theirs = _outputs(wrong, results)
        if theirs is None or not telling(theirs, wrong.targets) or (shaped and not telling(wrong.yours, theirs)):
            continue
        fits = same_shapes(wrong.yours, theirs)
        if shaped and not fits:
            continue
        same_rank = theirs[0].dim() == wrong.targets[0].dim()
        beside = wrong.beside(theirs, output=None if same_rank else Output(wrong.name, BY_PLACE))
        for look in LOOKS if fits else LOOKS_AT_SHAPES:
            if said := look(beside):
                name, sentence = said
                rank = SIMPLEST_FIRST.index(name) if name in SIMPLEST_FIRST else len(SIMPLEST_FIRST)
                found.append((rank, mistake, name, sentence))
                break
    best = [entry for entry in found if entry[0] == min(rank for rank, *_ in found)]
    if not best or len(best) > 2 or len({entry[2:] for entry in best}) > 1:
        return None
    mistakes = " Or, which gives the same here: ".join(f"“{about_this(entry[1])}”" for entry in best)
    likeness = best[0][3].replace("the target", "the first result")  # "the target" is what the exercise wants
    words = f"1. {mistakes} Call what this alone would give the first result. 2. {likeness}"
    names = "|".join(f"{mistake.name}+{name}" for _, mistake, name, _ in best)
    return names, f"Two slips come together in your {wrong.name}. {words}"


def telling(yours: Sequence[Tensor], targets: Sequence[Tensor]) -> bool:
    """Whether the cells that differ from the target are so many, or so peculiar, that they are no accident.

    A row of zeros, the same share for everyone or one cell of a mask can come from many places.
    """
    peculiar: set[float] = set()
    off, kept, alike = 0, 0, True
    whole: set[float] = set()
    for mine, target in zip(yours, targets, strict=True):
        marks = differing(mine, target) if mine.shape == target.shape else torch.ones_like(mine, dtype=torch.bool)
        cells = numbers(mine)[marks].real
        cells = cells[cells.isfinite()][:50]
        odd = (cells * 12 - (cells * 12).round()).abs() > 1e-3  # no whole number, no half, third or quarter
        peculiar.update(round(float(cell), 5) for cell in cells[odd])
        whole.update(float(cell) for cell in cells[~odd])
        off, kept = off + int(marks.sum()), kept + int((~marks).sum())
        alike = alike and len(mine.flatten().unique()) < 2
    if len(peculiar) >= 2 or (peculiar and all(mine.numel() == 1 for mine in yours)) or len(whole) >= CELLS:
        return True
    in_places = kept >= CELLS or all(not target.is_floating_point() for target in targets)
    return not alike and off >= CELLS and (in_places or bool(peculiar))


def _outputs(wrong: WrongOutput, results: Sequence[object]) -> list[Tensor] | None:
    """A mistake's version of this output in these cases; None where it gives something of another kind."""
    theirs = []
    for i in wrong.indices:
        result = parts(results[i])
        if result is None or len(result) != len(wrong.trial.exercise.returns):
            return None
        theirs.append(plain(result[wrong.index]))
    return theirs


def _agreement(wrong: WrongOutput, results: Sequence[object]) -> float:
    """How far the answer and the mistake agree: 1 for each equal output of a case, else the share of equal cells."""
    return sum(
        _equal_cells(pair.yours, plain(result[pair.output]))
        for pair in wrong.trial.pairs
        if (result := parts(results[pair.case])) and len(result) > pair.output
    )


def _equal_cells(yours: Tensor, theirs: Tensor) -> float:
    if yours.shape != theirs.shape:
        return 0.0
    return 1.0 if close(yours, theirs) else 1.0 - float(differing(yours, theirs).double().mean())


def _same_in_all_outputs(wrong: WrongOutput, case: int, results: Sequence[object]) -> bool:
    """Whether all outputs of a case are the mistake's, so that its sentence can be said of the whole answer."""
    result = parts(results[case]) or ()
    return all(
        close(pair.yours, plain(result[pair.output]))
        for pair in wrong.trial.pairs
        if pair.case == case and len(result) > pair.output
    )


def _same_elsewhere(wrong: WrongOutput, results: Sequence[object]) -> bool:
    """Whether the mistake leaves this output right in every case in which it is; else it is the answer's only here."""
    others = [pair for pair in wrong.trial.pairs if pair.output == wrong.index and pair.case not in wrong.indices]
    right = [pair for pair in others if pair.case not in wrong.trial.wrong[wrong.index]]
    return all(
        (result := parts(results[pair.case])) and close(pair.yours, plain(result[pair.output])) for pair in right
    )


def about_this(mistake: Mistake) -> str:
    """The sentence without a first part that says what else is right, for here it may not be."""
    rest = re.sub(r"^(Your|The) [^.,;:]* (is|are) right(, but|[.;]) ?", "", mistake.sentence)
    return rest if "_" in rest.split()[0] else rest[:1].upper() + rest[1:]
