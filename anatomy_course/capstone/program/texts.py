"""Texts for the exported program: statements of a file or of a learner's saved answer, each with its name."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

ONLY_TYPES = {"jaxtyping"}
"""Modules that annotations alone speak of; nothing reads these when the program runs."""


@dataclass(frozen=True)
class Statement:
    """A definition or an assignment of a file.

    Attributes:
        name: what it defines; empty for anything else.
        text: its lines, with comments directly above it.
    """

    name: str
    text: str


@dataclass(frozen=True)
class FileParts:
    """A file's text in parts.

    Attributes:
        imports: name → module and what is taken from it; None where the module itself is imported.
        statements: everything below the imports, in order.
    """

    imports: dict[str, tuple[str, str | None]]
    statements: list[Statement]


def source_in_parts(text: str) -> FileParts:
    """A file's text in parts, without its docstring.

    Raises:
        SyntaxError: it is no Python.
    """
    imports: dict[str, tuple[str, str | None]] = {}
    statements: list[Statement] = []
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if isinstance(node, ast.Import):
            imports |= {each.asname or each.name: (each.name, None) for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            imports |= {each.asname or each.name: (node.module or "", each.name) for each in node.names}
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            statements.append(Statement(_name(node), "\n".join(lines[_first(node, lines) : node.end_lineno])))
        elif statements:  # the words about the assignment above it
            words = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            statements[-1] = Statement(statements[-1].name, f"{statements[-1].text}\n{words}")
    imports.pop("annotations", None)
    return FileParts(imports, statements)


def source_of_module(name: str, wanted: Iterable[str] | None = None) -> FileParts:
    """A module of the course in parts.

    Args:
        name: its dotted path.
        wanted: the names of its statements that are kept; all when left out.
    """
    spec = find_spec(name)
    assert spec is not None and spec.origin is not None
    found = source_in_parts(Path(spec.origin).read_text(encoding="utf-8"))
    if wanted is None:
        return found
    by_name = {each.name: each for each in found.statements}
    return FileParts(found.imports, [by_name[each] for each in wanted])


def import_lines(imports: dict[str, tuple[str, str | None]]) -> list[str]:
    """The lines that import all this, sorted."""
    whole = sorted(f"import {module}" + (f" as {name}" if name != module else "")
                   for name, (module, part) in imports.items() if part is None)  # fmt: skip
    parts: dict[str, list[str]] = {}
    for name, (module, part) in sorted(imports.items()):
        if part is not None:
            parts.setdefault(module, []).append(part if part == name else f"{part} as {name}")
    return [*whole, *(f"from {module} import {', '.join(names)}" for module, names in sorted(parts.items()))]


def renamed(text: str, old: str, new: str) -> str:
    """A text with one of its names replaced; attributes and keyword arguments of that name stay."""
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    lines, depth = text.splitlines(keepends=True), 0
    found: list[tuple[int, int]] = []
    for before, token, after in zip([None, *tokens], tokens, [*tokens[1:], None], strict=False):
        depth += (token.string in "([{" and token.type == tokenize.OP) - (
            token.string in ")]}" and token.type == tokenize.OP
        )
        keyword = depth > 0 and after is not None and after.string == "="
        attribute = before is not None and before.string == "."
        if token.type == tokenize.NAME and token.string == old and not keyword and not attribute:
            found.append(token.start)
    for row, column in reversed(found):
        line = lines[row - 1]
        lines[row - 1] = line[:column] + new + line[column + len(old) :]
    return "".join(lines)


def _name(node: ast.stmt) -> str:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""


def _first(node: ast.stmt, lines: list[str]) -> int:
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))]) - 1
    while first and lines[first - 1].startswith("#"):
        first -= 1
    return first
