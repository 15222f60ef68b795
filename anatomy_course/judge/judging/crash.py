"""A crash in the learner's terms: their own line, what stood in it, and torch's message in plain words."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Any

import numpy
import torch
from torch import Tensor

from anatomy_course.judge.attempt.tried import cut
from anatomy_course.judge.judging.place import Place


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


def line_of(place: Place) -> SourceLine:
    """The line of a crash, as it is shown."""
    part = _failed_part(place)
    return SourceLine(place.number, place.text.strip(), part, _held(part or place.text, place))


def _failed_part(place: Place) -> str:
    if place.span is None or place.span[0] != place.span[1]:
        return ""
    part = place.text.encode()[place.span[2] : place.span[3]].decode(errors="ignore")
    return part if part.strip() and part.strip() != place.text.strip() else ""


def _held(text: str, place: Place) -> tuple[tuple[str, str], ...]:
    described = ((name, describe(place.names[name])) for name in _names(text) if name in place.names)
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
