"""Target and yours side by side: small windows of two tensors, as data, as HTML tables and as aligned text."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from anatomy_course.figures import palette
from anatomy_course.figures.canvas import number
from anatomy_course.judge.attempt.tensors import differing, numbers, plain

ROWS, COLUMNS = 6, 6
"""The largest window: two of them fit side by side on a laptop and, one below the other, on a phone."""


@dataclass(frozen=True)
class Window:
    """A piece of a tensor, ready to be drawn.

    Args:
        levels: rows of numbers from −1 to 1, for the background; None for no background.
        rows, columns: indices, as texts.
    """

    caption: str  # what it is, with the whole tensor's shape
    cells: tuple[tuple[str, ...], ...]  # rows of texts
    levels: tuple[tuple[float | None, ...], ...]
    marked: tuple[tuple[bool, ...], ...]  # rows of True where the cell differs from the target
    rows: tuple[str, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True)
class TensorComparison:
    """The two windows and the line above them."""

    title: str
    kind: Literal["weights", "signed", "mask"]
    target: Window
    yours: Window


def compare(name: str, target: Tensor, yours: Tensor) -> TensorComparison:
    """Choose the window around the first difference and fill it; where the shapes are equal, differing cells are
    marked."""
    target, yours = plain(target), plain(yours)
    alike = target.shape == yours.shape
    marks = differing(yours, target) if alike else torch.zeros(yours.shape, dtype=torch.bool)
    first = marks.nonzero()[0].tolist() if bool(marks.any()) else None
    kind = _kind(target)
    scale = max(_largest(target), _largest(yours)) if kind == "signed" else 1.0
    unmarked = torch.zeros(target.shape, dtype=torch.bool)
    return TensorComparison(
        f"{name}: first the target, then yours",
        kind,
        _window("target", target, unmarked, first, kind, scale),
        _window("yours", yours, marks, first, kind, scale),
    )


def _kind(tensor: Tensor) -> Literal["weights", "signed", "mask"]:
    if tensor.dtype == torch.bool:
        return "mask"
    values = numbers(tensor)
    if tensor.is_floating_point() and tensor.numel() and bool(((values >= 0) & (values <= 1)).all()):
        return "weights"
    return "signed"


def _largest(tensor: Tensor) -> float:
    if tensor.numel() == 0 or tensor.is_complex():
        return 0.0
    values = numbers(tensor)
    return float(values[values.isfinite()].abs().max()) if bool(values.isfinite().any()) else 0.0


def _window(whose: str, tensor: Tensor, marks: Tensor, first: list[int] | None, kind: str, scale: float) -> Window:
    caption = f"{whose}, shape {tuple(tensor.shape)}"
    lead = (first or [0] * tensor.dim())[:-2] if tensor.dim() > 2 else []
    if lead:
        caption += f", at {'[' + ', '.join(map(str, lead)) + ', :, :]'}"
    if tensor.numel() == 0:
        return Window(caption + " (nothing in it)", (), (), (), (), ())
    sheet, marks = _matrix(tensor[tuple(lead)]), _matrix(marks[tuple(lead)])
    row, column = ([0, 0] + (first or []))[-2:] if tensor.dim() else (0, 0)
    rows = _span(row if tensor.dim() > 1 else 0, sheet.shape[0], ROWS)
    columns = _span(column, sheet.shape[1], COLUMNS)
    if len(rows) < sheet.shape[0] or len(columns) < sheet.shape[1]:
        caption += ", a part of it"
    picked = [[sheet[i, j] for j in columns] for i in rows]
    return Window(
        caption,
        tuple(tuple(cell_text(cell) for cell in line) for line in picked),
        tuple(tuple(_level(cell, kind, scale) for cell in line) for line in picked),
        tuple(tuple(bool(marks[i, j]) for j in columns) for i in rows),
        tuple(str(i) for i in rows) if tensor.dim() > 1 else ("",) * len(rows),
        tuple(str(j) for j in columns) if tensor.dim() else ("",) * len(columns),
    )


def _matrix(tensor: Tensor) -> Tensor:
    return tensor.reshape(1, -1) if tensor.dim() < 2 else tensor


def _span(position: int, length: int, most: int) -> range:
    start = 0 if position < most else min(position - most // 2, length - most)
    return range(max(0, start), min(length, max(0, start) + most))


def cell_text(cell: Tensor) -> str:
    """One number in at most eight characters."""
    value = cell.item()
    if isinstance(value, bool):
        return "True" if value else "False"
    if isinstance(value, int | complex):
        return str(value)
    return number(value, 3, "g" if abs(value) >= 1000 or 0 < abs(value) < 0.001 else "f")


def _level(cell: Tensor, kind: str, scale: float) -> float | None:
    if cell.is_complex() or not math.isfinite(value := float(cell.item())):
        return None
    return max(-1.0, min(1.0, value / scale if scale else 0.0))


def as_text(comparison: TensorComparison) -> str:
    """Two aligned blocks; `*` stands behind each cell that differs."""
    return "\n".join([comparison.title, _block(comparison.target), _block(comparison.yours)])


def _block(window: Window) -> str:
    if not window.cells:
        return f"  {window.caption}"
    width = max(len(text) for line in (*window.cells, window.columns) for text in line)
    margin = max(map(len, window.rows))
    lines = [f"  {window.caption}"]
    if any(window.columns):
        lines.append(f"    {'':>{margin}} " + " ".join(f"{name:>{width}} " for name in window.columns))
    for name, texts, marks in zip(window.rows, window.cells, window.marked, strict=True):
        cells = " ".join(f"{text:>{width}}{'*' if mark else ' '}" for text, mark in zip(texts, marks, strict=True))
        lines.append(f"    {name:>{margin}} {cells}")
    return "\n".join(line.rstrip() for line in lines)


def as_html(comparison: TensorComparison) -> str:
    """Two tables next to each other; differing cells are framed and carry a `≠`."""
    title = html.escape(comparison.title)
    tables = _table(comparison.target, comparison.kind) + _table(comparison.yours, comparison.kind)
    return f'<p>{title}</p><div style="display:flex;flex-wrap:wrap;gap:1.5em">{tables}</div>'


def _table(window: Window, kind: str) -> str:
    head = "".join(f'<th scope="col">{name}</th>' for name in window.columns)
    rows = [f"<tr><td></td>{head}</tr>"] if any(window.columns) else []
    for name, texts, levels, marks in zip(window.rows, window.cells, window.levels, window.marked, strict=True):
        cells = "".join(_cell(*cell, kind) for cell in zip(texts, levels, marks, strict=True))
        rows.append(f'<tr><th scope="row">{name}</th>{cells}</tr>')
    caption = f'<caption style="text-align:left">{html.escape(window.caption)}</caption>'
    return f'<table style="font-variant-numeric:tabular-nums;margin:0">{caption}{"".join(rows)}</table>'


def _cell(text: str, level: float | None, mark: bool, kind: str) -> str:
    frame = f"border:2px solid {palette.FAIL.light if mark else 'transparent'}"
    paint = ""
    if level is not None:
        background = color(level, kind)
        paint = f"background:{background};color:{_ink(background)};"
    # Beside its number in room that every cell has, so that columns keep their width.
    sign = '<span title="differs from the target" style="float:left;margin-left:-1em">≠</span>' if mark else ""
    return f'<td style="{paint}{frame};text-align:right;padding:2px 6px 2px 1.2em">{sign}{html.escape(text)}</td>'


def color(level: float, kind: str) -> str:
    """The light page's background color for a level from −1 to 1."""
    stops = palette.DIVERGING["light"] if kind == "signed" else palette.SEQUENTIAL["light"]
    place = ((level + 1) / 2 if kind == "signed" else max(0.0, level)) * (len(stops) - 1)
    low = min(int(place), len(stops) - 2)
    mixed = (
        round(int(stops[low][i : i + 2], 16) * (1 - place + low) + int(stops[low + 1][i : i + 2], 16) * (place - low))
        for i in (1, 3, 5)
    )
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _ink(background: str) -> str:
    """Black or white, whichever is easier to read on the background."""
    red, green, blue = (int(background[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return "#ffffff" if 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2 < 0.2 else palette.INK.light
