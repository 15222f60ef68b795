"""Two models side by side on one sheet, to print: their stacks from the bottom up, and a table of what differs."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from anatomy_course.figures import canvas
from anatomy_course.figures.canvas import Number
from anatomy_course.figures.drawing import Pen
from anatomy_course.figures.picture import Picture
from anatomy_course.figures.style import look

WIDTH, BLOCK, GAP, LINE = 760, 24, 5, 14
TABLE = (20, 172, 460)
"""Where the table's three columns begin."""
LETTERS = (46, 48)
"""How many letters fit into a line of its second and third column."""
Stack = Mapping[str, Any]


@look()
def side_by_side(
    models: Sequence[tuple[str, Sequence[Stack]]], differences: Sequence[tuple[str, str, str]], marked: Collection[str]
) -> Picture:
    """Two models: the stacks of each, and what differs.

    Args:
        models: two names, each with its stacks: {name, repeats, below, layer, above}; blocks are {label, role, parts}.
        differences: part, what the first has, what the second has.
        marked: the parts whose blocks are marked as other ones.

    Raises:
        ValueError: there are not two models.
    """
    if len(models) != 2:
        raise ValueError(f"There are {len(models)} models; give two.")
    heights = [_height(stack) for _, stacks in models for stack in stacks]
    rows = [(part, _wrapped(one, LETTERS[0]), _wrapped(other, LETTERS[1])) for part, one, other in differences]
    under = 74 + max(heights)
    high = under + 52 + sum(LINE * max(len(one), len(other)) + 8 for _, one, other in rows)
    first, second = (name for name, _ in models)
    pen = Pen(WIDTH, high, f"{first} and {second}", "from the bottom up; ≠: not as beside it")
    for n, (name, stacks) in enumerate(models):
        across = (WIDTH / 2 - 30) / max(1, len(stacks))
        for k, stack in enumerate(stacks):
            x = 20 + n * WIDTH / 2 + k * across
            _stack(pen, x, 62 + max(heights), min(across - 14, 220), stack, marked)
        pen.text(20 + n * WIDTH / 2, 58, name, 12, ha="left", weight="bold")
    pen.text(TABLE[0], under + 24, "what differs", 10.5, ha="left", weight="bold")
    for x, name in zip(TABLE[1:], (first, second), strict=True):
        pen.text(x, under + 24, name, 10.5, ha="left", weight="bold")
    y = under + 50
    for part, one, other in rows:
        pen.text(TABLE[0], y, part, 10, ha="left", va="baseline")
        for x, lines in zip(TABLE[1:], (one, other), strict=True):
            for k, line in enumerate(lines):
                pen.text(x, y + k * LINE, line, 10, ha="left", va="baseline")
        y += LINE * max(len(one), len(other)) + 8
    told = "; ".join(f"{part}: {one} against {other}" for part, one, other in differences)
    return pen.picture(f"{first} and {second}. What differs: {told or 'nothing'}.")


def _wrapped(words: str, letters: int) -> list[str]:
    return textwrap.wrap(words, letters) or [""]


def _blocks(stack: Stack) -> list[tuple[Any, bool]]:
    """The boxes from the bottom up, and whether each is in the layer that repeats."""
    kinds = (("below", False), ("layer", True), ("above", False))
    return [(block, inside) for kind, inside in kinds for block in stack[kind]]


def _height(stack: Stack) -> Number:
    return sum(_tall(block) + GAP for block, _ in _blocks(stack)) + 40


def _tall(block: Mapping[str, Any]) -> Number:
    return BLOCK + 13 * block["label"].count("\n")


def _stack(pen: Pen, x: Number, bottom: Number, width: Number, stack: Stack, marked: Collection[str]) -> None:
    """One stack, standing on `bottom`."""
    y, layer = bottom, []
    for block, inside in _blocks(stack):
        y -= _tall(block) + GAP
        if inside:
            layer += [y, y + _tall(block)]
        if block["label"] == "+":
            pen.sum(x + width / 2, y + BLOCK / 2, radius=8)
            continue
        differs = any(part in marked for part in block["parts"])
        label = ("≠ " if differs else "") + block["label"]
        size = min(10.5, 10.5 * (width - 12) / max(canvas.width_of(line, 10.5, differs) for line in label.split("\n")))
        pen.box(x + 8, y, width - 16, _tall(block), label, block["role"], size=size, bold=differs)
    if layer:
        pen.frame(x, min(layer) - 6, width, max(layer) - min(layer) + 12)
        pen.note(x + width + 2, min(layer) + 6, f"{stack['repeats']} ×", 10, ha="left")
    pen.note(x + 8, y - 10, stack["name"], 10, ha="left")
