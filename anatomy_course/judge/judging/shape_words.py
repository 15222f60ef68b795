"""A crash over shapes and indices, told from the values that met on the line: torch's own message often names an axis
that only torch sees."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from anatomy_course.judge.judging.evaluation import Unknown, is_torch, known
from anatomy_course.judge.judging.place import Place

Look = Callable[[Place, re.Match[str]], str | None]
"""Called with where it crashed and what a pattern found in the message; None where this look does not apply."""
REDUCTIONS = {
    "sum": "the sum",
    "mean": "the average",
    "amax": "the largest",
    "max": "the largest",
    "norm": "the length",
}


def _beyond_the_end(place: Place, match: re.Match[str]) -> str | None:
    """An index of a subscript is not among the places of its axis, or of a list."""
    if not isinstance(node := place.node, ast.Subscript):
        return None
    base, index, called = known(node.value, place.names), known(node.slice, place.names), place.shown(node.value)
    if isinstance(base, list | tuple | range) and isinstance(index, int):
        what = f"has {len(base)}" if base else "is empty"
        return f"Index {index} is beyond the end: `{called}` {what}{_first_to_last(len(base))}."
    if not isinstance(base, Tensor) or index is Unknown:
        return None
    for axis, part in _axes_of(index, base.dim()):
        if axis < base.dim() and (outside := _outside(part, base.shape[axis])) is not None:
            length, shape = base.shape[axis], tuple(base.shape)
            beyond = "lies before the start" if outside < 0 else "is beyond the end"
            holds = f"which holds {length}{_first_to_last(length)}" if length else "which is empty"
            said = f"Index {outside} {beyond} of axis {axis}, {holds}: `{called}` has shape {shape}."
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


def _beyond_what_gather_can_reach(place: Place, match: re.Match[str]) -> str | None:
    """An index of gather or scatter is not among the places of the axis that it picks from."""
    node = _method(place, "gather", "scatter", "scatter_")
    if node is None or len(node.args) < 2:
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


def _axes_of(index: Any, rank: int) -> Iterator[tuple[int, Any]]:
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


def _do_not_meet(place: Place, match: re.Match[str]) -> str | None:
    """Two shapes that a cell by cell operation cannot bring together."""
    operands = _operands(place)
    if operands is None:
        return None
    (left, one), (right, other) = operands
    if _is_product(place.node):
        return _stacks_do_not_meet(place, *operands)
    place_from_end = next(
        (i for i, (a, b) in enumerate(zip(one.shape[::-1], other.shape[::-1], strict=False), 1) if _clash(a, b)), None
    )
    if place_from_end is None:
        return None
    have = one.shape[-place_from_end], other.shape[-place_from_end]
    if sorted(have) != sorted((int(match[1]), int(match[2]))):
        return None
    lost = _missing_axis(place, right, other, left, one) or _missing_axis(place, left, one, right, other)
    return (
        f"Two shapes do not fit each other: one has {have[0]} and the other {have[1]} where they should be equal. "
        f"{_is(place, left, one)} and {_is(place, right, other)}; compared from the end, they "
        f"differ in {_from_end(place_from_end)}.{lost}"
    )


def _laid_out(place: Place, match: re.Match[str]) -> str | None:
    """Sizes for `reshape` or `view` of which one is not the length of the axis that it stands for."""
    if (node := _method(place, "reshape", "view")) is None:
        return None
    held, sizes = known(node.func.value, place.names), [known(part, place.names) for part in node.args]
    if not isinstance(held, Tensor) or not all(type(size) is int for size in sizes):
        return None
    off = [axis for axis, (size, length) in enumerate(zip(sizes[:-2], held.shape, strict=False)) if size != length]
    if len(off) != 1 or off[0] + 1 >= held.dim():
        return None
    axis = off[0]
    if -1 not in sizes and held.numel() * sizes[axis] != math.prod(sizes) * held.shape[axis]:
        return None
    return (
        f"{held.numel()} numbers cannot be laid out as ({', '.join(map(str, sizes))}): "
        f"{_is(place, node.func.value, held)}, so its axis {axis} has {held.shape[axis]}, and "
        f"`{place.shown(node.args[axis])}` is {sizes[axis]}."
    )


def _method(place: Place, *names: str) -> Any:
    """The failed call, if it is one of these methods."""
    is_one = isinstance(place.node, ast.Call) and isinstance(place.node.func, ast.Attribute)
    return place.node if is_one and place.node.func.attr in names else None  # type: ignore[union-attr]


def _is_product(node: ast.AST | None) -> bool:
    by_name = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "matmul"
    return by_name or (isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.MatMult))


def _stacks_do_not_meet(place: Place, one: tuple[ast.AST, Tensor], other: tuple[ast.AST, Tensor]) -> str:
    """Of a matrix product: the axes before the last two are those of stacks of matrices."""
    stacks = " and ".join(str(tuple(held.shape[:-2])) for _, held in (one, other))
    return (
        f"{_is(place, *one)} and {_is(place, *other)}: a matrix product of stacks needs equal axes before the last "
        f"two, and here these are {stacks}."
    )


def _clash(one: int, other: int) -> bool:
    return one != other and 1 not in (one, other)


def _from_end(place: int) -> str:
    return {1: "their last axes", 2: "their second-to-last axes"}.get(place, f"the axes at place {place} from the end")


def _is(place: Place, node: ast.AST, held: Tensor) -> str:
    return f"`{place.shown(node)}` is {tuple(held.shape)}"


def _operands(place: Place) -> tuple[tuple[ast.AST, Tensor], tuple[ast.AST, Tensor]] | None:
    """The two tensors that met in the failed expression, with what the learner calls them."""
    if (node := place.node) is None:
        return None
    pair: tuple[ast.AST, ...] = ()
    if isinstance(node, ast.BinOp):
        pair = node.left, node.right
    elif isinstance(node, ast.Compare) and len(node.comparators) == 1:
        pair = node.left, node.comparators[0]
    elif isinstance(node, ast.AugAssign):
        pair = node.target, node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        on = known(node.func.value, place.names)
        if not isinstance(on, Tensor) and not is_torch(node.func.value, place.names):
            return None
        given = ([node.func.value] if isinstance(on, Tensor) else []) + list(node.args)
        pair = tuple(part for part in given if isinstance(known(part, place.names), Tensor))
    elif isinstance(place.statement, ast.AugAssign):
        pair = place.statement.target, place.statement.value
    values = [known(part, place.names) for part in pair]
    if isinstance(node, ast.Call) and place.shown(node.func).endswith("linear"):
        values = values[:2]
    if len(values) != 2 or not all(isinstance(held, Tensor) for held in values):
        return None
    return (pair[0], values[0]), (pair[1], values[1])


def _missing_axis(place: Place, node: ast.AST, held: Tensor, partner: ast.AST, other: Tensor) -> str:
    """A sentence about an axis that one of the two lacks: with it the two would fit."""
    if held.dim() + 1 != other.dim():
        return ""
    made, where = _made_by(place, node)
    for axis, how in _axes_lost(place, made, other.dim()):
        kept = held.unsqueeze(axis)
        if not any(_clash(a, b) for a, b in zip(kept.shape[::-1], other.shape[::-1], strict=False)):
            return f" `{place.shown(node)}` has lost the axis {how}{where}."
    for axis in range(1, held.dim()):  # one in the middle, so that the first axes meet
        kept = held.unsqueeze(axis)
        if 1 < held.shape[0] == other.shape[0] and not any(map(_clash, kept.shape, other.shape)):
            return (
                f" `{place.shown(node)}` has no axis to go with axis {axis} of `{place.shown(partner)}`, so its axis "
                f"{axis - 1} stands there{where}."
            )
    if held.shape == other.shape[:-1]:
        return (
            f" `{place.shown(node)}` has the first axes of `{place.shown(partner)}`, but none to go with its last, "
            f"{other.shape[-1]}."
        )
    return ""


def _axes_lost(place: Place, made: ast.AST, rank: int) -> Iterator[tuple[int, str]]:
    """Each axis that the expression has done away with, and how."""
    if isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) and made.func.attr in REDUCTIONS:
        if any(keyword.arg == "keepdim" for keyword in made.keywords):
            return
        arguments = [*made.args, *(k.value for k in made.keywords if k.arg in ("dim", "axis"))]
        axes = (known(part, place.names) for part in arguments)
        yield from ((a, f"over which {REDUCTIONS[made.func.attr]} is taken") for a in axes if _is_axis(a, rank))
    elif isinstance(made, ast.Subscript) and (index := known(made.slice, place.names)) is not Unknown:
        picked = ((axis, part) for axis, part in _axes_of(index, rank) if type(part) is int)
        yield from ((axis, f"from which entry {part} is picked") for axis, part in picked if axis < rank)


def _is_axis(value: Any, rank: int) -> bool:
    return type(value) is int and -rank <= value < rank


def _made_by(place: Place, node: ast.AST) -> tuple[ast.AST, str]:
    """The expression, or the one that its name was last given; with the line, when it is another one."""
    if not isinstance(node, ast.Name) or place.function is None:
        return node, ""
    given = [
        part
        for part in ast.walk(place.function)
        if isinstance(part, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == node.id for target in part.targets)
    ]
    if len(given) != 1 or given[0] is place.statement:
        return node, ""
    return given[0].value, f" (line {given[0].lineno + place.shift})"


def _product(place: Place, match: re.Match[str]) -> str | None:
    """Two shapes that a matrix product cannot bring together."""
    node, operands = place.node, _operands(place)
    if operands is None or (isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult)):
        return None
    (left, one), (right, other) = operands
    if one.dim() < 1 or other.dim() < 1:
        return None
    inner = other.shape[-2] if other.dim() > 1 else other.shape[-1]
    if isinstance(node, ast.Call) and place.shown(node.func).endswith("linear"):
        inner = other.shape[-1]
        rule = "linear takes the weight as (output, input): the last axes of the two must be equally long"
    elif other.dim() == 1:
        rule = "the last axis of the left must be as long as the vector"
    else:
        rule = "the last axis of the left must be as long as the second to last of the right"
    if one.shape[-1] == inner:
        return None
    return (
        f"The two do not fit for a matrix product: {_is(place, left, one)}, {_is(place, right, other)}, and {rule}; "
        f"{one.shape[-1]} meets {inner}."
    )


def _put_in(place: Place, match: re.Match[str]) -> str | None:
    """Something is written into a place of another shape."""
    if not isinstance(place.statement, ast.Assign | ast.AugAssign):
        return None
    target = place.statement.targets[0] if isinstance(place.statement, ast.Assign) else place.statement.target
    if not isinstance(target, ast.Subscript) or place.node not in (target, place.statement):
        return None
    given, room = match["given"], match["room"]
    return f"What is put into `{place.shown(target)}` has shape ({given}), but the room there is ({room})."


LOOKS: tuple[tuple[str, Look], ...] = (
    (r"index out of range|is out of bounds for dimension", _beyond_the_end),
    (r"is out of bounds for dimension", _beyond_what_gather_can_reach),
    (r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)", _do_not_meet),
    (r"is invalid for input of size", _laid_out),
    (r"mat1 and mat2|first two dimensions of batch2|got input \(\d+\), mat|inconsistent tensor", _product),
    (r"Target sizes: \[(?P<room>.*?)\]\.\s+Tensor sizes: \[(?P<given>.*?)\]", _put_in),
    (r"value tensor of shape \[(?P<given>.*?)\] cannot be .+ result of shape \[(?P<room>.*?)\]", _put_in),
)
"""What is looked at where a message has this in it."""
