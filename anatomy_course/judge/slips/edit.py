"""One small change of a program's tree: what it puts where, what it costs, and how to take it back."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from anatomy_course.judge.attempt.program import Slot

Change = tuple[ast.AST, str, Any]
"""A node, one of its fields, and what to put there."""


@dataclass(frozen=True)
class Edit:
    """One small change.

    Args:
        kind: what is off there, one of the keys of `sentences.WHAT`: `"axis"`.
        node: the expression or statement that a card marks.
        scope: the definition in which it stands.
        changes: what is put where.
        cost: the smaller, the less of the learner's thought it changes; edits are tried and chosen by it.
    """

    kind: str
    node: ast.AST
    scope: ast.AST
    changes: tuple[Change, ...]
    cost: float

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
        """Change the tree for good."""
        for node, field, value in self.changes:
            setattr(node, field, value)


def put(slot: Slot, kind: str, new: ast.AST, cost: float, *, mark: ast.AST | None = None) -> Edit:
    """The edit that puts a new node in a slot's place."""
    _place(new, slot.node)
    if slot.entry is None:
        change: Change = (slot.parent, slot.field, new)
    else:
        entries = list(getattr(slot.parent, slot.field))
        entries[slot.entry] = new
        change = (slot.parent, slot.field, entries)
    return Edit(kind, mark or slot.node, slot.scope, (change,), cost)


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


def expression(text: str) -> ast.expr:
    """A piece of code as a tree without places."""
    tree = ast.parse(text, mode="eval").body
    return without_places(tree)


def fill(tree: ast.expr, node: ast.expr) -> ast.expr:
    """The tree with `_` replaced."""

    class Put(ast.NodeTransformer):
        def visit_Name(self, name: ast.Name) -> ast.expr:
            return node if name.id == "_" else name

    filled: ast.expr = Put().visit(tree)
    return filled


def without_places(tree: ast.expr) -> ast.expr:
    """The same tree, to be put anywhere: its nodes take the place of what they replace."""
    for node in ast.walk(tree):
        for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
            node.__dict__.pop(name, None)
    return tree
