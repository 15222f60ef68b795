"""Small changes of a program's tree: what each puts where, what it costs, and how to take it back."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from itertools import combinations
from typing import Any

from anatomy_course.judge.attempt.program import Slot
from anatomy_course.judge.slips.vocabulary import ALIKE, BY_AXIS, EditVocabulary, size, without_places

Change = tuple[ast.AST, str, Any]  # a node, one of its fields, and what to put there


@dataclass(frozen=True)
class Edit:
    kind: str  # what is off there, one of the keys of `sentences.WHAT`: `"axis"`
    node: ast.AST  # the expression or statement that a card marks
    scope: ast.AST  # the definition in which it stands
    made: tuple[Change, ...] | Callable[[], tuple[Change, ...]]  # what is put where, or what makes it when it is tried
    cost: float  # the smaller, the less of the learner's thought it changes; edits are tried and chosen by it

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """What is put where. Most edits are never tried, so what is dear to make is made here."""
        return self.made() if callable(self.made) else self.made

    @contextmanager
    def applied(self) -> Iterator[None]:
        """The tree with this change; as it was afterwards."""
        before = [(node, field, getattr(node, field)) for node, field, _ in self.changes]
        self.apply()
        try:
            yield
        finally:
            for node, field, value in reversed(before):
                setattr(node, field, value)

    def apply(self) -> None:
        for node, field, value in self.changes:
            setattr(node, field, value)


def put(
    slot: Slot, kind: str, new: ast.AST | Callable[[], ast.AST], cost: float, *, mark: ast.AST | None = None
) -> Edit:
    """The edit that puts a new node, or what a function makes, in a slot's place."""

    def made() -> tuple[Change, ...]:
        node = new() if callable(new) else new
        _place(node, slot.node)
        if slot.entry is None:
            return ((slot.parent, slot.field, node),)
        entries = list(getattr(slot.parent, slot.field))
        entries[slot.entry] = node
        return ((slot.parent, slot.field, entries),)

    return Edit(kind, mark or slot.node, slot.scope, made, cost)


def change(slot: Slot, kind: str, field: str, value: Any, cost: float, *, mark: ast.AST | None = None) -> Edit:
    """The edit that changes a field of the slot's own node."""
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, ast.AST):
            _place(item, slot.node)
    return Edit(kind, mark or slot.node, slot.scope, ((slot.node, field, value),), cost)


def _place(new: ast.AST, old: ast.AST) -> None:
    """Give a new node the old one's place in the text; what it holds of the old tree keeps its own."""
    if "lineno" in new._attributes and not hasattr(new, "lineno"):
        ast.copy_location(new, old)
    for child in ast.iter_child_nodes(new):
        _place(child, old)


def filled(text: str, node: ast.expr) -> Callable[[], ast.expr]:
    """What makes the expression of a text with `_` replaced."""
    return lambda: fill(expression(text), node)


def expression(text: str) -> ast.expr:
    return without_places(ast.parse(text, mode="eval").body)


def fill(tree: ast.expr, node: ast.expr) -> ast.expr:
    """The tree with `_` replaced."""

    class Put(ast.NodeTransformer):
        def visit_Name(self, name: ast.Name) -> ast.expr:
            return node if name.id == "_" else name

    filled: ast.expr = Put().visit(tree)
    return filled


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
    if value is None or (isinstance(slot.parent, ast.UnaryOp) and isinstance(slot.parent.op, ast.USub)):
        return
    axis = isinstance(value, int) and is_axis(slot)
    others: list[Any] = []
    if isinstance(value, int):
        near = [value - 1, value + 1, -value, 0, 1, 2, -1, -2]
        others = [*AXES] if axis else [*near, *words.numbers]
    else:
        others = [
            -value,
            *words.numbers,
            0.0,
            1.0,
            float("-inf"),
            float("inf"),
            0.5,
            2.0,
            value / 10,
            value * 10,
        ]
        others += [2 * value, value / 2]
    for other in dict.fromkeys(others):
        if other != value or type(other) is not type(value):
            yield put(slot, "axis" if axis else "number", constant(other), 1.0 if axis else 1.1)
    if isinstance(slot.parent, ast.Subscript) and not axis:  # `table[0]` in a loop over rows
        for name in words.counters(slot.scope):
            yield put(slot, "counter", ast.Name(name, ast.Load()), 1.05)


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


def names(slot: Slot, words: EditVocabulary) -> Iterator[Edit]:
    if not isinstance(slot.node, ast.Name) or not isinstance(slot.node.ctx, ast.Load):
        return
    if isinstance(slot.parent, ast.Call) and slot.field == "func":
        others = [name for name in words.functions if name != slot.node.id]
    elif slot.node.id in words.modules:
        return
    else:
        others = words.variables(slot.scope)
        if isinstance(slot.parent, ast.Subscript) and slot.field == "value" and isinstance(slot.parent.ctx, ast.Store):
            others = [name for name in others if name not in words.arguments]  # the `x` of `x[i] = …`
    for other in others:
        if other != slot.node.id:
            yield put(slot, "name", ast.Name(other, ast.Load()), 1.2)


def operators(slot: Slot, words: EditVocabulary) -> Iterator[Edit]:
    node = slot.node
    if isinstance(node, ast.AugAssign):
        for other in OPERATORS[:4]:
            if not isinstance(node.op, other):
                yield change(slot, "operator", "op", other(), 1.1)
        yield put(slot, "assigned", ast.Assign([node.target], node.value), 1.5)
    if not isinstance(node, ast.BinOp):
        return
    number = node.right.value if isinstance(node.right, ast.Constant) else None
    for other in BITS if isinstance(node.op, BITS) else OPERATORS:
        without = 0 if other in (ast.Add, ast.Sub) else 1  # `* 1` or `+ 0` leaves a part out, which is told as such
        leaves_out = number == without and not isinstance(number, bool)
        if not isinstance(node.op, other) and not leaves_out:
            yield change(slot, "operator", "op", other(), 1.1)
    if not isinstance(node.op, ast.Add | ast.Mult | ast.BitAnd | ast.BitOr):
        yield put(slot, "sides", ast.BinOp(node.right, node.op, node.left), 1.0)


def comparisons(slot: Slot, words: EditVocabulary) -> Iterator[Edit]:
    node = slot.node
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        now = type(node.ops[0])
        others = ORDERS if now in ORDERS else (OPPOSITES[now],)
        for other in others:
            if other is not now:
                yield change(slot, "comparison", "ops", [other()], 1.0)
    if isinstance(node, ast.BoolOp):
        yield change(slot, "operator", "op", ast.And() if isinstance(node.op, ast.Or) else ast.Or(), 1.1)
        bits = ast.BitAnd() if isinstance(node.op, ast.And) else ast.BitOr()  # cell by cell
        yield put(slot, "operator", reduce(lambda left, right: ast.BinOp(left, bits, right), node.values), 1.0)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield change(slot, "operator", "op", ast.Invert(), 1.0)
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        negated = isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not)
        opposite = node.test.operand if negated else ast.UnaryOp(ast.Not(), node.test)  # type: ignore[attr-defined]
        yield change(slot, "condition", "test", opposite, 1.3, mark=node.test)
    if isinstance(node, ast.IfExp):
        yield put(slot, "condition", node.body, 2.4)
        yield put(slot, "condition", node.orelse, 2.4)


def methods(slot: Slot, words: EditVocabulary) -> Iterator[Edit]:
    """Another method or function of the same family; True in place of False; another word."""
    node = slot.node
    if isinstance(node, ast.Attribute):
        for other in [*ALIKE.get(node.attr, ()), *words.attributes_like(node.attr)]:
            yield change(slot, "method", "attr", other, 1.0)
        for module in words.elsewhere(node):
            yield change(slot, "name", "value", ast.Name(module, ast.Load()), 1.0)
        if isinstance(slot.parent, ast.Call) and slot.field == "func" and node.attr.endswith("_"):
            yield change(slot, "in_place", "attr", node.attr.rstrip("_"), 1.0)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield put(slot, "switch", ast.Constant(not node.value), 1.0)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not isinstance(slot.parent, ast.Expr):
        for text in _other_texts(node.value, words):
            yield put(slot, "letters" if "->" in node.value else "string", ast.Constant(text), 1.1)


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


REDUCTIONS = frozenset("sum mean amax amin max min prod var std norm logsumexp all any median argmax argmin".split())

OPTIONS: dict[str, tuple[tuple[str, int | bool], ...]] = {
    "var": (("correction", 0),), "std": (("correction", 0),), "sort": (("descending", True),),
    "argsort": (("descending", True),), "Linear": (("bias", False),), "tril": (("diagonal", 1), ("diagonal", -1)),
    "triu": (("diagonal", 1), ("diagonal", -1)), "zip": (("strict", False),),
}  # fmt: skip
"""Options that an answer may have forgotten."""


def arguments(slot: Slot, words: EditVocabulary) -> Iterator[Edit]:
    """Arguments of a call exchanged, left out or added; entries of a tuple exchanged."""
    node = slot.node
    if isinstance(node, ast.Tuple | ast.List) and not isinstance(node.ctx, ast.Del):
        for entries in _exchanged(node.elts):
            yield change(slot, "order", "elts", entries, 1.1 if isinstance(node.ctx, ast.Load) else 1.3)
    if not isinstance(node, ast.Call):
        return
    for entries in _exchanged(node.args):
        yield change(slot, "order", "args", entries, 1.1)
    for index, keyword in enumerate(node.keywords):
        yield change(slot, "argument_less", "keywords", [k for i, k in enumerate(node.keywords) if i != index], 1.6,
                     mark=keyword.value)  # fmt: skip
    if len(node.args) > 1:
        yield change(slot, "argument_less", "args", node.args[:-1], 1.7, mark=node.args[-1])
    yield from _keywords(slot, node)
    if function_name(node) == "len" and len(node.args) == 1:
        for axis in (1, -1, -2, 2):
            yield put(slot, "length", filled(f"_.shape[{axis}]", node.args[0]), 1.1)
    if function_name(node) == "one_hot":
        for size in (f"{name}.shape[{axis}]" for name in words.arguments for axis in (0, -1)):
            yield change(slot, "argument_missing", "keywords", [ast.keyword("num_classes", expression(size))], 1.2)
    yield from _keywords_of_the_solution(slot, node, words)


def _exchanged(entries: list[ast.expr]) -> Iterator[list[ast.expr]]:
    if 2 <= len(entries) <= 6:
        for i, j in combinations(range(len(entries)), 2):
            order = list(entries)
            order[i], order[j] = order[j], order[i]
            yield order


def _keywords(slot: Slot, node: ast.Call) -> Iterator[Edit]:
    name, given = function_name(node), {keyword.arg for keyword in node.keywords}
    wanted: list[tuple[str, int | bool]] = []
    if name in REDUCTIONS:
        wanted += [("keepdim", True)] if "keepdim" not in given else []
        if "dim" not in given and not _has_axis(node):
            wanted += [("dim", -1), ("dim", -2), ("dim", 0), ("dim", 1)]
    if name in ("softmax", "log_softmax", "cumsum", "cat", "stack", "flip") and not _has_axis(node):
        wanted += [("dim", -1), ("dim", 1), ("dim", -2), ("dim", 0)]
    for key, value in [*wanted, *OPTIONS.get(name, ())]:
        added = [*node.keywords, ast.keyword(key, ast.Constant(value))]
        kind = "axis_kept" if key == "keepdim" else "argument_missing"
        yield change(slot, kind, "keywords", added, 1.2)


def _has_axis(node: ast.Call) -> bool:
    of_torch = isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") in ("torch", "F")
    return len(node.args) > of_torch


def _keywords_of_the_solution(slot: Slot, node: ast.Call, words: EditVocabulary) -> Iterator[Edit]:
    given = {keyword.arg for keyword in node.keywords}
    for call in words.calls:
        if _same_form(call, node, words) and function_name(call) in ALIKE.get(function_name(node), ()):
            yield put(slot, "method_with_arguments", partial(_called_as, call, node), 1.5)
        if function_name(call) != function_name(node):
            continue
        for keyword in call.keywords:
            others = [copy.deepcopy(keyword), *(k for k in node.keywords if k.arg != keyword.arg)]
            kind = "argument" if keyword.arg in given else "argument_missing"
            yield change(slot, kind, "keywords", others, 1.5)
        if _same_form(call, node, words):
            yield put(slot, "method_with_arguments", partial(_called_as, call, node), 1.55)
        if len(call.args) > len(node.args):
            yield change(slot, "argument_missing", "args", [*node.args, copy.deepcopy(call.args[-1])], 1.5)


def _same_form(call: ast.Call, node: ast.Call, words: EditVocabulary) -> bool:
    """Whether both are methods of a tensor."""
    return all(isinstance(c.func, ast.Attribute) and not words.is_module(c.func.value) for c in (call, node))


def _called_as(call: ast.Call, node: ast.Call) -> ast.Call:
    made = copy.deepcopy(call)
    made.func = ast.Attribute(node.func.value, call.func.attr, ast.Load())  # type: ignore[attr-defined]
    return made


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
                yield put(slot, kind, filled(text, slot.node), cost)


def missing(slot: Slot, words: EditVocabulary) -> Iterator[Edit]:
    """What the solution does with such things and the answer may have forgotten: an operand, a call, an argument."""
    is_module = isinstance(slot.node, ast.Name) and slot.node.id in words.modules
    if not whole(slot) or is_module or number_of(slot.node) is not None:
        return
    for operator, side, left in words.steps:
        if not left and _undoes(slot.node, operator, side):
            continue
        yield put(slot, "missing", partial(_joined, slot.node, operator, side, left), 1.6)
    for call in words.calls:
        if function_name(call) in ("clone", "contiguous"):
            continue
        is_method = isinstance(call.func, ast.Attribute) and not words.is_module(call.func.value)
        yield put(slot, "missing", partial(_taking, call, slot.node, is_method), 1.6)
        if isinstance(slot.node, ast.BinOp) and is_method:
            for side in (slot.node.left, slot.node.right):
                yield put(slot, "step", partial(_taking, call, side, is_method), 1.55)
    for name in words.arguments:
        for shape in (f"_.reshape({name}.shape)", f"_.reshape(*{name}.shape, -1)"):
            yield put(slot, "laid_out", filled(shape, slot.node), 1.9)
    for name in words.variables(slot.scope):
        cost = 1.7 if name in words.unused else 1.9
        yield put(slot, "missing", ast.BinOp(slot.node, ast.Add(), ast.Name(name, ast.Load())), cost)
        yield put(slot, "missing", ast.BinOp(slot.node, ast.Mult(), ast.Name(name, ast.Load())), cost + 0.1)


def _joined(node: ast.expr, operator: type[ast.operator], side: ast.expr, left: bool) -> ast.BinOp:
    other = copy.deepcopy(side)
    return ast.BinOp(other, operator(), node) if left else ast.BinOp(node, operator(), other)


def _taking(call: ast.Call, node: ast.expr, is_method: bool) -> ast.Call:
    """The same call of this node, or with it as the first argument."""
    made = copy.deepcopy(call)
    if is_method:
        made.func.value = node  # type: ignore[attr-defined]
    else:
        made.args[0] = node
    return made


def _undoes(node: ast.expr, operator: type[ast.operator], side: ast.expr) -> bool:
    """Whether it is `x / x`, `x - x` or `x - 1 + 1`: no step that anybody has forgotten."""
    inverse = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}.get(operator)
    if isinstance(node, ast.BinOp) and inverse is not None and isinstance(node.op, inverse):
        return ast.dump(node.right) == ast.dump(side)
    return operator in (ast.Sub, ast.Div, ast.FloorDiv) and ast.dump(node) == ast.dump(side)


STEPS: dict[type[ast.operator], str] = {
    ast.Add: "an addition", ast.Sub: "a subtraction", ast.Mult: "a multiplication", ast.Div: "a division",
    ast.FloorDiv: "a division", ast.Pow: "a power", ast.MatMult: "a matrix product",
}  # fmt: skip


def missing_step(edit: Edit) -> str:
    """What an edit adds that was missing, in words; empty where it adds nothing, or what has no name."""
    if edit.kind not in ("missing", "call_missing"):
        return ""
    _, _, new = edit.changes[0]
    entries = [entry for entry in (new if isinstance(new, list) else [new]) if isinstance(entry, ast.AST)]
    made = next((entry for entry in entries if edit.node in ast.walk(entry) and entry is not edit.node), None)
    if isinstance(made, ast.Call) and function_name(made):
        return f"`{function_name(made)}`"
    return STEPS.get(type(made.op), "") if isinstance(made, ast.BinOp) else ""


def cut(slot: Slot, words: EditVocabulary) -> Iterator[Edit]:
    """Only as many rows of a whole table as another argument has on one of its axes."""
    if not whole(slot) or isinstance(slot.parent, ast.Subscript):
        return
    if isinstance(slot.node, ast.Name) and slot.node.id in words.tables:
        for name, axis in ((name, axis) for name in words.arguments for axis in (0, 1) if name not in words.tables):
            yield put(slot, "cut", filled(f"_[: {name}.shape[{axis}]]", slot.node), 1.8)


def in_its_place(slot: Slot, words: EditVocabulary) -> Iterator[Edit]:
    """A small piece of the solution in place of a small piece of the answer."""
    if whole(slot) and size(slot.node) <= 14:
        for piece in words.pieces:
            yield put(slot, "replaced", partial(copy.deepcopy, piece), 2.2)


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
    elif isinstance(node, ast.Attribute) and node.attr in ("T", "mT"):
        yield put(slot, "transposed", node.value, 1.1)


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


BLOCKS = ("body", "orelse")
COMPOUND = ast.For | ast.While | ast.If | ast.With


def order(slot: Slot, words: EditVocabulary) -> Iterator[Edit]:
    """Two neighbors exchanged, one left out, the last of a block moved behind it, the next one moved into it."""
    block = getattr(slot.parent, slot.field)
    if slot.entry is None or not isinstance(slot.node, ast.stmt) or slot.field not in BLOCKS:
        return
    here, i = slot.node, slot.entry
    if _is_text(here):
        return
    following = block[i + 1] if i + 1 < len(block) else None
    if following is not None and not isinstance(following, ast.Return):
        yield _with(slot, "order_of_lines", [*block[:i], following, here, *block[i + 2 :]], 1.4)
    if len(block) > 1 and not isinstance(here, ast.Return | ast.FunctionDef):
        yield _with(slot, "line_less", [*block[:i], *block[i + 1 :]], 2.4)
    if isinstance(here, COMPOUND):
        first, last = here.body[0], here.body[-1]
        if len(here.body) > 1 or isinstance(last, ast.Return):
            kept = here.body[:-1] or [ast.copy_location(ast.Pass(), last)]
            yield _moved(slot, last, kept, [*block[: i + 1], last, *block[i + 1 :]], 1.3)
        if len(here.body) > 1:
            yield _moved(slot, first, here.body[1:], [*block[:i], first, *block[i:]], 1.4)
        if following is not None and not isinstance(following, ast.Return):
            yield _moved(slot, following, [*here.body, following], [*block[: i + 1], *block[i + 2 :]], 1.4)
        if i > 0 and not _is_text(block[i - 1]):
            yield _moved(slot, block[i - 1], [block[i - 1], *here.body], [*block[: i - 1], *block[i:]], 1.5)
        if isinstance(here, ast.If):
            yield _with(slot, "condition", [*block[:i], *here.body, *block[i + 1 :]], 2.3, mark=here.test)


def results(slot: Slot, words: EditVocabulary) -> Iterator[Edit]:
    """Another variable returned, a result added, or the `return` that is missing."""
    if isinstance(slot.node, ast.Return) and slot.node.value is not None:
        for name in words.variables(slot.scope):
            if not (isinstance(slot.node.value, ast.Name) and slot.node.value.id == name):
                again = ast.Return(ast.Name(name, ast.Load()))
                yield put(slot, "returned", again, 1.9)
                both = ast.Return(ast.Tuple([slot.node.value, ast.Name(name, ast.Load())], ast.Load()))
                yield put(slot, "result_missing", both, 1.6)
    if isinstance(slot.node, ast.FunctionDef) or slot.entry is None or slot.parent is not slot.scope:
        return
    block = getattr(slot.parent, slot.field)
    if slot.field == "body" and slot.entry == len(block) - 1 and not isinstance(slot.node, ast.Return):
        for name in reversed(words.variables(slot.scope)):
            named = ast.copy_location(ast.Name(name, ast.Load()), slot.node)
            ending = ast.copy_location(ast.Return(named), slot.node)
            yield Edit("return_missing", slot.node, slot.scope, ((slot.parent, slot.field, [*block, ending]),), 1.2)
        if isinstance(slot.node, ast.Expr):
            yield put(slot, "return_missing", ast.Return(slot.node.value), 1.0)


def assignments(slot: Slot, words: EditVocabulary) -> Iterator[Edit]:
    """`+=` for `=`, and a new tensor in place of a change within an argument."""
    node = slot.node
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
        if isinstance(target, ast.Name | ast.Subscript) and not isinstance(node.value, ast.Constant):
            cost = 1.6 if isinstance(target, ast.Name) else 1.4  # `out[i] = …` overwrites what was there
            yield put(slot, "augmented", ast.AugAssign(target, ast.Add(), node.value), cost)
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        fresh = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
        yield put(slot, "in_place", ast.Assign([node.target], fresh), 1.0)


def _with(slot: Slot, kind: str, block: list[ast.stmt], cost: float, *, mark: ast.AST | None = None) -> Edit:
    return Edit(kind, mark or slot.node, slot.scope, ((slot.parent, slot.field, block),), cost)


def _moved(slot: Slot, line: ast.stmt, inside: list[ast.stmt], around: list[ast.stmt], cost: float) -> Edit:
    """A line in the slot's block, or out of it: what is then in it, and in the block around."""
    changes = ((slot.node, "body", inside), (slot.parent, slot.field, around))
    return Edit("indented" if line in inside else "outdented", line, slot.scope, changes, cost)


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


ALL: tuple[Edits, ...] = (
    numbers, comparisons, operators, methods, names, arguments,
    slices, regrouped, around, missing, cut, left_out, in_its_place,
    order, results, assignments,
)  # fmt: skip
"""All kinds of edits: of a word, of a call, of an expression, of a statement; in the order in which they are tried."""
