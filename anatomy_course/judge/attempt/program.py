"""A learner's answer as a tree that can be edited and run again, with the helpers that it calls."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from anatomy_course.judge.stub import definition_in, enclosed, first_line_of_class, globals_of, source_of


class Slot(NamedTuple):
    """A place in the tree that holds a node: `parent.field`, or its entry number `entry` where that is a list."""

    parent: Any
    field: str
    entry: int | None
    node: Any
    scope: ast.AST  # the definition that it belongs to


class Program:
    """The answer's definition below those of the learner's own helpers, as one tree.

    Args:
        function: the answer.
        source: its text, for where Python cannot find it.

    Raises:
        ValueError: the text is not known.
    """

    def __init__(self, function: Callable[..., Any], source: str | None = None) -> None:
        self.function = function
        self.name: str = getattr(function, "__name__", "")
        self.names: dict[str, Any] = {**globals_of(function), **enclosed(function)}
        self.sources: dict[ast.AST, str] = {}  # the text of each definition, on the lines that it has in its cell
        self.definitions: list[ast.AST] = []
        self._take(function, source, {self.name})
        self.taken = {definition.name for definition in self.definitions}  # type: ignore[attr-defined]
        self.tree = ast.Module(body=self.definitions, type_ignores=[])  # type: ignore[arg-type]

    def _take(self, function: Any, source: str | None, seen: set[str]) -> None:
        definition, self.sources[definition] = numbered(function, source)
        named = {node.id for node in ast.walk(definition) if isinstance(node, ast.Name)}
        for name in sorted(named - seen):
            helper = self.names.get(name)
            if isinstance(helper, FunctionType) and helper.__globals__ is globals_of(function):
                seen.add(name)
                if helper.__name__ == name:
                    self._take(helper, None, seen)
        self.definitions.append(definition)

    def build(self) -> Callable[..., Any] | None:
        """The answer as the tree now has it; None where that is no Python."""
        names = dict(self.names)
        names.update({name: None for name, value in self.names.items() if value is self.function})
        try:
            exec(compile(self.tree, "<your answer>", "exec", dont_inherit=True), names)
        except Exception:  # no Python, or a class whose first line is wrong
            return None
        made: Callable[..., Any] = names[self.name]
        for name, value in self.names.items():
            if value is self.function:
                names[name] = made
        return made

    def slots(self) -> Iterator[Slot]:
        """Every place of the tree that holds a statement or an expression, helpers last."""
        for definition in reversed(self.definitions):
            yield from _slots(definition, definition)

    def dump(self) -> str:
        return ast.dump(self.tree)

    def line(self, number: int, definition: ast.AST) -> str:
        """A line of the learner's text, as it was at first."""
        return "".join(self.sources[definition].splitlines()[max(0, number - 1) : number]).strip()

    def text(self, node: ast.AST, definition: ast.AST) -> str:
        """The learner's own words for a node of the tree as it was at first, in one line."""
        words = ast.get_source_segment(self.sources[definition], node) or ""
        return " ".join(line.strip() for line in words.splitlines())


def numbered(function: Any, source: str | None) -> tuple[ast.FunctionDef | ast.ClassDef, str]:
    """The definition without decorators and annotations, and its text, both on the lines that they have in the cell.

    Raises:
        ValueError: the text is not known, or holds no definition.
    """
    code: CodeType | None = getattr(function, "__code__", None)
    text = source_of(function) or source
    definition = definition_in(text or "")
    if text is None or not isinstance(definition, ast.FunctionDef | ast.ClassDef):
        raise ValueError("Its text is not known, or holds no definition that can run alone.")
    first = code.co_firstlineno if code is not None else first_line_of_class(function)
    top = min([definition.lineno, *(line.lineno for line in definition.decorator_list)])
    ast.increment_lineno(definition, first - top)
    definition.decorator_list = []
    for node in ast.walk(definition):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
    return definition, "\n" * (first - top) + text


def _slots(parent: ast.AST, scope: ast.AST) -> Iterator[Slot]:
    for field, value in ast.iter_fields(parent):
        if isinstance(parent, ast.Expr) and not any(isinstance(node, ast.Call) for node in ast.walk(parent)):
            return  # its value goes nowhere: of such a line only all of it can be a slip
        if isinstance(value, ast.expr | ast.stmt | ast.Slice):
            yield Slot(parent, field, None, value, scope)
            yield from _slots(value, scope)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, ast.expr | ast.stmt):
                    yield Slot(parent, field, index, item, scope)
                if isinstance(item, ast.AST):
                    yield from _slots(item, scope)
        elif isinstance(value, ast.AST):
            yield from _slots(value, scope)
