"""Edits of expressions: something put around them, left out of them, or put in another order within them."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from anatomy_course.judge.attempt.program import Slot
from anatomy_course.judge.slips.edit import Edit, change, expression, fill, put
from anatomy_course.judge.slips.small import function_name, number_of
from anatomy_course.judge.slips.vocabulary import EditVocabulary, size

WRAPPERS = {
    "transposed": (1.5, "_.transpose(-2, -1); _.transpose(1, 2)"),
    "negated": (1.5, "~_"),
    "opposite": (1.5, "1 - _"),
    "sign": (1.5, "-_"),
    "root": (1.5, "_ ** 0.5"),
    "more": (1.5, "_ + 1; _ - 1"),
    "bounded": (1.65, "max(_, 0); max(_, 1); _.clamp(min=0); _.clamp(min=1)"),
    "axis_added": (1.6, "_.unsqueeze(-1); _.unsqueeze(-2); _.unsqueeze(0); _.unsqueeze(1); _.unsqueeze(2); "
                        "_[..., None, None]"),
    "axis_removed": (1.5, "_.squeeze(-1)"),
    "kind": (1.7, "_.float(); _.bool(); _.long()"),
    "call_missing": (2.0, "_.softmax(-1); _.exp(); _.log(); _.sum(-1); _.sum(); _.mean(-1); _.mean(); _.square(); "
                          "_.abs(); _.flip(-1); _.cumsum(-1); _.item()"),
    "copied": (1.8, "_.contiguous(); _.clone()"),
}  # fmt: skip
"""Kind of edit → its cost, and what is put around an expression, `_`."""


def whole(slot: Slot) -> bool:
    """Whether the slot holds an expression that is read, and that may stand alone."""
    node = slot.node
    if not isinstance(node, ast.expr) or isinstance(node, ast.Starred | ast.Lambda | ast.Tuple | ast.JoinedStr):
        return False
    if isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
        return False
    if (isinstance(slot.parent, ast.Call) and slot.field == "func") or isinstance(slot.parent, ast.Expr):
        return False
    if slot.field in ("decorator_list", "annotation", "returns", "bases", "defaults", "kw_defaults"):
        return False
    return not (isinstance(node, ast.Constant) and not isinstance(node.value, int | float))


def around(slot: Slot, words: EditVocabulary) -> Iterator[Edit]:
    """One of the usual small things around an expression: a transposition, `~`, `1 −`, a root."""
    if not whole(slot) or (isinstance(slot.node, ast.Name) and slot.node.id in words.modules):
        return
    number = number_of(slot.node) is not None
    for kind, (cost, texts) in WRAPPERS.items():
        if not number and (kind != "more" or not isinstance(slot.node, ast.BinOp)):
            for text in texts.split("; "):
                yield put(slot, kind, fill(expression(text), slot.node), cost)


def missing(slot: Slot, words: EditVocabulary) -> Iterator[Edit]:
    """What the solution does with such things and the answer may have forgotten: an operand, a call, an argument."""
    if not whole(slot) or (isinstance(slot.node, ast.Name) and slot.node.id in words.modules):
        return
    if number_of(slot.node) is not None:
        return
    for operator, side, left in words.steps:
        if not left and _undoes(slot.node, operator, side):
            continue
        other = copy.deepcopy(side)
        new = ast.BinOp(other, operator(), slot.node) if left else ast.BinOp(slot.node, operator(), other)
        yield put(slot, "missing", new, 1.6)
    for call in words.calls:
        if function_name(call) in ("clone", "contiguous"):
            continue
        made = copy.deepcopy(call)
        if isinstance(made.func, ast.Attribute) and not words.is_module(made.func.value):
            made.func.value = slot.node
        else:
            made.args[0] = slot.node
        yield put(slot, "missing", made, 1.6)
        if isinstance(slot.node, ast.BinOp) and isinstance(made.func, ast.Attribute) and made.func.value is slot.node:
            for side in (slot.node.left, slot.node.right):
                instead = copy.deepcopy(call)
                instead.func.value = side  # type: ignore[attr-defined]
                yield put(slot, "step", instead, 1.55)
    for name in words.arguments:
        for shape in (f"_.reshape({name}.shape)", f"_.reshape(*{name}.shape, -1)"):
            yield put(slot, "laid_out", fill(expression(shape), slot.node), 1.9)
    for name in words.variables(slot.scope):
        cost = 1.7 if name in words.unused else 1.9
        yield put(slot, "missing", ast.BinOp(slot.node, ast.Add(), ast.Name(name, ast.Load())), cost)
        yield put(slot, "missing", ast.BinOp(slot.node, ast.Mult(), ast.Name(name, ast.Load())), cost + 0.1)


def _undoes(node: ast.expr, operator: type[ast.operator], side: ast.expr) -> bool:
    """Whether it is `x / x`, `x - x` or `x - 1 + 1`: no step that anybody has forgotten."""
    inverse = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}.get(operator)
    if isinstance(node, ast.BinOp) and inverse is not None and isinstance(node.op, inverse):
        return ast.dump(node.right) == ast.dump(side)
    return operator in (ast.Sub, ast.Div, ast.FloorDiv) and ast.dump(node) == ast.dump(side)


def cut(slot: Slot, words: EditVocabulary) -> Iterator[Edit]:
    """Only as many rows of a whole table as another argument has on one of its axes."""
    if not whole(slot) or isinstance(slot.parent, ast.Subscript):
        return
    if isinstance(slot.node, ast.Name) and slot.node.id in words.tables:
        for name, axis in ((name, axis) for name in words.arguments for axis in (0, 1) if name not in words.tables):
            yield put(slot, "cut", fill(expression(f"_[: {name}.shape[{axis}]]"), slot.node), 1.8)


def in_its_place(slot: Slot, words: EditVocabulary) -> Iterator[Edit]:
    """A small piece of the solution in place of a small piece of the answer."""
    if whole(slot) and size(slot.node) <= 14:
        for piece in words.pieces:
            yield put(slot, "replaced", copy.deepcopy(piece), 2.2)


def left_out(slot: Slot, words: EditVocabulary) -> Iterator[Edit]:
    """A call, an operand, an index or a sign less."""
    node = slot.node
    if isinstance(node, ast.Call) and not isinstance(slot.parent, ast.Expr):
        if isinstance(node.func, ast.Attribute) and not words.is_module(node.func.value):
            yield put(slot, "call_less", node.func.value, 2.5)
        if node.args and not isinstance(node.args[0], ast.Starred):
            yield put(slot, "only_argument", node.args[0], 2.5)
    elif isinstance(node, ast.BinOp):
        yield put(slot, "only_side", node.left, 2.6)
        yield put(slot, "only_side", node.right, 2.6)
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.operand, ast.Constant):
        yield put(slot, "sign_less", node.operand, 1.1)
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        yield put(slot, "index_less", node.value, 2.5)


def regrouped(slot: Slot, words: EditVocabulary) -> Iterator[Edit]:
    """Other parentheses, or a call that includes more or less: `f(a + b)`, `f(a) + b`, `a + f(b)`, `g(f(a))`."""
    node = slot.node
    if isinstance(node, ast.BinOp):
        left, right = node.left, node.right
        yield from (put(slot, "grouped", tree, 1.4) for tree in _deeper_right(left, node.op, right))
        yield from (put(slot, "grouped", tree, 1.4) for tree in _deeper_left(right, node.op, left))
        for side, other in ((left, right), (right, left)):
            if isinstance(side, ast.Call | ast.UnaryOp) and (held := _held(side, words)) is not None:
                pair = (held, other) if side is left else (other, held)
                yield put(slot, "grouped", _holding(side, ast.BinOp(pair[0], node.op, pair[1]), words), 1.4)
    elif isinstance(node, ast.Call) and (inner := _held(node, words)) is not None:
        if isinstance(inner, ast.BinOp):
            yield put(slot, "grouped", ast.BinOp(_holding(node, inner.left, words), inner.op, inner.right), 1.4)
            yield put(slot, "grouped", ast.BinOp(inner.left, inner.op, _holding(node, inner.right, words)), 1.4)
        elif isinstance(inner, ast.Call | ast.UnaryOp) and (inmost := _held(inner, words)) is not None:
            yield put(slot, "grouped", _holding(inner, _holding(node, inmost, words), words), 1.4)


def _deeper_right(tree: ast.expr, op: ast.operator, last: ast.expr) -> Iterator[ast.BinOp]:
    """`a + b ** c` with `… / d` at each place farther in: `a + b ** c / d`, `a + b ** (c / d)`."""
    if isinstance(tree, ast.BinOp):
        yield ast.BinOp(tree.left, tree.op, ast.BinOp(tree.right, op, last))
        yield from (ast.BinOp(tree.left, tree.op, inner) for inner in _deeper_right(tree.right, op, last))


def _deeper_left(tree: ast.expr, op: ast.operator, first: ast.expr) -> Iterator[ast.BinOp]:
    """The same from the other side: `a / (b + c)` becomes `a / b + c`."""
    if isinstance(tree, ast.BinOp):
        yield ast.BinOp(ast.BinOp(first, op, tree.left), tree.op, tree.right)
        yield from (ast.BinOp(inner, tree.op, tree.right) for inner in _deeper_left(tree.left, op, first))


def _held(call: ast.Call | ast.UnaryOp, words: EditVocabulary) -> ast.expr | None:
    """What a call or a sign is put on: `x` of `x.f()`, of `f(x)` and of `-x`."""
    if isinstance(call, ast.UnaryOp):
        return call.operand
    if isinstance(call.func, ast.Attribute) and not words.is_module(call.func.value):
        return call.func.value
    return call.args[0] if call.args and not isinstance(call.args[0], ast.Starred) else None


def _holding(call: ast.Call | ast.UnaryOp, node: ast.expr, words: EditVocabulary) -> ast.expr:
    """The same call or sign, put on something else."""
    if isinstance(call, ast.UnaryOp):
        return ast.UnaryOp(call.op, node)
    if isinstance(call.func, ast.Attribute) and not words.is_module(call.func.value):
        return ast.Call(ast.Attribute(node, call.func.attr, ast.Load()), call.args, call.keywords)
    return ast.Call(call.func, [node, *call.args[1:]], call.keywords)


def slices(slot: Slot, words: EditVocabulary) -> Iterator[Edit]:
    """A slice's end moved by one, left out, or the other end cut."""
    node = slot.node
    if not isinstance(node, ast.Slice):
        return
    one, last = ast.Constant(1), ast.UnaryOp(ast.USub(), ast.Constant(1))
    if node.step is not None:
        yield change(slot, "slice", "step", None, 1.2)
    if node.lower is None:
        yield change(slot, "slice", "lower", one, 1.2)
    if node.upper is None:
        yield change(slot, "slice", "upper", last, 1.2)
    for field, value in (("lower", node.lower), ("upper", node.upper)):
        if value is None:
            continue
        yield change(slot, "slice", field, None, 1.3)
        if number_of(value) is None:
            yield change(slot, "slice", field, ast.BinOp(value, ast.Add(), ast.Constant(1)), 1.2)
            yield change(slot, "slice", field, ast.BinOp(value, ast.Sub(), ast.Constant(1)), 1.2)
    if (node.lower is None) != (node.upper is None) and node.step is None:
        yield put(slot, "slice", ast.Slice(node.upper, node.lower), 1.2)
        known = node.upper or node.lower
        if (number := number_of(known)) is not None:  # type: ignore[arg-type]
            turned = ast.UnaryOp(ast.USub(), ast.Constant(number)) if number > 0 else ast.Constant(-number)
            mirrored = ast.Slice(turned, None) if node.upper else ast.Slice(None, turned)
            yield put(slot, "slice", mirrored, 1.2)


ALL = (slices, regrouped, around, missing, cut, left_out, in_its_place)
