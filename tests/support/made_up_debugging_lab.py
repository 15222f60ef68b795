"""A debugging lab of three made-up models, and how its answers reach the page."""

from __future__ import annotations

from typing import Any

import numpy as np
from widget_page import Shown

from anatomy_course.views import DebuggingLab
from anatomy_course.views.debugging_lab.view import Bed, LabFunctions, Result, Twin

TOKENS = ["<pad>", "<bos>", "the", "<b>cow</b>", "crossed"]
PROBES = {"stops": "Does it stop?", "same answer twice": "Twice the same?", "causality": "Does it look ahead?"}
ANSWERS = ["samples", "findings", "cures", "examined", "error", "answered"]


def bed(name: str, number: int) -> Bed:
    weights = np.tril(np.full((5, 5), 0.25))
    ill = weights.copy()
    if number == 1:
        ill[0] = np.nan
    choices = [
        {"text": f"Cause {letter} of {name}", "reason": f"Because of {letter}.", "right": place == number + 1}
        for place, letter in enumerate("ABCDE")
    ]
    return Bed(
        name=name, anamnesis=f"“{name} does not `stop`.”", loss=[5.8, 3.0, 1.5 + number],
        ends=1.5 + number, test_loss=1.5 + number,
        head="layer 1, head 2", tokens=TOKENS, weights=ill, twin_weights=weights,
        samples=["The | dog slept.", "A | …"],
        question={"id": name, "kind": "question", "text": f"What is wrong with {name}?", "choices": choices},
        cured_by=f"{name} is told when to `stop`.",
        report={"text": "some/where, issue 7: It", "address": "https://example.org/7", "says": "The same."},
    )  # fmt: skip


def probe(number: int, name: str) -> Result:
    if name == "causality":
        raise RuntimeError("no such layer")
    ill = number == 1 and name == "stops"
    return Result("NaN" if ill else "1.00", "1.00", not ill, f"{name} of bed {number} was measured.")


def view(told: list[Any] | None = None, **options: Any) -> DebuggingLab:
    told = [] if told is None else told
    lab = LabFunctions(
        probe=probe,
        write=lambda number: ["The | cat slept.", f"A | bed {number}."],
        cure=lambda number: [Result("1.00", "1.00", True, f"{name} is well.") for name in PROBES],
    )
    return DebuggingLab(
        [bed("Ada", 0), bed("Boris", 1), bed("Clara", 2)],
        Twin([5.8, 2.0, 1.1], 1.1, 1.1, ["The | twin slept.", "A | dog."]),
        PROBES,
        lab,
        on_choice=lambda number, choice: told.append((number, choice)),
        on_probe=lambda number: told.append(number),
        **options,
    )


def answer(shown: Shown) -> None:
    """What the kernel has computed reaches the page."""
    shown.settle()
    shown.update(**{name: getattr(shown.widget, name) for name in ANSWERS})
