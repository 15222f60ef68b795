"""An exercise's text: the stub of a notebook, the solution in its place, and whether a stub is untouched."""

from __future__ import annotations

import ast
import dis
import inspect
import re
import textwrap
from collections.abc import Callable
from typing import Any

from anatomy_utils.exercises.definition import Exercise


def stub_text(exercise: Exercise) -> str:
    """The cell that a notebook holds: decorator, signature, docstring and `...`."""
    return _cell(exercise, "...")


def solution_text(exercise: Exercise) -> str:
    """The same cell with the solution in place of `...`."""
    return _cell(exercise, exercise.solution)


def _cell(exercise: Exercise, body: str) -> str:
    first, *more = exercise.docstring.splitlines()
    docstring = "\n".join([f'"""{first}', *more]) + '"""'
    lines = textwrap.indent(f"{docstring}\n{body}", "    ")
    return f'@exercise("{exercise.id}")\ndef {exercise.signature}:\n{lines}\n'


def with_solution(cell: str, exercise: Exercise) -> str:
    """A notebook cell with this exercise's stub replaced by its solution; what else stands in the cell is kept."""
    decorator = re.compile(rf"@(\w+\.)*exercise\(\s*['\"]{re.escape(exercise.id)}['\"]\s*\)")
    tree = ast.parse(cell)
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef):
            continue
        for line in node.decorator_list:
            if decorator.fullmatch("@" + (ast.get_source_segment(cell, line) or "")):
                lines = cell.splitlines()
                start, end = node.decorator_list[0].lineno - 1, node.end_lineno or len(lines)
                return "\n".join([*lines[:start], *solution_text(exercise).splitlines(), *lines[end:]])
    return cell


def source_of(function: Callable[..., Any]) -> str | None:
    """The function's own text, dedented, or None where Python has none."""
    try:
        return textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError, IndexError, SyntaxError):
        return None


def is_untouched(function: Callable[..., Any], source: str | None) -> bool:
    """Whether nothing is written yet: only comments, a docstring, `...`, `pass` or `raise NotImplementedError`."""
    tree = _definition(source) if source else None
    if tree is None:
        return _does_nothing(function)
    return all(_is_empty(statement) for statement in tree.body)


def _definition(source: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return None
    return next((node for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)), None)


def _is_empty(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Pass):
        return True
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return statement.value.value is Ellipsis or isinstance(statement.value.value, str)
    if isinstance(statement, ast.Raise) and statement.exc is not None:
        raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
        return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
    if isinstance(statement, ast.Return):
        return isinstance(statement.value, ast.Constant) and statement.value.value is Ellipsis
    return False


def _does_nothing(function: Callable[..., Any]) -> bool:
    """Without source: a function that takes up nothing and returns None."""
    code = getattr(function, "__code__", None)
    if code is None:
        return False
    steps = {(step.opname, step.argval if "CONST" in step.opname else None) for step in dis.get_instructions(code)}
    return steps <= {
        ("RESUME", None),
        ("NOP", None),
        ("LOAD_CONST", None),
        ("RETURN_CONST", None),
        ("RETURN_VALUE", None),
    }
