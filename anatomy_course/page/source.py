"""Show the real code of an organ in a notebook, so that no cell ever holds a copy that drifts."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any


@dataclass(frozen=True)
class Source:
    """A piece of the package's source, shown as highlighted code."""

    code: str

    def _repr_markdown_(self) -> str:
        return f"```python\n{self.code}\n```"

    def __repr__(self) -> str:
        return self.code


def show_source(thing: Callable[..., Any] | type | str) -> Source:
    """The source of a function or class, or of what has this dotted name, without its docstrings.

    Raises:
        ValueError: `thing` has no Python source (a builtin, or something that is neither function nor class).

    >>> show_source(show_source).code.splitlines()[0]
    'def show_source(thing: Callable[..., Any] | type | str) -> Source:'
    """
    found: Any = resolve_name(thing) if isinstance(thing, str) else thing
    try:
        text = textwrap.dedent(inspect.getsource(inspect.unwrap(found)))
    except (TypeError, OSError) as error:
        raise ValueError(f"{thing!r} has no Python source to show; give a function or a class.") from error
    lines: list[str | None] = list(text.splitlines())
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or ast.get_docstring(node) is None:
            continue
        docstring = node.body[0]
        for number in range(docstring.lineno - 1, docstring.end_lineno or docstring.lineno):
            lines[number] = None
    kept = [line for line in lines if line is not None]
    return Source("\n".join(line for i, line in enumerate(kept) if line.strip() or (i and kept[i - 1].strip())).strip())
