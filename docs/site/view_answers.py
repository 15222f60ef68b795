"""Answers that a page without a kernel can give: a few questions, asked of each such view after a notebook's run.

`make notebooks` lets the notebook's own kernel run this file (`CELL`) when all its cells are done, and keeps what it
prints.
"""

from __future__ import annotations

import base64
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CELL = f"import runpy; runpy.run_path({str(Path(__file__).resolve())!r}, run_name='__main__')"
SENTENCES = (
    "The animal didn't cross the street because it was too wide.",
    "The trophy did not fit into the suitcase because it was too big.",
    "Time flies like an arrow; fruit flies like a banana.",
)
BEAMS, PENALTIES = range(1, 6), (0.0, 0.5, 1.0, 1.5, 2.0)


def questions(view: Any) -> Iterator[Any]:
    """What to ask this view, in the form in which its page would; nothing for most views."""
    kind = type(view).__name__
    if kind == "AttentionStepper":
        for sentence in SENTENCES:
            yield {"sentence": sentence}
    elif kind == "BeamTree":
        for beams, penalty in itertools.product(BEAMS, PENALTIES):
            yield {"prompt": view.question["prompt"], "num_beams": beams, "length_penalty": penalty}
    elif kind == "Translator":
        for sentence in view.examples:
            yield {"sentence": sentence}
    elif kind == "DebuggingLab":
        for bed in range(len(view.beds)):
            yield from ({"do": "probe", "bed": bed, "probe": probe["name"]} for probe in view.probes)
            yield {"do": "cure", "bed": bed}


def answers(view: Any) -> list[dict[str, Any]]:
    """Each question with the traits that answer it, and so on with the sentences that an answer offers as swaps;
    questions that the view refuses are left out. Of traits with an item a bed, an answer holds that of its bed."""
    told, asked = [], list(questions(view))
    for question in asked:  # it grows
        try:
            traits = view.answer(question)
        except ValueError:
            continue
        if "bed" in question:
            told.append({"question": question, "items": {name: each[question["bed"]] for name, each in traits.items()}})
        else:
            told.append({"question": question, "traits": traits})
        swaps = [{"sentence": swap["sentence"]} for swap in traits.get("swaps", ())]
        asked += [each for each in swaps if each not in asked]
    return told


def plain(value: Any) -> Any:
    """Bytes in a form that JSON can hold."""
    return {"$bytes": base64.b64encode(bytes(value)).decode("ascii")}


def main() -> None:
    """Print the answers of every view of this kernel, by the id of its model."""
    from ipywidgets.widgets import widget

    known = getattr(widget, "_instances", None) or widget.Widget.widgets
    told = {model: found for model, view in list(known.items()) if (found := answers(view))}
    print(json.dumps(told, default=plain))


if __name__ == "__main__":
    main()
