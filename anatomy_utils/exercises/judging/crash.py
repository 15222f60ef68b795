"""A crash in the learner's terms: their own line, what stood in it, and torch's message in plain words."""

from __future__ import annotations

import ast
import linecache
import re
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any

import numpy
import torch
from torch import Tensor

PACKAGE = str(Path(__file__).parents[2])
LIBRARIES = tuple({*sysconfig.get_paths().values(), str(Path(torch.__file__).parent), PACKAGE, "<frozen", "<string>"})


@dataclass(frozen=True)
class SourceLine:
    """A line of the learner's, with what its names held.

    Args:
        number: as counted in its cell or file.
        text: the line.
        part: the expression within the line that failed; empty where it cannot be told.
        held: name and description, in the order in which they stand on the line.
    """

    number: int
    text: str
    part: str = ""
    held: tuple[tuple[str, str], ...] = ()

    def turns_all_axes_round(self) -> bool:
        """Whether `.T` is taken of something with more than two axes on this line."""
        return any(
            re.search(rf"\b{re.escape(name)}\.(T\b|t\(\))", self.text)
            and words.count(",") > 1
            and words.startswith("shape")
            for name, words in self.held
        )


def learners_line(error: BaseException, function: Callable[..., Any], source: str | None = None) -> SourceLine | None:
    """The innermost line that the learner wrote; None when the call itself did not fit.

    Of a recursion without end it is the line that calls the function again, not the one that happened to be the last.
    """
    code: CodeType | None = getattr(function, "__code__", None)
    found: tuple[FrameType, int, int] | None = None
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        if isinstance(error, RecursionError) and found is not None and trace.tb_frame.f_code is code:
            break
        filename = trace.tb_frame.f_code.co_filename
        if (code is not None and filename == code.co_filename) or not filename.startswith(LIBRARIES):
            found = trace.tb_frame, trace.tb_lineno, trace.tb_lasti
        trace = trace.tb_next
    if found is None:
        return None
    frame, number, instruction = found
    text = _text(frame, number, code, source)
    part = _failed_part(frame.f_code, instruction, text)
    return SourceLine(number, text.strip(), part, _held(part or text, frame))


def _text(frame: FrameType, number: int, code: CodeType | None, source: str | None) -> str:
    line = linecache.getline(frame.f_code.co_filename, number, frame.f_globals)
    if line or source is None or code is None or frame.f_code is not code:
        return line.rstrip("\n")
    lines = source.splitlines()
    first = next((i for i, text in enumerate(lines) if text.lstrip().startswith(("def ", "@"))), 0)
    index = first + number - code.co_firstlineno
    return lines[index] if 0 <= index < len(lines) else ""


def _failed_part(code: CodeType, instruction: int, text: str) -> str:
    start, end, first, last = list(code.co_positions())[instruction // 2]
    if start is None or start != end or first is None or last is None:
        return ""
    part = text.encode()[first:last].decode(errors="ignore")
    return part if part.strip() and part.strip() != text.strip() else ""


def _held(text: str, frame: FrameType) -> tuple[tuple[str, str], ...]:
    names = _names(text)
    values = {**frame.f_globals, **frame.f_locals}
    described = ((name, describe(values[name])) for name in names if name in values)
    return tuple((name, words) for name, words in described if words)


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
        return repr(value[:30])
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
