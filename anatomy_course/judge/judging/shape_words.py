"""A crash over shapes, told from the values that met on the line: torch's own message often names an axis
that only torch sees."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from typing import Any

from torch import Tensor

from anatomy_course.judge.judging.evaluation import Unknown, is_torch, known
from anatomy_course.judge.judging.index_words import axes_of
from anatomy_course.judge.judging.place import Place

REDUCTIONS = {
    "sum": "the sum",
    "mean": "the average",
    "amax": "the largest",
    "max": "the largest",
    "norm": "the length",
}


def do_not_meet(place: Place, message: str) -> str | None:
    """Two shapes that a cell by cell operation cannot bring together."""
    match = re.search(r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)", message)
    operands = _operands(place)
    if match is None or operands is None:
        return None
    (left, one), (right, other) = operands
    if _is_product(place.nodes[0]):
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


def laid_out(place: Place, message: str) -> str | None:
    """Sizes for `reshape` or `view` of which one is not the length of the axis that it stands for."""
    node = place.nodes[0] if place.nodes else None
    if "is invalid for input of size" not in message or not isinstance(node, ast.Call):
        return None
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in ("reshape", "view"):
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


def _is_product(node: ast.AST) -> bool:
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
    if not place.nodes:
        return None
    node: ast.AST = place.nodes[0]
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
        picked = ((axis, part) for axis, part in axes_of(index, rank) if type(part) is int)
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


def product(place: Place, message: str) -> str | None:
    """Two shapes that a matrix product cannot bring together."""
    if not re.search(
        r"mat1 and mat2|first two dimensions of batch2|got input \(\d+\), mat|inconsistent tensor", message
    ):
        return None
    operands = _operands(place)
    if operands is None or (isinstance(place.nodes[0], ast.BinOp) and not isinstance(place.nodes[0].op, ast.MatMult)):
        return None
    (left, one), (right, other) = operands
    if one.dim() < 1 or other.dim() < 1:
        return None
    inner = other.shape[-2] if other.dim() > 1 else other.shape[-1]
    if isinstance(place.nodes[0], ast.Call) and place.shown(place.nodes[0].func).endswith("linear"):
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


def put_in(place: Place, message: str) -> str | None:
    """Something is written into a place of another shape."""
    match = re.search(r"Target sizes: \[(.*?)\]\.\s+Tensor sizes: \[(.*?)\]", message)
    swapped = re.search(
        r"value tensor of shape \[(.*?)\] cannot be broadcast to indexing result of shape \[(.*?)\]", message
    )
    if not (match or swapped) or not isinstance(place.statement, ast.Assign | ast.AugAssign):
        return None
    target = place.statement.targets[0] if isinstance(place.statement, ast.Assign) else place.statement.target
    if not isinstance(target, ast.Subscript) or place.nodes[0] not in (target, place.statement):
        return None
    room, given = (match[1], match[2]) if match else (swapped[2], swapped[1]) if swapped else ("", "")
    return f"What is put into `{place.shown(target)}` has shape ({given}), but the room there is ({room})."


WORDS = (do_not_meet, laid_out, product, put_in)
