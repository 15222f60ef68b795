"""Where the learner's code crashed: the frame, the failed expression, and everything it is part of."""

from __future__ import annotations

import ast
import linecache
import sysconfig
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any

import torch

import anatomy_utils

OURS = [str(Path(__file__).parents[2]), str(Path(anatomy_utils.__path__[0]))]
LIBRARIES = tuple({*sysconfig.get_paths().values(), str(Path(torch.__file__).parent), *OURS, "<frozen", "<string>"})


@dataclass(frozen=True)
class Place:
    """The innermost point at which the learner's own code was running.

    Args:
        frame: with what the names held.
        number: the line, as counted in its cell or file.
        instruction: the index of the instruction.
        innermost: whether nothing was running that this line had called.
        lines: the text that the line belongs to; empty where it is not to be had.
        shift: how far the line's number is ahead of its number in `lines`.
    """

    frame: FrameType
    number: int
    instruction: int
    innermost: bool
    lines: tuple[str, ...]
    shift: int

    @property
    def text(self) -> str:
        """The line itself."""
        index = self.number - self.shift - 1
        return self.lines[index].rstrip("\n") if 0 <= index < len(self.lines) else ""

    @cached_property
    def span(self) -> tuple[int, int, int, int] | None:
        """First line, last line, first byte and last byte of the failed expression."""
        start, end, first, last = list(self.frame.f_code.co_positions())[self.instruction // 2]
        if start is None or end is None or first is None or last is None:
            return None
        return start - self.shift, end - self.shift, first, last

    @cached_property
    def names(self) -> Mapping[str, Any]:
        """What every name held."""
        return {**self.frame.f_globals, **self.frame.f_locals}

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """The failed expression and everything around it, innermost first; empty where it cannot be told."""
        tree = _tree(self.lines)
        return _path(tree, self.span)[::-1] if tree is not None and self.span is not None else []

    @property
    def node(self) -> ast.AST | None:
        """The failed expression itself."""
        return next(iter(self.nodes), None)

    @property
    def statement(self) -> ast.stmt | None:
        """The innermost statement that the failed expression is part of."""
        return next((node for node in self.nodes if isinstance(node, ast.stmt)), None)

    @property
    def function(self) -> ast.AST | None:
        """The innermost function that the line is part of."""
        return next((node for node in self.nodes if isinstance(node, ast.FunctionDef | ast.Lambda)), None)

    def code_of(self, function: Callable[..., Any]) -> bool:
        """Whether the line is the function's own, not a helper's."""
        return self.frame.f_code is getattr(function, "__code__", None)

    def shown(self, node: ast.AST) -> str:
        """An expression as the learner wrote it, on one line."""
        text = ast.get_source_segment("".join(self.lines), node) or ast.unparse(node)
        return " ".join(text.split())


def learners_place(error: BaseException, function: Callable[..., Any], source: str | None = None) -> Place | None:
    """The innermost point in code that the learner wrote; None when the call itself did not fit.

    Of a recursion without end it is the line that calls the function again, not the one that happened to be the last.
    """
    code: CodeType | None = getattr(function, "__code__", None)
    found: TracebackType | None = None
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        if isinstance(error, RecursionError) and found is not None and trace.tb_frame.f_code is code:
            break
        filename = trace.tb_frame.f_code.co_filename
        if (code is not None and filename == code.co_filename) or not filename.startswith(LIBRARIES):
            found = trace
        trace = trace.tb_next
    if found is None:
        return None
    lines, shift = _lines(found.tb_frame, code, source)
    return Place(found.tb_frame, found.tb_lineno, found.tb_lasti, found.tb_next is None, lines, shift)


def _lines(frame: FrameType, code: CodeType | None, source: str | None) -> tuple[tuple[str, ...], int]:
    lines = linecache.getlines(frame.f_code.co_filename, frame.f_globals)
    if lines or source is None or code is None or frame.f_code.co_filename != code.co_filename:
        return tuple(lines), 0
    text = source.splitlines(keepends=True)
    first = next((i for i, line in enumerate(text) if line.lstrip().startswith(("def ", "@"))), 0)
    return tuple(text), code.co_firstlineno - first - 1


def _tree(lines: tuple[str, ...]) -> ast.Module | None:
    try:
        return ast.parse("".join(lines))
    except (SyntaxError, ValueError):
        return None


def _path(node: ast.AST, span: tuple[int, int, int, int]) -> list[ast.AST]:
    """From the outermost to the innermost node that encloses the span."""
    path: list[ast.AST] = []
    inside: ast.AST | None = node
    while inside is not None:
        path.append(inside)
        inside = next((child for child in _children(inside) if _encloses(child, span)), None)
    return path


def _children(node: ast.AST) -> list[ast.AST]:
    """The parts that have a place in the text; a comprehension's `for` and a `with`'s item have none of their own."""
    return [
        child
        for part in ast.iter_child_nodes(node)
        for child in ([part] if hasattr(part, "lineno") else ast.iter_child_nodes(part))
    ]


def _encloses(node: ast.AST, span: tuple[int, int, int, int]) -> bool:
    start, end, first, last = span
    own = [getattr(node, name, None) for name in ("lineno", "end_lineno", "col_offset", "end_col_offset")]
    if any(number is None for number in own):
        return False
    return (own[0], own[2]) <= (start, first) and (end, last) <= (own[1], own[3])
