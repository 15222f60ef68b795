"""A crash in the learner's terms: their own line, what stood in it, and torch's message in plain words."""

from __future__ import annotations

import ast
import linecache
import re
import sysconfig
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any, cast

import numpy
import torch
from torch import Tensor

import anatomy_utils
from anatomy_course.judge.attempt.tried import cut


@dataclass(frozen=True)
class SourceLine:
    """A line of the learner's, with what its names held."""

    number: int  # as counted in its cell or file
    text: str  # the line
    part: str = ""  # the expression within the line that failed; empty where it cannot be told
    held: tuple[tuple[str, str], ...] = ()  # name and description, in the order in which they stand on the line

    def turns_all_axes_round(self) -> bool:
        """Whether `.T` is taken of something with more than two axes on this line."""
        return any(
            re.search(rf"\b{re.escape(name)}\.(T\b|t\(\))", self.text)
            and words.count(",") > 1
            and words.startswith("shape")
            for name, words in self.held
        )


def line_of(place: Place) -> SourceLine:
    """The line of a crash, as it is shown."""
    text, part = place.text.strip(), ""
    if place.span is not None and place.span[0] == place.span[1]:
        part = place.text.encode()[place.span[2] : place.span[3]].decode(errors="ignore")
    if part.strip() in ("", text):
        part = ""
    described = ((name, describe(place.names[name])) for name in _names(part or text) if name in place.names)
    return SourceLine(place.number, text, part, tuple((name, words) for name, words in described if words))


def _names(text: str) -> list[str]:
    text = text.strip().rstrip(":")
    for attempt in (text, text.partition(" ")[2]):
        try:
            nodes = [node for node in ast.walk(ast.parse(attempt)) if isinstance(node, ast.Name)]
        except SyntaxError:
            continue
        nodes.sort(key=lambda node: (node.lineno, node.col_offset))
        return list(dict.fromkeys(node.id for node in nodes))
    return []


def describe(value: Any) -> str:
    """A few words for what a name holds: `"shape (3, 5)"`; empty for modules, functions and types."""
    if isinstance(value, Tensor):
        kind = "" if value.is_floating_point() else f", {type_words(value)}"
        return f"shape {tuple(value.shape)}{kind}"
    if isinstance(value, numpy.ndarray):
        return f"a NumPy array of shape {value.shape}"
    if isinstance(value, bool | int | float):
        return repr(value)
    if value is None:
        return "None"
    if isinstance(value, str):
        return cut(value)
    if isinstance(value, list | tuple):
        return f"a {type(value).__name__} of {len(value)}"
    return ""


def type_words(tensor: Tensor) -> str:
    """What a tensor holds, in words: `"whole numbers (int64)"`."""
    name = str(tensor.dtype).removeprefix("torch.")
    if tensor.dtype == torch.bool:
        return "True and False (bool)"
    if tensor.is_complex():
        return f"complex numbers ({name})"
    return f"numbers with a fraction ({name})" if tensor.is_floating_point() else f"whole numbers ({name})"


OURS = [str(Path(__file__).parents[2]), str(Path(anatomy_utils.__path__[0]))]
LIBRARIES = tuple({*sysconfig.get_paths().values(), str(Path(torch.__file__).parent), *OURS, "<frozen", "<string>"})


@dataclass(frozen=True)
class Place:
    """The innermost point at which the learner's own code was running."""

    frame: FrameType  # with what the names held
    number: int  # the line, as counted in its cell or file
    instruction: int  # the index of the instruction
    innermost: bool  # whether nothing was running that this line had called
    lines: tuple[str, ...]  # the text that the line belongs to; empty where it is not to be had
    shift: int  # how far the line's number is ahead of its number in `lines`

    @property
    def text(self) -> str:
        index = self.number - self.shift - 1
        return self.lines[index].rstrip("\n") if 0 <= index < len(self.lines) else ""

    @cached_property
    def span(self) -> tuple[int, int, int, int] | None:
        """First line, last line, first byte and last byte of the failed expression."""
        span = list(self.frame.f_code.co_positions())[self.instruction // 2]
        if None in span:
            return None
        start, end, first, last = cast(tuple[int, int, int, int], span)
        return start - self.shift, end - self.shift, first, last

    @cached_property
    def names(self) -> Mapping[str, Any]:
        return {**self.frame.f_globals, **self.frame.f_locals}

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """The failed expression and everything around it, innermost first; empty where it cannot be told."""
        path: list[ast.AST] = []
        with suppress(SyntaxError, ValueError):
            inside: ast.AST | None = ast.parse("".join(self.lines)) if self.span else None
            while inside is not None:
                path.insert(0, inside)
                inside = next((child for child in _children(inside) if _encloses(child, self.span)), None)
        return path

    @property
    def node(self) -> ast.AST | None:
        return self.nodes[0] if self.nodes else None

    @property
    def statement(self) -> ast.stmt | None:
        return next((node for node in self.nodes if isinstance(node, ast.stmt)), None)

    @property
    def function(self) -> ast.AST | None:
        """The innermost function that the line is part of."""
        return next((node for node in self.nodes if isinstance(node, ast.FunctionDef | ast.Lambda)), None)

    def is_in(self, function: Callable[..., Any]) -> bool:
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


def _children(node: ast.AST) -> list[ast.AST]:
    """The parts that have a place in the text; a comprehension's `for` and a `with`'s item have none of their own."""
    return [
        child
        for part in ast.iter_child_nodes(node)
        for child in ([part] if hasattr(part, "lineno") else ast.iter_child_nodes(part))
    ]


def _encloses(node: Any, span: Any) -> bool:
    start, end, first, last = span
    if getattr(node, "end_lineno", None) is None:
        return False
    own = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    return own[0] <= (start, first) and (end, last) <= own[1]
