"""Edits of calls and of what stands between commas: arguments exchanged, left out, added, or as in the solution."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from itertools import combinations

from anatomy_course.judge.attempt.program import Slot
from anatomy_course.judge.slips.edit import Edit, change, expression, fill, put
from anatomy_course.judge.slips.small import function_name
from anatomy_course.judge.slips.vocabulary import ALIKE, EditVocabulary

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
    if isinstance(node, ast.Tuple | ast.List) and isinstance(getattr(node, "ctx", None), ast.Load):
        for entries in _exchanged(node.elts):
            yield change(slot, "order", "elts", entries, 1.1)
    if isinstance(node, ast.Tuple | ast.List) and isinstance(node.ctx, ast.Store):
        for entries in _exchanged(node.elts):
            yield change(slot, "order", "elts", entries, 1.3)
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
            yield put(slot, "length", fill(expression(f"_.shape[{axis}]"), node.args[0]), 1.1)
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
    least = 2 if isinstance(node.func, ast.Attribute) and _is_torch(node.func.value) else 1
    return len(node.args) >= least


def _is_torch(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("torch", "F")


def _keywords_of_the_solution(slot: Slot, node: ast.Call, words: EditVocabulary) -> Iterator[Edit]:
    given = {keyword.arg for keyword in node.keywords}
    for call in words.calls:
        if _same_form(call, node, words) and function_name(call) in ALIKE.get(function_name(node), ()):
            yield put(slot, "method_with_arguments", _called_as(call, node), 1.5)
        if function_name(call) != function_name(node):
            continue
        for keyword in call.keywords:
            others = [copy.deepcopy(keyword), *(k for k in node.keywords if k.arg != keyword.arg)]
            kind = "argument" if keyword.arg in given else "argument_missing"
            yield change(slot, kind, "keywords", others, 1.5)
        if _same_form(call, node, words):
            yield put(slot, "method_with_arguments", _called_as(call, node), 1.55)
        if len(call.args) > len(node.args):
            yield change(slot, "argument_missing", "args", [*node.args, copy.deepcopy(call.args[-1])], 1.5)


def _same_form(call: ast.Call, node: ast.Call, words: EditVocabulary) -> bool:
    """Whether both are methods of a tensor."""
    return all(isinstance(c.func, ast.Attribute) and not words.is_module(c.func.value) for c in (call, node))


def _called_as(call: ast.Call, node: ast.Call) -> ast.Call:
    """The solution's call, made on what the learner's is made on."""
    made = copy.deepcopy(call)
    made.func = ast.Attribute(node.func.value, call.func.attr, ast.Load())  # type: ignore[attr-defined]
    return made


ALL = (arguments,)
