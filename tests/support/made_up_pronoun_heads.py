"""A pronoun heads view over a made-up translator, and how its answers reach the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from widget_page import Shown

from anatomy_course.views import PronounHeads
from anatomy_course.views.pronoun_heads.view import AttentionKind, HeadFunctions, Pair, Places

ALONE = np.array([[1.0, 0.75, 0.95]])
PAIRS = [
    Pair(("It was too tired.", "It was too wide."), ("il", "elle")),
    Pair(("<b>It</b> was too small.", "It was too 😀."), ("elle", "il")),
]
ANSWERS = ["off", "right", "at_random", "pair", "written", "steps", "error", "answered"]


def right(off: Places) -> float:
    """Two heads that each cost a quarter; a third one breaks the model."""
    if ("cross", 1, 1) in off:
        raise RuntimeError("no such layer")
    return 1 - 0.25 * (("encoder", 0, 1) in off) - 0.25 * (("cross", 1, 0) in off)


def translated(pair: Pair, off: Places) -> list[str]:
    """Who has lost half of it says il of everything; who has lost a quarter says nothing of the first."""
    words = pair.pronouns if right(off) == 1 else ("il", "il")
    first, second = (f"Cela, parce qu'{word} était trop." for word in words)
    return ["Cela.", second] if right(off) == 0.75 else [first, second]


def searched() -> Iterator[tuple[Places, float]]:
    yield [("encoder", 0, 1)], 0.7
    yield [("encoder", 0, 1), ("cross", 1, 0)], 0.45


def view(**options: Any) -> PronounHeads:
    lab = HeadFunctions(
        right=right, at_random=lambda count: [1, 1 - 0.04 * count], translate=translated, search=searched
    )
    organs = [
        AttentionKind("encoder", "Encoder", ALONE),
        AttentionKind("cross", "Cross", np.array([[1.0, 1.0], [0.75, 1.0]])),
    ]
    return PronounHeads(organs, lab, PAIRS, **options)


def answer(shown: Shown) -> None:
    """What the kernel has computed reaches the page."""
    shown.settle()
    shown.update(**{name: getattr(shown.widget, name) for name in ANSWERS})
