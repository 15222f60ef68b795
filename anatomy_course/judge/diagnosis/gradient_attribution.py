"""Which numbers of the arguments a cell is made of: the target and yours are asked for their gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from anatomy_course.judge.attempt.run import try_with_gradients
from anatomy_course.judge.attempt.tensors import fresh
from anatomy_course.judge.diagnosis.wrong_answer import SECONDS, WrongOutput

MOST_ROWS = 4
MOST_LINES = 8
ROUNDING = 1e-6
"""Which part of the largest gradient is no more than rounding."""
Used = dict[str, Tensor]
"""Argument → True wherever a number of it takes part."""


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
        return f" The target's is made of {words}."
    if not any(bool(mask.any()) for mask in yours.values()):
        return f" The target's is made of {words}; yours there stays the same when these change a little."
    missing = {name: target[name] & ~yours[name] for name in target}
    too_much = {name: yours[name] & ~target[name] for name in target}
    lacks, adds = (any(bool(mask.any()) for mask in used.values()) for used in (missing, too_much))
    if lacks and adds:
        return f" The target's is made of {words}, yours of {_words(yours)}."
    if lacks:
        return f" The target's is made of {words}; yours does not use {_words(missing)}."
    if adds:
        return f" The target's is made of {words}; yours also uses {_words(too_much)}."
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
    pieces = [_piece(name, mask) for name, mask in used.items() if bool(mask.any())]
    return " and ".join([", ".join(pieces[:-1]), pieces[-1]] if len(pieces) > 1 else pieces)


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
