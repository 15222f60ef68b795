"""The clickable map of a transformer: what each part does, its shapes, and the notebook that teaches it.

Drawn from the same lists as the static diagram (`figures.transformer_layout`), so that the two cannot differ.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import traitlets

from anatomy_utils.figures import transformer_layout
from anatomy_utils.figures.picture import Picture
from anatomy_utils.widgets.base import AnatomyWidget
from anatomy_utils.widgets.transformer_drawing import drawing

ORGANS = ("weights", "feed_forward", "memory")
"""Roles of the parts that a notebook is about; of several parts one of these is chosen first."""
WHOLE = ("00_start_here", "06_taxonomy", "07_capstone")
"""Notebooks about the transformer as a whole: none of its parts is marked."""


class TransformerMap(AnatomyWidget, module="transformer_map.js", shares=("shared/transformer_drawing.js",)):
    """The whole transformer as a drawing whose parts can be chosen by mouse or arrow keys.

    Args:
        here: "you are here": a part's id, or a notebook's name or the end of it (`"attention"`); nothing if empty.
        selected: the id of the part chosen at first; the first part of `here`, or the encoder's self-attention.
        folder: where to look for the notebooks, so that only those that exist are linked; the kernel's folder if None.
        label: the accessible name of the whole widget.

    Raises:
        ValueError: `here` or `selected` names nothing on the map.
    """

    parts = traitlets.List(traitlets.Dict()).tag(sync=True)
    arrows = traitlets.List(traitlets.Dict()).tag(sync=True)
    marks = traitlets.List(traitlets.Dict()).tag(sync=True)
    """Words and plus signs that belong to no part."""
    size = traitlets.List(traitlets.Int()).tag(sync=True)
    here = traitlets.Unicode("").tag(sync=True)
    """Full name of the notebook that is open, or a part's id."""
    selected = traitlets.Unicode("").tag(sync=True)

    def __init__(
        self,
        here: str = "",
        *,
        selected: str = "",
        folder: str | Path | None = None,
        label: str = "Map of a transformer",
    ) -> None:
        drawn = transformer_layout.parts()
        place = _place(here, drawn)
        fitting = [part for part in drawn if place in (part.id, part.notebook)]
        organs = [part for part in fitting if part.role in ORGANS] or fitting
        first = organs[0].id if organs else "encoder_self_attention"
        ids = [part.id for part in drawn]
        if selected and selected not in ids:
            raise ValueError(f"selected={selected!r} names no part of the map; its parts are {', '.join(ids)}.")
        where = Path.cwd() if folder is None else Path(folder)
        super().__init__(
            parts=[_described(part, where) for part in drawn],
            **drawing(),
            here=place,
            selected=selected or first,
            label=label,
        )

    @traitlets.validate("selected")
    def _on_the_map(self, proposal: traitlets.Bunch) -> str:
        chosen = str(proposal["value"])
        if self.parts and chosen not in [part["id"] for part in self.parts]:
            raise ValueError(f"selected={chosen!r} names no part of the map.")
        return chosen

    def static_twin(self) -> Picture:
        """The same drawing as a picture."""
        from anatomy_utils.figures import diagrams

        return diagrams.transformer_map(self.here)


def _place(here: str, drawn: list[transformer_layout.DrawnPart]) -> str:
    """The part id or full notebook name that `here` stands for."""
    notebooks = list(dict.fromkeys([*(part.notebook for part in drawn if part.notebook), *WHOLE]))
    names = {part.id for part in drawn} | {*notebooks, ""}
    short = {name.split("_", 1)[1]: name for name in notebooks}
    if here in short:
        return short[here]
    if here not in names:
        raise ValueError(
            f"here={here!r} names nothing on the map; try a notebook such as {', '.join(map(repr, short))}."
        )
    return here


def _described(part: transformer_layout.DrawnPart, folder: Path) -> dict[str, Any]:
    """One part as the browser needs it; a notebook that does not exist yet is named without a link."""
    number, _, words = part.notebook.partition("_")
    title = f"{number} {words.replace('_', ' ').capitalize()}" if part.notebook else ""
    return asdict(part) | {"title": title, "built": (folder / f"{part.notebook}.ipynb").is_file()}
