"""Diagnoses of weights: rows that should sum to 1, and rows that do but are too sharp or too flat."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from anatomy_course.judge.attempt.tensors import close
from anatomy_course.judge.diagnosis.values import (
    STEADY,
    each_line,
    one_number,
    proportional,
    say,
    size_in_words,
    two_cases,
)
from anatomy_course.judge.diagnosis.wrong_answer import Diagnosis, WrongOutput


def opposite_sums(wrong: WrongOutput) -> tuple[str, str] | None:
    """The target sums to 1 along its last axis, yours along another: a softmax over the wrong axis."""
    if not _all_sum_to_one(wrong.targets, -1) or _all_sum_to_one(wrong.yours, -1):
        return None
    rows = wrong.axis(-1)
    for axis in (-2, -3, -4):
        if min(t.dim() for t in wrong.targets) >= -axis and _all_sum_to_one(wrong.yours, axis):
            return "sum_axis", (
                f"Your {wrong.name} sum to 1 over the {wrong.axis(axis)} axis; "
                f"they should sum to 1 over the {rows} axis."
            )
    if _all_sum_to_one(wrong.yours, 0):
        said = f"Your {wrong.name} sum to 1 over axis 0, the first one; they should sum to 1 over the {rows} axis."
        return "sum_axis", said
    if all(close(y.sum(), torch.tensor(1.0, dtype=torch.float64)) and t.dim() > 1 for y, t in wrong.pairs()):
        return "sum_all", f"All your {wrong.name} together sum to 1; each row by itself should, over the {rows} axis."
    return None


def temperature(wrong: WrongOutput) -> tuple[str, str] | None:
    """Weights that come from the right scores times one number: too sharp or too flat."""
    if not _all_sum_to_one(wrong.targets, -1) or not _all_sum_to_one(wrong.yours, -1):
        return None
    powers = [_power(y, t) for y, t in wrong.pairs()]
    known = [power for power in powers if power is not None]
    if len(known) < len(powers) or not _enough_cells(wrong):
        return None
    number = one_number(known)
    if any(abs(p - 1) < STEADY for p in known):
        return None
    words = f"times {say(number)}" if number is not None else size_in_words(known, wrong.cases)
    words = words or f"times one number, but another one in each case ({two_cases(known, wrong.cases)})"
    if all(p > 1 for p in known):
        look = "too sharp"
    elif all(0 < p < 1 for p in known):
        look = "too flat"
    else:
        look = "not those of the target"
    return "temperature", (
        f"Each row of your {wrong.name} sums to 1, but the weights are {look}: they come from the right scores {words}."
    )


def proportions_right(wrong: WrongOutput) -> tuple[str, str] | None:
    """Rows in the right proportions, which do not sum to 1."""
    if not _all_sum_to_one(wrong.targets, -1) or not each_line(wrong, -1, proportional):
        return None
    return "row_factor", (
        f"Within each row the proportions of your {wrong.name} are right, but the rows do not sum to 1: "
        f"they sum to {_sums(wrong)}."
    )


def wrong_sums(wrong: WrongOutput) -> tuple[str, str] | None:
    """Weights below 0, or rows of which none sums to 1."""
    if not _all_sum_to_one(wrong.targets, -1):
        return None
    if all(bool((y < -1e-6).any()) for y, _ in wrong.pairs()):
        return "negative_weights", f"Some of your {wrong.name} are below 0; a weight is never negative."
    if all(bool(((y.sum(-1) - 1).abs() > 1e-3).all()) for y, _ in wrong.pairs()):
        return "sums", f"The rows of your {wrong.name} should each sum to 1; they sum to {_sums(wrong)}."
    return None


def _sums(wrong: WrongOutput) -> str:
    sums = torch.cat([y.sum(-1).flatten() for y, _ in wrong.pairs()])
    low, high = float(sums.min()), float(sums.max())
    return say(low) if abs(high - low) < STEADY else f"numbers from {say(low)} to {say(high)}"


def _enough_cells(wrong: WrongOutput) -> bool:
    """Two weights in one row always fit some power; in one case there must be more of them than that."""
    return any(int(((t > 1e-30).sum(-1) - 1).clamp_min(0).sum()) > 1 for _, t in wrong.pairs())


def _power(yours: Tensor, target: Tensor) -> float | None:
    """p with yours ∝ target ** p in every row."""
    inside = (target > 1e-30) & (yours > 1e-30)
    if bool((torch.maximum(yours, target)[~inside] > 1e-8).any()):
        return None
    log_yours, log_target = (torch.where(inside, x.clamp_min(1e-30).log(), 0.0) for x in (yours, target))
    count = inside.sum(-1, keepdim=True).clamp_min(1)
    log_yours, log_target = (
        torch.where(inside, x - x.sum(-1, keepdim=True) / count, 0.0) for x in (log_yours, log_target)
    )
    length = float(log_target.square().sum())
    if length < 1e-9:
        return None
    power = float((log_yours * log_target).sum()) / length
    return power if torch.allclose(log_yours, power * log_target, 2e-3, 2e-3) else None


def _all_sum_to_one(tensors: Sequence[Tensor], axis: int) -> bool:
    for tensor in tensors:
        if not tensor.is_floating_point() or tensor.dim() < max(1, -axis) or tensor.numel() == 0:
            return False
        sums = tensor.to(torch.float64).sum(axis)
        if not bool((((sums - 1).abs() < 1e-4) | (sums.abs() < 1e-9)).all()) or bool((sums.abs() < 1e-9).all()):
            return False
        if bool((tensor < -1e-6).any()):
            return False
    return True


FIRST: tuple[Diagnosis, ...] = (opposite_sums, temperature)
REST: tuple[Diagnosis, ...] = (proportions_right,)
LAST: tuple[Diagnosis, ...] = (wrong_sums,)
