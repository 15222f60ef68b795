"""The position explorer: each way of telling a Transformer the order of its tokens, as a picture and as curves.

A scheme is good to a model for what it makes of two positions: a dot product, or something added to a score. Drawn over
the offset, one curve for each reference position, the curves of a scheme that knows only offsets lie on each other.
Notebook 03.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import traitlets

from anatomy_course.views._kit.base import AnatomyWidget, buffer_trait, float_bytes, numbers, word_list

if TYPE_CHECKING:
    import numpy.typing as npt

    from anatomy_course.figures.picture import Picture

MOST_POSITIONS = 128
DEFAULT_LABEL = "Positions: eight ways to tell a model the order"
SAME = 1e-3
"""Scores at equal offsets that differ by no more than this share of all their range count as the same."""


@dataclass(frozen=True)
class Scheme:
    """One way of marking positions, computed for positions 0, 1, 2 …"""

    name: str
    """Short, for the button."""
    how: str
    """What it does, in one or two sentences; `code` and *stress* allowed."""
    formula: str
    source: str
    scores: Any
    """(variant, query, key): what it makes of two positions, with the same content at all of them."""
    variants: Sequence[str] = ("",)
    """What differs from variant to variant: another content, another head."""
    measures: str = "added to the score"
    """What the scores are, for the axis."""
    vectors: Any = None
    """(position, feature): what is added to, or turned at, each position; None for schemes that only touch scores."""
    vectors_are: str = ""
    """What the picture of `vectors` shows."""


def spread(scores: npt.NDArray[Any]) -> float:
    """How much scores of one offset differ between reference positions, as a share of the range of all scores.

    >>> spread(np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]]))
    0.0
    """
    length = len(scores)
    diagonals = [np.diagonal(scores, offset) for offset in range(1 - length, length)]
    return float(max(np.ptp(diagonal) for diagonal in diagonals) / (np.ptp(scores) or 1.0))


class PositionExplorer(
    AnatomyWidget, module="position_explorer/view.js", shares=("_kit/same_room.js", "position_explorer/charts.js")
):
    """Choose a scheme; see its picture, and its score over the offset from several reference positions.

    Args:
        schemes: one or more, all for the same number of positions.
        waves: (position, 4) sines and cosines for the worked example with d_model 4, shown with the scheme called
            "sinusoidal"; None for no example.
        scheme: name of the scheme shown at first; the first by default.
        position: the reference position at first.
        label: heading and accessible name.

    Raises:
        ValueError: an array of another shape, a name given twice or not known, or a position out of range.
    """

    schemes = traitlets.List(traitlets.Dict()).tag(sync=True)
    """The schemes without their arrays."""
    data = buffer_trait()
    """All arrays as float32: of each scheme its scores and, where it has them, its vectors; the waves at the end."""
    length = traitlets.Int().tag(sync=True)
    has_waves = traitlets.Bool(False).tag(sync=True)
    scheme = traitlets.Unicode().tag(sync=True)
    variant = traitlets.Int(0).tag(sync=True)
    position = traitlets.Int(0).tag(sync=True)
    picture = traitlets.Enum(["vectors", "scores"], "vectors").tag(sync=True)

    def __init__(
        self,
        schemes: Sequence[Scheme],
        *,
        waves: Any = None,
        scheme: str = "",
        position: int = 8,
        label: str = DEFAULT_LABEL,
    ) -> None:
        names = word_list([each.name for each in schemes], "scheme names", at_most=12)
        if len(set(names)) != len(names):
            raise ValueError(f"The schemes are called {', '.join(names)}; give each a name of its own.")
        if scheme and scheme not in names:
            raise ValueError(f"scheme is {scheme!r}; expected one of {', '.join(names)}.")
        length = len(numbers(schemes[0].scores, f"scores of {names[0]}", ("variant", "query", "key"))[0])
        if not 2 <= length <= MOST_POSITIONS:
            raise ValueError(f"There are {length} positions; the drawing has room for 2 to {MOST_POSITIONS}.")
        if position not in range(length):
            raise ValueError(f"position is {position!r}; expected a whole number from 0 to {length - 1}.")
        arrays: list[npt.NDArray[Any]] = []
        described = [_described(each, length, arrays) for each in schemes]
        if waves is not None:
            arrays.append(_shaped(numbers(waves, "waves", ("position", "4")), "waves", (length, 4)))
        super().__init__(
            schemes=described,
            data=b"".join(float_bytes(array) for array in arrays),
            length=length,
            has_waves=waves is not None,
            scheme=scheme or names[0],
            position=position,
            label=label,
        )

    @traitlets.validate("position")
    def _check_position(self, proposal: Any) -> int:
        last = max(self.length - 1, 0)
        return int(np.clip(proposal["value"], 0, last)) if self.length else int(proposal["value"])

    def scores(self, name: str) -> npt.NDArray[np.float32]:
        """The scores of one scheme as the browser has them: (variant, query, key)."""
        flat, start = np.frombuffer(self.data, "<f4"), 0
        for scheme in self.schemes:
            count = scheme["variants"] * self.length**2
            if scheme["name"] == name:
                return flat[start : start + count].reshape(-1, self.length, self.length).copy()
            start += count + self.length * scheme["features"]
        raise ValueError(f"There is no scheme {name!r}; choose one of {', '.join(s['name'] for s in self.schemes)}.")

    def static_twin(self) -> Picture:
        """Every scheme's scores, each on its own scale, with the measured verdict."""
        from anatomy_course.figures import plots

        found = {scheme["name"]: self.scores(scheme["name"])[0] for scheme in self.schemes}
        by_offset = [name for name, scores in found.items() if spread(scores) <= SAME]
        others = [name for name in found if name not in by_offset]
        return plots.heatmaps(
            [(name, _on_its_scale(scores)) for name, scores in found.items()],
            title=self.label,
            kind="signed",
            values=False,
            per_row=4,
            alt=f"What {len(found)} position schemes make of every pair of {self.length} positions, query by key, "
            "each on a scale of its own. The same along every diagonal, so knowing only the offset: "
            f"{_listed(by_offset)}. Not so: {_listed(others)}.",
        )


def _described(scheme: Scheme, length: int, arrays: list[npt.NDArray[Any]]) -> dict[str, Any]:
    """What the browser needs beside the arrays, which are appended to `arrays`."""
    scores = numbers(scheme.scores, f"scores of {scheme.name}", ("variant", "query", "key"))
    variants = [str(name) for name in scheme.variants]
    arrays.append(_shaped(scores, f"scores of {scheme.name}", (len(variants), length, length)))
    features = 0
    if scheme.vectors is not None:
        vectors = numbers(scheme.vectors, f"vectors of {scheme.name}", ("position", "feature"))
        features = vectors.shape[1]
        arrays.append(_shaped(vectors, f"vectors of {scheme.name}", (length, features)))
    return {
        "name": scheme.name, "how": scheme.how, "formula": scheme.formula, "source": scheme.source,
        "measures": scheme.measures, "vectorsAre": scheme.vectors_are, "variantNames": variants,
        "variants": len(variants), "features": features,
    }  # fmt: skip


def _on_its_scale(scores: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """From −1 to 1; the one cell in a hundred that is largest counts as 1, so that a single peak hides nothing."""
    return np.clip(scores / (np.quantile(np.abs(scores), 0.99) or 1), -1, 1)


def _shaped(array: npt.NDArray[Any], name: str, expected: tuple[int, ...]) -> npt.NDArray[Any]:
    if array.shape != expected:
        raise ValueError(f"{name} has shape {array.shape}; expected {expected}, as for the other schemes.")
    return array


def _listed(names: list[str]) -> str:
    return ", ".join(names) or "none"
