"""Diagrams of the course and of the families: the eleven notebooks on the body, three branches, the family tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from anatomy_course.figures import canvas, transformer_layout as layout
from anatomy_course.figures.canvas import Number
from anatomy_course.figures.drawing import Pen
from anatomy_course.figures.picture import Picture
from anatomy_course.figures.style import INK, PAGE, QUIET, look
from anatomy_course.page.notebooks import NOTEBOOKS


def _badge(pen: Pen, x: Number, y: Number, words: str, radius: Number = 10, dark: bool = True) -> None:
    pen.circle(x, y, radius, facecolor=INK if dark else PAGE, edgecolor=INK, linewidth=1.3, zorder=7)
    pen.text(x, y + 0.5, words, radius * 0.95, PAGE if dark else INK, weight="bold", zorder=8)


@look()
def course() -> Picture:
    """The course as a path of eleven notebooks beside the body whose parts they teach."""
    pen = Pen(760, 558, "The course", "eleven notebooks along the body of a transformer")
    _body(pen, 20, 27, 0.565)
    x, top, step = 452, 66, 46
    pen.arrow((x, top), (x, top + step * (len(NOTEBOOKS) - 1)), width=2, tip=False)
    for i, notebook in enumerate(NOTEBOOKS):
        y = top + i * step
        _badge(pen, x, y, str(i), 14)
        pen.text(x + 28, y - 13, notebook.title, 13, ha="left", weight="bold")
        pen.note(x + 28, y + 3, notebook.subject, 11, ha="left")
        pen.note(x + 28, y + 17, notebook.time, 10, ha="left")
    return pen.picture(
        "The course as a map of the transformer: each part carries the number of the notebook that teaches it. "
        "The path: " + ", ".join(f"{i} {each.title}" for i, each in enumerate(NOTEBOOKS)) + "."
    )


def _body(pen: Pen, x: Number, y: Number, scale: Number) -> None:
    """The transformer map, smaller, with the number of the teaching notebook on each part."""
    for part in layout.parts():
        if part.frame:
            pen.frame(x + part.x * scale, y + part.y * scale, part.width * scale, part.height * scale)
            side = x + (part.x + (0 if part.x < 350 else part.width)) * scale
            _badge(pen, side, y + (part.y + part.height - 8) * scale, part.notebook[1], 9)
    for arrow in layout.arrows():
        pen.arrow(*((x + a * scale, y + b * scale) for a, b in arrow.points), kind=arrow.kind, width=1.2)
    for a, b in layout.SUMS:
        pen.sum(x + a * scale, y + b * scale, radius=7)
    for part in layout.parts():
        if not part.frame:
            pen.box(x + part.x * scale, y + part.y * scale, part.width * scale, part.height * scale, part.label,
                    part.role, size=8.2)  # fmt: skip
            left = part.id not in ("heads", "decoder_positions")
            edge = x + part.x * scale - 3 if left else x + (part.x + part.width) * scale + 3
            _badge(pen, edge, y + part.y * scale, part.notebook[1], 7.5)


@look()
def where_are_we(notebook: str) -> Picture:
    """A strip of the eleven notebooks with the present one marked; for the top of a notebook.

    Raises:
        ValueError: there is no notebook of that name.
    """
    names = [each.file for each in NOTEBOOKS]
    if notebook not in names:
        raise ValueError(f"There is no notebook {notebook!r}; choose one of {', '.join(names)}.")
    here = names.index(notebook)
    pen = Pen(700, 84)
    xs = np.linspace(44, 656, len(names))
    pen.arrow((xs[0], 32), (xs[-1], 32), width=2, tip=False)
    for i, (x, each) in enumerate(zip(xs, NOTEBOOKS, strict=True)):
        _badge(pen, x, 32, str(i), 15 if i == here else 10, dark=i == here)
        words = (
            each.title.replace("head ", "head\n")
            .replace("–", "–\n")
            .replace("ons and", "ons\nand")
            .replace("Recent ", "Recent\n")
        )
        pen.text(x, 54, words, 10, INK if i == here else QUIET, va="top", weight="bold" if i == here else "normal")
    pen.text(xs[here], 9, "you are here", 10, weight="bold")
    return pen.picture(f"Where we are: notebook {here} of 0 to {len(NOTEBOOKS) - 1}, {NOTEBOOKS[here].title}.")


@look()
def three_branches() -> Picture:
    """Encoder only, decoder only, and both: who may look where, what each is trained on and good at."""
    triangle = np.tril(np.ones((6, 6)))
    branches = (
        ("Encoder only", "BERT family", [("every word sees\nevery word", np.ones((6, 6)))], "guess hidden words",
         "classify, tag, search,\nfind an answer in a text"),
        ("Decoder only", "GPT family", [("a word sees\nitself and the past", triangle)], "guess the next token",
         "continue, write, chat,\nanything put as text"),
        ("Encoder–decoder", "T5, BART", [("source:\nall", np.ones((6, 6))), ("target:\nthe past", triangle)],
         "write the target of a source", "translate, summarize,\nrewrite"),
    )  # fmt: skip
    pen = Pen(700, 412, "Three branches", "who may look where: one row per query, one column per key")
    for i, (name, family, maps, task, use) in enumerate(branches):
        x = 16 + i * 228
        pen.frame(x, 48, 212, 350)
        pen.text(x + 106, 72, name, 14, weight="bold")
        pen.note(x + 106, 91, family, 11)
        wide, gap = 90.0, 12.0
        start = x + 106 - (wide * len(maps) + gap * (len(maps) - 1)) / 2
        for n, (words, seen) in enumerate(maps):
            pen.cells(start + n * (wide + gap), 112, 0.45 * seen, 15, 15, "weights", seen=seen > 0)
            pen.note(start + n * (wide + gap) + wide / 2, 222, words, 10)
        if len(maps) == 2:
            pen.note(x + 106, 251, "and the target sees all of the source", 9.5)
        pen.text(x + 106, 282, "trained to", 10, QUIET)
        pen.text(x + 106, 300, task, 11.5, weight="bold")
        pen.text(x + 106, 332, "good at", 10, QUIET)
        pen.text(x + 106, 360, use, 11)
    return pen.picture(
        "Three branches. Encoder only (BERT family): every word sees every word, trained to guess hidden words. "
        "Decoder only (GPT family): a word sees itself and the past, trained to guess the next token. "
        "Encoder–decoder (T5, BART): the source sees all of itself, the target its own past and all of the source."
    )


BRANCHES = {"encoder": "memory", "decoder": "query", "encoder–decoder": "weights"}
ROOT = "root"


@runtime_checkable
class Row(Protocol):
    """What the drawing needs of a model; `anatomy_utils.taxonomy` holds such rows."""

    @property
    def name(self) -> str: ...
    @property
    def year(self) -> int: ...
    @property
    def parent(self) -> str: ...
    @property
    def branch(self) -> str: ...
    @property
    def change(self) -> str: ...


@look()
def family_tree(models: Sequence[Row]) -> Picture:
    """The models of a taxonomy under their roots, each with its year and what it changed.

    Args:
        models: the rows; roots have the branch "root", and the last of them is the trunk of the three branches.
    """
    *older, trunk = (model for model in models if model.branch == ROOT)
    longest = max(sum(model.branch == branch for model in models) for branch in BRANCHES)
    pen = Pen(760, 172 + longest * STEP, "Family tree", "each model is its parent plus what changed")
    pen.box(286, 44, 188, 42, trunk.name, "ink", note=f"{trunk.year}: {trunk.change}", bold=True)
    for x, model in zip((16, 530), older, strict=False):
        pen.box(x, 44, 214, 42, model.name, "ink", note=f"{model.year}: {model.change}", dashed=True)
        if model.name == trunk.parent:
            pen.arrow((x + 214, 65), (286, 65))
    for i, (branch, role) in enumerate(BRANCHES.items()):
        x = 16 + i * 248
        pen.arrow((380, 86), (380, 101), (x + 110, 101), (x + 110, 118))
        words = branch if "–" in branch else f"{branch} branch"
        pen.box(x, 118, 228, 28, words, role, bold=True, size=11.5)
        _twigs(pen, x + 10, 146, role, _in_order(models, branch), trunk.name)
    return pen.picture(
        f"Family tree under the {trunk.name} of {trunk.year} in three branches. "
        + " ".join(
            f"{branch.capitalize()}: "
            + ", ".join(f"{row.name} {row.year}" for row in models if row.branch == branch)
            + "."
            for branch in BRANCHES
        )
        + f" {' and '.join(model.name for model in older)}, recurrent, are drawn beside them as predecessors."
    )


@look()
def part_grid(models: Sequence[Row], parts: Sequence[str], has: Sequence[Sequence[bool]]) -> Picture:
    """Models by year against parts: a full mark where a part is for the first time, a light one where it is again.

    Args:
        models: the rows, by year.
        parts: names of the columns.
        has: whether a model has a part, a row for each model.

    Raises:
        ValueError: the table does not fit the names.
    """
    table = np.asarray(has, dtype=bool)
    if table.shape != (len(models), len(parts)):
        raise ValueError(f"The table is {table.shape}, but there are {len(models)} models and {len(parts)} parts.")
    left, top, down = 236, 146, 17
    across = min(34, (744 - left) / len(parts))
    pen = Pen(760, top + down * len(models) + 34, "Who has which part", "● for the first time in this tree, ○ again")
    for column, part in enumerate(parts):
        x = left + column * across
        pen.text(x, top - 14, part, 10, ha="left", va="bottom", rotation=50, rotation_mode="anchor")
    for row, model in enumerate(models):
        y = top + row * down
        pen.note(20, y, str(model.year), 10, ha="left")
        pen.text(56, y, model.name, 10.5, ha="left", weight="bold")
        pen.arrow((left - 12, y), (left + across * (len(parts) - 1) + 12, y), width=0.4, tip=False)
        for column in np.flatnonzero(table[row]).tolist():
            first = not table[:row, column].any()
            _badge(pen, left + column * across, y, "", 6.5 if first else 4.5, dark=first)
    told = [f"{part}: {models[int(table[:, column].argmax())].name}" for column, part in enumerate(parts)
            if table[:, column].any()]  # fmt: skip
    return pen.picture("Who has which part. For the first time in this tree: " + "; ".join(told) + ".")


STEP = 36


def _twigs(pen: Pen, x: Number, top: Number, role: str, models: Sequence[Row], trunk: str) -> None:
    """The models of one branch, one below the other, each hanging from its parent, or from the trunk."""
    hanging: dict[str, tuple[Number, Number]] = {trunk: (x, top)}
    depth = {trunk: 0}
    for n, model in enumerate(models):
        parent = model.parent if model.parent in hanging else trunk
        level, y = depth[parent], top + 24 + n * STEP
        at = x + level * 13
        anchor = hanging[parent]
        pen.arrow((anchor[0], anchor[1]), (anchor[0], y), (at + 10, y), role=role, width=1.2, tip=False)
        pen.text(at + 14, y, model.name, 11.5, ha="left", weight="bold")
        pen.note(at + 14 + canvas.width_of(model.name, 11.5, True) + 6, y, str(model.year), 10, ha="left")
        change = model.change if parent == model.parent else f"{model.parent}, {model.change}"
        pen.note(at + 14, y + 14, change, 9.5, ha="left")
        hanging[model.name], depth[model.name] = (at + 17, y + 21), level + 1


def _in_order(models: Sequence[Row], branch: str) -> list[Row]:
    """Depth first: children follow their parent before its next sibling. A parent elsewhere counts as none."""
    here = [model for model in models if model.branch == branch]
    names = {model.name for model in here}

    def below(parent: str) -> list[Row]:
        found = []
        for model in here:
            if (model.parent if model.parent in names else "") == parent:
                found += [model, *below(model.name)]
        return found

    return below("")
