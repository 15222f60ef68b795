"""Edits of one word: a number, an axis, a name, an operator, a method, a True or False, an index string."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

from anatomy_course.judge.attempt.program import Slot
from anatomy_course.judge.slips.edit import Edit, change, put
from anatomy_course.judge.slips.vocabulary import ALIKE, BY_AXIS, EditVocabulary

Edits = Callable[[Slot, EditVocabulary], Iterator[Edit]]

AXES = (-1, -2, 0, 1, 2, -3, 3)
OPERATORS: tuple[type[ast.operator], ...] = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.MatMult, ast.Pow, ast.FloorDiv)
BITS: tuple[type[ast.operator], ...] = (ast.BitAnd, ast.BitOr, ast.BitXor)
ORDERS: tuple[type[ast.cmpop], ...] = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


def numbers(slot: Slot, words: EditVocabulary) -> Iterator[Edit]:
    """Another axis, index or number."""
    value = number_of(slot.node)
    if value is None or _is_string_part(slot):
        return
    axis = isinstance(value, int) and is_axis(slot)
    others: list[Any] = []
    if isinstance(value, int):
        near = [value - 1, value + 1, -value, 0, 1, 2, -1, -2]
        others = [*AXES] if axis else [*near, *words.numbers]
    else:
        others = [-value, *words.numbers, 0.0, 1.0, float("-inf"), float("inf"), 0.5, 2.0, value / 10, value * 10]
        others += [2 * value, value / 2]
    for other in dict.fromkeys(others):
        if other != value or type(other) is not type(value):
            yield put(slot, "axis" if axis else "number", constant(other), 1.0 if axis else 1.1)


def number_of(node: ast.AST) -> int | float | None:
    """The number that stands there, with its sign."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = number_of(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value  # type: ignore[return-value]
    return None


def constant(value: Any) -> ast.expr:
    """A number as Python writes it."""
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return ast.Call(ast.Name("float", ast.Load()), [ast.Constant("inf" if value > 0 else "-inf")], [])
    if isinstance(value, int | float) and value < 0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def is_axis(slot: Slot) -> bool:
    """Whether a number names an axis: `dim=0`, `softmax(0)`, `x.shape[0]`."""
    parent = slot.parent
    if isinstance(parent, ast.keyword):
        return parent.arg in ("dim", "axis", "dim0", "dim1", "dims", "start_dim", "end_dim", "normalized_shape")
    if isinstance(parent, ast.Call) and slot.field == "args":
        return function_name(parent) in BY_AXIS
    if isinstance(parent, ast.Subscript) and slot.field == "slice":
        return isinstance(parent.value, ast.Attribute) and parent.value.attr == "shape"
    return False


def function_name(call: ast.Call) -> str:
    """The last part of what is called: `"softmax"`."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _is_string_part(slot: Slot) -> bool:
    return isinstance(slot.parent, ast.UnaryOp) and isinstance(slot.parent.op, ast.USub)


def names(slot: Slot, words: EditVocabulary) -> Iterator[Edit]:
    """Another name in scope."""
    if not isinstance(slot.node, ast.Name) or not isinstance(slot.node.ctx, ast.Load):
        return
    if isinstance(slot.parent, ast.Call) and slot.field == "func":
        others = [name for name in words.functions if name != slot.node.id]
    elif slot.node.id in words.modules:
        return
    else:
        others = words.variables(slot.scope)
        if _is_written_into(slot):
            others = [name for name in others if name not in words.arguments]
    for other in others:
        if other != slot.node.id:
            yield put(slot, "name", ast.Name(other, ast.Load()), 1.2)


def _is_written_into(slot: Slot) -> bool:
    """Whether it is the `x` of `x[i] = …`."""
    return isinstance(slot.parent, ast.Subscript) and slot.field == "value" and isinstance(slot.parent.ctx, ast.Store)


def operators(slot: Slot, words: EditVocabulary) -> Iterator[Edit]:
    """Another operator, or its two sides exchanged."""
    node = slot.node
    if isinstance(node, ast.AugAssign):
        for other in OPERATORS[:4]:
            if not isinstance(node.op, other):
                yield change(slot, "operator", "op", other(), 1.1)
        yield put(slot, "augmented", ast.Assign([node.target], node.value), 1.5)
    if not isinstance(node, ast.BinOp):
        return
    for other in BITS if isinstance(node.op, BITS) else OPERATORS:
        if not isinstance(node.op, other) and not _changes_nothing(other, node.right):
            yield change(slot, "operator", "op", other(), 1.1)
    if not isinstance(node.op, ast.Add | ast.Mult | ast.BitAnd | ast.BitOr):
        swapped = ast.BinOp(node.right, node.op, node.left)
        yield put(slot, "sides", swapped, 1.0)


def _changes_nothing(operator: type[ast.operator], right: ast.expr) -> bool:
    """Whether it is `* 1` or `+ 0`: that leaves a part out, which is told as such."""
    without = 0 if operator in (ast.Add, ast.Sub) else 1
    return isinstance(right, ast.Constant) and right.value == without and not isinstance(right.value, bool)


def comparisons(slot: Slot, words: EditVocabulary) -> Iterator[Edit]:
    """Another comparison, or the opposite of a condition."""
    node = slot.node
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        now = type(node.ops[0])
        others = ORDERS if now in ORDERS else (OPPOSITES[now],)
        for other in others:
            if other is not now:
                yield change(slot, "comparison", "ops", [other()], 1.0)
    if isinstance(node, ast.BoolOp):
        yield change(slot, "operator", "op", ast.And() if isinstance(node.op, ast.Or) else ast.Or(), 1.1)
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        inner = node.test
        opposite = inner.operand if _is_not(inner) else ast.UnaryOp(ast.Not(), inner)  # type: ignore[attr-defined]
        yield change(slot, "condition", "test", opposite, 1.3, mark=inner)
    if isinstance(node, ast.IfExp):
        yield put(slot, "condition", node.body, 2.4)
        yield put(slot, "condition", node.orelse, 2.4)


def _is_not(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def methods(slot: Slot, words: EditVocabulary) -> Iterator[Edit]:
    """Another method or function of the same family; True in place of False; another word."""
    node = slot.node
    if isinstance(node, ast.Attribute):
        for other in [*ALIKE.get(node.attr, ()), *words.attributes_like(node.attr)]:
            yield change(slot, "method", "attr", other, 1.0)
        if isinstance(slot.parent, ast.Call) and slot.field == "func" and node.attr.endswith("_"):
            yield change(slot, "in_place", "attr", node.attr.rstrip("_"), 1.0)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield put(slot, "switch", ast.Constant(not node.value), 1.0)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not isinstance(slot.parent, ast.Expr):
        for text in _other_texts(node.value, words):
            yield put(slot, "string", ast.Constant(text), 1.1)


def _other_texts(text: str, words: EditVocabulary) -> Iterator[str]:
    yield from (other for other in words.strings if other != text)
    if text in ("inf", "-inf"):
        yield "-inf" if text == "inf" else "inf"
    if not re.fullmatch(r"[\sA-Za-z.,]+(->)?[\sA-Za-z.]*", text) or ("," not in text and "->" not in text):
        return
    places = [i for i, letter in enumerate(text) if letter.isalpha()]
    letters = sorted({text[i] for i in places})
    arrow = text.find("->")
    for i, j in combinations(places, 2):
        same_part = text[i:j].isalpha() or min(i, j) > arrow >= 0
        if same_part and text[i] != text[j]:
            yield text[:i] + text[j] + text[i + 1 : j] + text[i] + text[j + 1 :]
    for i in places:
        for letter in letters:
            if letter != text[i]:
                yield text[:i] + letter + text[i + 1 :]


ALL: tuple[Edits, ...] = (numbers, comparisons, operators, methods, names)
