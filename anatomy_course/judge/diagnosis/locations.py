"""Diagnoses of location: an answer of the right shape that is in another order, or wrong only in some places."""

from __future__ import annotations

import torch
from torch import Tensor

from anatomy_course.judge.attempt.tensors import close
from anatomy_course.judge.diagnosis.values import is_bool, one_of
from anatomy_course.judge.diagnosis.wrong_answer import Diagnosis, WrongOutput


def another_order(wrong: WrongOutput) -> tuple[str, str] | None:
    """The same rows, columns, heads or sentences, at other places."""
    for axis in wrong.axes:
        if all(_is_reordering(y, t, axis) for y, t in wrong.pairs()):
            name = wrong.axis(axis)
            return "order", f"In your {wrong.name} everything is there, but in another order along the {name} axis."
    return None


def _is_reordering(yours: Tensor, target: Tensor, axis: int) -> bool:
    mine, theirs = _lines(yours, axis), _lines(target, axis)
    if len(mine) < 2 or mine.shape[1] < 2:
        return False
    left = list(range(len(theirs)))
    for row in mine:
        match = next((i for i in left if close(row, theirs[i])), None)
        if match is None:
            return False
        left.remove(match)
    return True


def _lines(tensor: Tensor, axis: int) -> Tensor:
    """One row per entry of the axis, everything else behind each other."""
    return tensor.movedim(axis, 0).reshape(tensor.shape[axis], -1)


def heads_scrambled(wrong: WrongOutput) -> tuple[str, str] | None:
    """The same numbers in the same order, but cut differently: a view where a transpose was needed."""
    for yours, target in wrong.pairs():
        if target.dim() < 2 or min(target.shape[-2:]) < 2:
            return None
        if not close(yours, target.transpose(-2, -1).reshape(target.shape)):
            return None
    return "layout", (
        f"In your {wrong.name} the target's numbers are all there, but read along the other axis; "
        "a view or reshape is used where two axes should be swapped."
    )


def same_for_all(wrong: WrongOutput) -> tuple[str, str] | None:
    """Every entry along one axis equals the first, which is the target's first."""
    for axis in wrong.axes:
        holds = all(
            t.shape[axis] > 1
            and y.select(axis, 0).numel() > 1
            and close(y, y.narrow(axis, 0, 1).expand(y.shape))
            and not close(t, t.narrow(axis, 0, 1).expand(t.shape))
            for y, t in wrong.pairs()
        )
        if holds:
            name = wrong.axis(axis)
            right = all(close(y.select(axis, 0), t.select(axis, 0)) for y, t in wrong.pairs())
            more = f"; the first is right, and it is repeated for every {one_of(name)}" if right else ""
            return "same", f"In your {wrong.name} every entry along the {name} axis is the same{more}."
    return None


def only_some_entries(wrong: WrongOutput) -> tuple[str, str] | None:
    """Right except in the first, the last, or all but the first entry along one axis."""
    marks = wrong.marks()
    for axis in wrong.axes:
        if any(m.shape[axis] < 2 for m in marks):
            continue
        lines = [_lines(m, axis).any(1) for m in marks]
        name = one_of(wrong.axis(axis))
        for words, wanted in (
            (f"right except in the last {name}", lambda n: [False] * (n - 1) + [True]),
            (f"right except in the first {name}", lambda n: [True] + [False] * (n - 1)),
            (f"right in the first {name}, and wrong in the others", lambda n: [False] + [True] * (n - 1)),
        ):
            if all(line.tolist() == wanted(len(line)) for line in lines) and any(len(line) > 2 for line in lines):
                return "entry", f"{wrong.this_is} {words}."
    return None


def parts_of_a_square(wrong: WrongOutput) -> tuple[str, str] | None:
    """Right on one side of the diagonal."""
    marks = wrong.marks()
    if any(m.dim() < 2 or m.shape[-1] != m.shape[-2] for m in marks):
        return None
    query, key = (wrong.axis(axis) for axis in (-2, -1))
    for words, side in (("after", lambda m: m.triu(1)), ("before", lambda m: m.tril(-1))):
        if all(torch.equal(m, side(m)) for m in marks):
            return "side", f"Only cells in which the {key} comes {words} the {query} are wrong; the others are right."
    return None


def zero_in_wrong_places(wrong: WrongOutput) -> tuple[str, str] | None:
    """Weights where the target has none, or none where it has some."""
    if is_bool(wrong) or not all(bool((y.isfinite() & t.isfinite()).all()) for y, t in wrong.pairs()):
        return None
    too_many = [(y.abs() > 1e-6) & (t == 0) for y, t in wrong.pairs()]
    if all(bool(m.any()) for m in too_many):
        count, cells = sum(int(m.sum()) for m in too_many), sum(int((t == 0).sum()) for _, t in wrong.pairs())
        where = "in none of these cells it is" if count == cells else f"in {count} of these {cells} cells it is not"
        return "not_zero", f"Where the target is 0, yours should be 0 too; {where}."
    too_few = [(y == 0) & (t.abs() > 1e-6) for y, t in wrong.pairs()]
    if not all(bool(m.any()) for m in too_few):
        return None
    counted = [t.abs() > 1e-6 for _, t in wrong.pairs()]
    if all(
        m.dim() >= 2 and torch.equal(m, c & torch.ones_like(m).triu(1)) for m, c in zip(too_few, counted, strict=True)
    ):
        after = f"wherever the {wrong.axis(-1)} comes after the {wrong.axis(-2)}"
        return "causal", f"{wrong.this_is} 0 {after}, as under a causal mask; there is none here."
    count, cells = sum(int(m.sum()) for m in too_few), sum(m.numel() for m in too_few)
    said = f"In {count} of {cells} cells your {wrong.name} {wrong.verb} exactly 0, where the target is not."
    return "zero", said


ALL: tuple[Diagnosis, ...] = (
    heads_scrambled,
    another_order,
    same_for_all,
    only_some_entries,
    parts_of_a_square,
    zero_in_wrong_places,
)
