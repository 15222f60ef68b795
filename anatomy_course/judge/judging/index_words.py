"""A crash over an index: which place is asked for, of which axis, and what it counts through."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from anatomy_course.judge.judging.evaluation import Unknown, known
from anatomy_course.judge.judging.place import Place


def beyond_the_end(place: Place, message: str) -> str | None:
    """An index of a subscript is not among the places of its axis."""
    node = place.nodes[0] if place.nodes else None
    if not isinstance(node, ast.Subscript):
        return None
    base, index = known(node.value, place.names), known(node.slice, place.names)
    if "index out of range" in message and isinstance(base, list | tuple | range) and isinstance(index, int):
        what = f"`{place.shown(node.value)}` has {len(base)}" if base else f"`{place.shown(node.value)}` is empty"
        return f"Index {index} is beyond the end: {what}{_first_to_last(len(base))}."
    if "is out of bounds for dimension" not in message or not isinstance(base, Tensor) or index is Unknown:
        return None
    for axis, part in axes_of(index, base.dim()):
        if axis < base.dim() and (outside := _outside(part, base.shape[axis])) is not None:
            length, shape = base.shape[axis], tuple(base.shape)
            beyond = "lies before the start" if outside < 0 else "is beyond the end"
            holds = f"which holds {length}{_first_to_last(length)}" if length else "which is empty"
            said = f"Index {outside} {beyond} of axis {axis}, {holds}: `{place.shown(node.value)}` has shape {shape}."
            return said + _where_it_counts(place, node.slice, outside)
    return None


def _where_it_counts(place: Place, index: ast.AST, number: int) -> str:
    """The loop over `range(…)` that an index comes from."""
    held = {n.id: place.names.get(n.id) for n in ast.walk(index) if isinstance(n, ast.Name)}
    named = [name for name, value in held.items() if type(value) is int and value == number]
    for loop in ast.walk(place.function) if place.function is not None else ():
        if isinstance(loop, ast.For | ast.comprehension) and isinstance(loop.target, ast.Name):
            counts = isinstance(loop.iter, ast.Call) and place.shown(loop.iter.func) == "range"
            if counts and loop.target.id in named:
                line = loop.iter.lineno + place.shift
                return f" `{loop.target.id}` counts through `{place.shown(loop.iter)}` (line {line})."
    return ""


def beyond_what_gather_can_reach(place: Place, message: str) -> str | None:
    """An index of gather or scatter is not among the places of the axis that it picks from."""
    node = place.nodes[0] if place.nodes else None
    if "is out of bounds for dimension" not in message or not isinstance(node, ast.Call) or len(node.args) < 2:
        return None
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in ("gather", "scatter", "scatter_"):
        return None
    base, axis, index = (known(part, place.names) for part in (node.func.value, *node.args[:2]))
    if not isinstance(base, Tensor) or type(axis) is not int or not isinstance(index, Tensor):
        return None
    length = base.shape[axis]
    outside = [i for i in index.flatten().tolist() if not 0 <= i < length]
    if not outside:
        return None
    return (
        f"Among the indices is {outside[0]}, and {node.func.attr} takes 0 to {length - 1} here: along axis "
        f"{axis % base.dim()} `{place.shown(node.func.value)}` holds {length}."
    )


def _first_to_last(length: int) -> str:
    return f" (0 to {length - 1})" if length else ""


def axes_of(index: Any, rank: int) -> Iterator[tuple[int, Any]]:
    """Each part of an index with the axis that it picks from."""
    parts = list(index) if isinstance(index, tuple) else [index]
    taken = sum(_axes_taken(part) for part in parts)
    axis = 0
    for part in parts:
        if part is Ellipsis:
            axis += rank - taken
            continue
        yield axis, part
        axis += _axes_taken(part)


def _axes_taken(part: Any) -> int:
    if part is None or part is Ellipsis or isinstance(part, bool):
        return 0
    return part.dim() if isinstance(part, Tensor) and part.dtype == torch.bool else 1


def _outside(part: Any, length: int) -> int | None:
    if isinstance(part, list):
        part = torch.tensor(part)
    if isinstance(part, Tensor) and part.dtype != torch.bool and not part.is_floating_point():
        return next((int(i) for i in part.flatten().tolist() if not -length <= i < length), None)
    if isinstance(part, int) and not isinstance(part, bool):
        return None if -length <= part < length else part
    return None


WORDS = (beyond_the_end, beyond_what_gather_can_reach)
