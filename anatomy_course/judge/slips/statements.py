"""Edits of statements: their order, one less, one moved into or out of a loop, another result."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from anatomy_course.judge.attempt.program import Slot
from anatomy_course.judge.slips.edit import Edit, put
from anatomy_course.judge.slips.vocabulary import EditVocabulary

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
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        if not isinstance(node.value, ast.Constant):
            yield put(slot, "augmented", ast.AugAssign(ast.Name(node.targets[0].id, ast.Store()), ast.Add(),
                                                       node.value), 1.6)  # fmt: skip
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        fresh = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
        yield put(slot, "in_place", ast.Assign([node.target], fresh), 1.0)


def _with(slot: Slot, kind: str, block: list[ast.stmt], cost: float, *, mark: ast.AST | None = None) -> Edit:
    return Edit(kind, mark or slot.node, slot.scope, ((slot.parent, slot.field, block),), cost)


def _moved(slot: Slot, line: ast.stmt, inside: list[ast.stmt], around: list[ast.stmt], cost: float) -> Edit:
    """A line in the slot's block, or out of it: what is then in it, and in the block around."""
    changes = ((slot.node, "body", inside), (slot.parent, slot.field, around))
    return Edit("block", line, slot.scope, changes, cost)


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


ALL = (order, results, assignments)
