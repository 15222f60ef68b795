"""The clickable map of a transformer: what each part does, its shapes, and the notebook that teaches it.

Drawn from the same lists as the static diagram (`figures.transformer_layout`), so that the two cannot differ.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import traitlets

from anatomy_course.figures import diagrams, transformer_layout
from anatomy_course.figures.picture import Picture
from anatomy_course.page.notebooks import FILE, NOTEBOOKS
from anatomy_course.views._kit.base import AnatomyWidget, attributes
from anatomy_course.views._kit.checks import Name
from anatomy_course.views.transformer_map.drawing import drawing

ORGANS = ("weights", "feed_forward", "memory")
"""Roles of the parts that a notebook is about; of several parts one of these is chosen first."""
WHOLE = tuple(FILE[each] for each in ("start", "taxonomy", "organs", "capstone", "workshop"))
"""Notebooks about the transformer as a whole: none of its parts is marked."""

WAY = (
    ("source_tokens", "a word of the source, “cat”"),
    ("source_embedding", "512 numbers, the same wherever “cat” appears"),
    ("encoder_positions", "512 numbers, with the position added"),
    ("encoder_self_attention", "512 numbers mixed from all words"),
    ("encoder_add_norm_1", "512 numbers, with the input added"),
    ("encoder_feed_forward", "2,048 numbers inside, and 512 again"),
    ("encoder_add_norm_2", "512 numbers, ready for the next block"),
    ("memory", "512 numbers that the decoder will read"),
    ("target_tokens", "the last word written, “le”"),
    ("target_embedding", "512 numbers for “le”"),
    ("decoder_positions", "512 numbers, with the position added"),
    ("decoder_self_attention", "512 numbers mixed from the words so far"),
    ("decoder_add_norm_1", "512 numbers, with the input added"),
    ("cross_attention", "512 numbers mixed from the memory, “cat” among it"),
    ("decoder_add_norm_2", "512 numbers that know the source"),
    ("decoder_feed_forward", "2,048 numbers inside, and 512 again"),
    ("decoder_add_norm_3", "512 numbers, ready for the next block"),
    ("final_linear", "one score for every word there is"),
    ("softmax", "one probability for every word there is"),
    ("next_token", "one word, “chat” if all goes well"),
)
"""A token's way: part → what it is after it, in the sizes of Vaswani et al. (2017)."""


class TransformerMap(AnatomyWidget):
    """The whole transformer as a drawing whose parts can be chosen by mouse or arrow keys.

    Args:
        here: "you are here": a part's id, or a notebook's name or the end of it (`"attention"`); nothing if empty.
        selected: the id of the part chosen at first; the first part of `here`, or the encoder's self-attention.
        folder: where to look for the notebooks, so that only those that exist are linked; the kernel's folder if None.
        strip: show only a row of the notebooks, which unfolds to the map; left out, where `here` is a notebook.

    Raises:
        ValueError: `here` or `selected` names nothing on the map.
    """

    drawn_height = 119
    parts = traitlets.List(traitlets.Dict()).tag(sync=True)
    arrows = traitlets.List(traitlets.Dict()).tag(sync=True)
    marks = traitlets.List(traitlets.Dict()).tag(sync=True)
    """Words and plus signs that belong to no part."""
    size = traitlets.List(traitlets.Int()).tag(sync=True)
    way = traitlets.List(traitlets.Dict()).tag(sync=True)
    """{part, carries}: the parts that a token meets, and what it is after each."""
    notebooks = traitlets.List(traitlets.Dict()).tag(sync=True)
    """{file, title, time, built} of every notebook, for the strip."""
    strip = traitlets.Bool(False).tag(sync=True)
    folded = traitlets.Bool(False).tag(sync=True)
    """Whether only the strip is shown."""
    here = traitlets.Unicode("").tag(sync=True)
    """Full name of the notebook that is open, or a part's id."""
    selected = Name("parts").tag(sync=True)

    def __init__(
        self,
        here: str = "",
        *,
        selected: str = "",
        folder: str | Path | None = None,
        strip: bool | None = None,
        label: str = "Map of a transformer",
    ) -> None:
        drawn = transformer_layout.parts()
        place = _place(here, drawn)
        fitting = [part for part in drawn if place in (part.id, part.notebook)]
        organs = [part for part in fitting if part.role in ORGANS] or fitting
        first = organs[0].id if organs else "encoder_self_attention"
        where = Path.cwd() if folder is None else Path(folder)
        stops = [
            {**attributes(each, "file title time"), "built": (where / f"{each.file}.ipynb").is_file()}
            for each in NOTEBOOKS
        ]
        short = place in [each.file for each in NOTEBOOKS] if strip is None else strip
        super().__init__(
            **drawing(), parts=[_described(part, where) for part in drawn], notebooks=stops, strip=short, folded=short,
            way=[{"part": part, "carries": carries} for part, carries in WAY],
            here=place, selected=selected or first, label=label,
        )  # fmt: skip

    def still_picture(self) -> Picture:
        """The same drawing as a picture."""
        if self.folded and self.here in [each.file for each in NOTEBOOKS]:
            return diagrams.where_are_we(self.here)
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
    time = next((each.time for each in NOTEBOOKS if each.file == part.notebook), "")
    return asdict(part) | {"title": title, "time": time, "built": (folder / f"{part.notebook}.ipynb").is_file()}
