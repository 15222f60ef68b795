"""An exercise's text: the stub of a notebook, the solution in its place, and whether a stub is untouched."""

from __future__ import annotations

import ast
import dis
import inspect
import linecache
import textwrap
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from anatomy_course.judge.definition import Exercise

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def stub_text(exercise: Exercise) -> str:
    """The cell that a notebook holds: decorator, signature, docstring and `...`; of a class, its methods with `...`."""
    return _cell(exercise, "\n".join(f"\ndef {method}:\n    ..." for method in exercise.methods) or "...")


def solution_text(exercise: Exercise) -> str:
    """The same cell with the solution in place of `...`."""
    return _cell(exercise, exercise.solution)


def _cell(exercise: Exercise, body: str) -> str:
    docstring = "\n".join(exercise.docstring.splitlines())
    lines = textwrap.indent(f'"""{docstring}"""\n{body}', "    ")
    word = "class" if exercise.kind == "class" else "def"
    return f'@exercise("{exercise.id}")\n{word} {exercise.signature}:\n{lines}\n'


def source_of(function: Callable[..., Any]) -> str | None:
    """The text of a function or class, dedented, or None where Python has none."""
    if isinstance(function, type):
        return _place_of_class(function)[1]
    try:
        return textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError, IndexError, SyntaxError):
        return None


def first_line_of_class(made: type) -> int:
    """The number of its first line, that of a decorator if there is one; 1 where Python does not know."""
    return _place_of_class(made)[0]


def _place_of_class(made: type) -> tuple[int, str | None]:
    """Its first line and its text. Of a class in a notebook `inspect` says that there is none, but its methods know
    where theirs is."""
    code = next((function.__code__ for function in written_methods(made)), None)
    lines = linecache.getlines(code.co_filename) if code else []
    with suppress(SyntaxError):
        for node in ast.walk(ast.parse("".join(lines))):
            if isinstance(node, ast.ClassDef) and node.name == made.__name__:
                start = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                if code and node.lineno <= code.co_firstlineno <= (node.end_lineno or 0):
                    return start, textwrap.dedent("".join(lines[start - 1 : node.end_lineno]))
    return 1, None


def written_methods(made: type) -> list[types.FunctionType]:
    return [value for value in vars(made).values() if isinstance(value, types.FunctionType)]


def globals_of(answer: Callable[..., Any]) -> dict[str, Any]:
    """The global names that a function, or the methods of a class, look up; empty for what has none."""
    functions = map(inspect.unwrap, written_methods(answer) if isinstance(answer, type) else [answer])
    return next((function.__globals__ for function in functions if hasattr(function, "__globals__")), {})


def enclosed(answer: Callable[..., Any]) -> dict[str, Any]:
    """What a function that was made inside another one, or the methods of such a class, see of it."""
    held = {}
    for function in written_methods(answer) if isinstance(answer, type) else [answer]:
        code, cells = getattr(function, "__code__", None), getattr(function, "__closure__", None)
        for name, cell in zip(code.co_freevars if code else (), cells or (), strict=True):
            with suppress(ValueError):  # not filled yet
                held[name] = cell.cell_contents
    return held


@contextmanager
def with_names(answer: Callable[..., Any], given: Mapping[str, Callable[..., Any]]) -> Iterator[None]:
    """While an answer runs, what it may call by name is there, even where its notebook lacks it."""
    names = globals_of(answer)
    lent = {name: function for name, function in given.items() if name not in names}
    names.update(lent)
    try:
        yield
    finally:
        for name in lent:
            names.pop(name, None)


def names_used(answer: Callable[..., Any]) -> set[str]:
    """The global names that a function, or the methods of a class, look up, those of inner functions too."""
    functions = written_methods(answer) if isinstance(answer, type) else [answer]
    return set().union(*(looked_up(function.__code__) for function in functions if hasattr(function, "__code__")))


def names_reached(answer: Callable[..., Any]) -> set[str]:
    """The same with those that its helpers look up: other functions and classes of the same notebook."""
    names, asked = globals_of(answer), [answer]
    found: set[str] = set()
    while asked:
        new = names_used(asked.pop()) - found
        found |= new
        held = [inspect.unwrap(names[name]) for name in new if callable(names.get(name))]
        asked += [v for v in held if isinstance(v, types.FunctionType | type) and globals_of(v) is names]
    return found


def looked_up(code: types.CodeType) -> set[str]:
    """The global names that a piece of code, and all functions in it, look up."""
    found = {step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return found.union(*(looked_up(inner) for inner in code.co_consts if isinstance(inner, types.CodeType)))


def is_untouched(function: Callable[..., Any], source: str | None) -> bool:
    """Whether nothing is written yet: only comments, a docstring, `...`, `pass` or `raise NotImplementedError`."""
    tree = definition_in(source) if source else None
    if tree is None:
        return _does_nothing(function)
    return all(_is_empty(statement) for statement in tree.body)


def definition_in(source: str) -> Definition | None:
    """The first function or class in a text; None where there is none, or Python cannot read it."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return None
    return next((node for node in body if isinstance(node, Definition)), None)


def _is_empty(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Pass):
        return True
    if isinstance(statement, ast.FunctionDef):  # a method
        return all(_is_empty(inner) for inner in statement.body)
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return statement.value.value is Ellipsis or isinstance(statement.value.value, str)
    if isinstance(statement, ast.Raise) and statement.exc is not None:
        raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
        return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
    if isinstance(statement, ast.Return):
        return isinstance(statement.value, ast.Constant) and statement.value.value is Ellipsis
    return False


def _does_nothing(function: Callable[..., Any]) -> bool:
    """Without source: a function that takes up nothing and returns None, or a class with only such methods."""
    if isinstance(function, type):
        return all(map(_does_nothing, written_methods(function)))
    code = getattr(function, "__code__", None)
    if code is None:
        return False
    steps = {(step.opname, step.argval if "CONST" in step.opname else None) for step in dis.get_instructions(code)}
    return steps <= {(name, None) for name in ("RESUME", "NOP", "LOAD_CONST", "RETURN_CONST", "RETURN_VALUE")}
