"""Diagrams of the course and of the families: the eight notebooks on the body, three branches, the family tree."""

from __future__ import annotations

import numpy as np

from anatomy_utils.figures import canvas
from anatomy_utils.figures import transformer_layout as layout
from anatomy_utils.figures.canvas import INK, PAGE, QUIET, Number, look
from anatomy_utils.figures.families import FAMILIES, Family
from anatomy_utils.figures.pen import Pen
from anatomy_utils.figures.picture import Picture

NOTEBOOKS: tuple[tuple[str, str, str], ...] = (
    ("00_start_here", "Start here", "is everything in place?"),
    ("01_attention", "Attention", "how words look at each other"),
    ("02_multi_head_attention", "Multi-head attention", "why several heads"),
    ("03_encoder", "Encoder", "positions, feed-forward, norm, the stack"),
    ("04_decoder", "Decoder", "writing one token after the other"),
    ("05_encoder_decoder", "Encoder–decoder", "from one sequence to another"),
    ("06_taxonomy", "Taxonomy", "BERT, GPT, T5: what each one changed"),
    ("07_capstone", "Capstone", "your own organs, real weights"),
)
"""(name, title, question) of each notebook, in order."""


def _badge(pen: Pen, x: Number, y: Number, words: str, radius: Number = 10, dark: bool = True) -> None:
    from matplotlib.patches import Circle

    pen.sheet.add_patch(Circle((x, y), radius, facecolor=INK if dark else PAGE, edgecolor=INK, linewidth=1.3, zorder=7))
    pen.text(x, y + 0.5, words, radius * 0.95, PAGE if dark else INK, weight="bold", zorder=8)


def course() -> Picture:
    """The course as a path of eight notebooks beside the body whose parts they teach."""
    with look():
        pen = Pen(760, 470, "The course", "eight notebooks along the body of a transformer")
        _body(pen, 20, 6, 0.565)
        x, top, step = 452, 74, 50
        pen.arrow((x, top), (x, top + step * 7), width=2, tip=False)
        for i, (name, title, question) in enumerate(NOTEBOOKS):
            y = top + i * step
            _badge(pen, x, y, name[1], 14)
            pen.text(x + 28, y - 8, title, 13, ha="left", weight="bold")
            pen.note(x + 28, y + 10, question, 11, ha="left")
        return pen.picture(
            "The course as a map of the transformer: each part carries the number of the notebook that teaches it. "
            "The path: " + ", ".join(f"{i} {title}" for i, (_, title, _) in enumerate(NOTEBOOKS)) + "."
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


def where_are_we(notebook: str) -> Picture:
    """A strip of the eight notebooks with the present one marked; for the top of a notebook.

    Raises:
        ValueError: there is no notebook of that name.
    """
    names = [name for name, _, _ in NOTEBOOKS]
    if notebook not in names:
        raise ValueError(f"There is no notebook {notebook!r}; choose one of {', '.join(names)}.")
    here = names.index(notebook)
    with look():
        pen = Pen(700, 84)
        xs = np.linspace(44, 656, len(names))
        pen.arrow((xs[0], 32), (xs[-1], 32), width=2, tip=False)
        for i, (x, (_, title, _)) in enumerate(zip(xs, NOTEBOOKS, strict=True)):
            _badge(pen, x, 32, str(i), 15 if i == here else 10, dark=i == here)
            words = {"Multi-head attention": "Multi-head\nattention", "Encoder–decoder": "Encoder–\ndecoder"}.get(
                title, title
            )
            pen.text(x, 54, words, 10, INK if i == here else QUIET, va="top", weight="bold" if i == here else "normal")
        pen.text(xs[here], 9, "you are here", 10, weight="bold")
        return pen.picture(f"Where we are: notebook {here} of 0 to 7, {NOTEBOOKS[here][1]}.")


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
    with look():
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


def family_tree() -> Picture:
    """The families of the taxonomy under the original transformer, each with its year and what changed."""
    with look():
        pen = Pen(700, 520, "Family tree", "each model is its parent plus what changed")
        pen.box(256, 44, 188, 42, "Transformer", "ink", note="2017: encoder and decoder", bold=True)
        pen.box(16, 44, 168, 42, "ELMo", "ink", note="2018: context by recurrence", dashed=True)
        for i, (branch, role) in enumerate(BRANCHES.items()):
            x = 16 + i * 228
            pen.arrow((350, 86), (350, 101), (x + 100, 101), (x + 100, 118))
            pen.box(
                x,
                118,
                208,
                28,
                f"{branch} branch" if "–" not in branch else "encoder–decoder",
                role,
                bold=True,
                size=11.5,
            )
            _twigs(pen, x + 10, 146, role, branch)
        return pen.picture(
            "Family tree under the transformer of 2017 in three branches. "
            + " ".join(
                f"{branch.capitalize()}: "
                + ", ".join(f"{f.name} {f.year}" for f in FAMILIES if f.branch == branch)
                + "."
                for branch in BRANCHES
            )
            + " ELMo, recurrent, stands beside them as a predecessor."
        )


def _twigs(pen: Pen, x: Number, top: Number, role: str, branch: str) -> None:
    """The models of one branch, one below the other, each hanging from its parent."""
    hanging: dict[str, tuple[Number, Number]] = {"Transformer": (x, top)}
    depth = {"Transformer": 0}
    for n, family in enumerate(f for f in _in_order(branch)):
        level, y = depth[family.parent], top + 26 + n * 38
        at = x + level * 16
        anchor = hanging[family.parent]
        pen.arrow((anchor[0], anchor[1]), (anchor[0], y), (at + 13, y), role=role, width=1.2, tip=False)
        pen.text(at + 17, y, family.name, 11.5, ha="left", weight="bold")
        pen.note(at + 17 + canvas.width_of(family.name, 11.5, True) + 6, y, str(family.year), 10, ha="left")
        pen.note(at + 17, y + 14, family.change, 9.5, ha="left")
        hanging[family.name], depth[family.name] = (at + 20, y + 21), level + 1


def _in_order(branch: str, parent: str = "Transformer") -> list[Family]:
    """Depth first: children follow their parent before its next sibling."""
    found = []
    for family in FAMILIES:
        if family.branch == branch and family.parent == parent:
            found += [family, *_in_order(branch, family.name)]
    return found
