"""The position explorer: each way of telling a Transformer the order of its tokens, as a picture and as curves.

A scheme is good to a model for what it makes of two positions: a dot product, or something added to a score. Drawn over
the offset, one curve for each reference position, the curves of a scheme that knows only offsets lie on each other.
Notebook 04.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import traitlets
from jaxtyping import Float
from torch import Tensor, nn

from anatomy_course.figures import plots
from anatomy_course.figures.picture import Picture
from anatomy_course.views._kit.base import AnatomyWidget, attributes, buffer_trait, float_bytes
from anatomy_course.views._kit.checks import Name, OneOf, numbers, word_list
from anatomy_utils.functional.positions import sinusoids
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.nn.positions import AlibiBias, LearnedPositions, RotaryPositions, SinusoidalPositions, T5Bias
from anatomy_utils.nn.relative_positions import DisentangledPositions, ShawPositions, TransformerXLPositions
from anatomy_utils.training.seeding import seeded

MOST_POSITIONS = 128
SAME = 1e-3
"""Scores at equal offsets that differ by no more than this share of all their range count as the same."""
LENGTH = 64
POSITIONS = torch.arange(LENGTH)
D_MODEL, D_HEAD, NUM_HEADS = 64, 32, 4
MAX_DISTANCE = 16
"""Where the vectors per offset of Shaw and DeBERTa end."""
DRAWN = "The vectors per offset are drawn at random here, since nothing is trained"
CONTENTS = ("content A", "content B")


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


class PositionExplorer(AnatomyWidget):
    """Choose a scheme; see its picture, and its score over the offset from several reference positions.

    Args:
        schemes: one or more, all for the same number of positions.
        waves: (position, 4) sines and cosines for the worked example with d_model 4, shown with the scheme called
            "sinusoidal"; None for no example.
        scheme, position: the scheme and the reference position at first; the first scheme by default.

    Raises:
        ValueError: an array of another shape, a name given twice or not known, or a position out of range.
    """

    schemes = traitlets.List(traitlets.Dict()).tag(sync=True)
    """The schemes without their arrays."""
    data = buffer_trait()
    """All arrays as float32: of each scheme its scores and, where it has them, its vectors; the waves at the end."""
    length = traitlets.Int().tag(sync=True)
    has_waves = traitlets.Bool(False).tag(sync=True)
    scheme = Name("schemes").tag(sync=True)
    variant = traitlets.Int(0).tag(sync=True)
    position = traitlets.Int(0).tag(sync=True)
    picture = OneOf("vectors scores").tag(sync=True)

    def __init__(
        self,
        schemes: Sequence[Scheme],
        *,
        waves: Any = None,
        scheme: str = "",
        position: int = 8,
        label: str = "Positions: eight ways to tell a model the order",
    ) -> None:
        names = word_list([each.name for each in schemes], "scheme names", at_most=12)
        if len(set(names)) != len(names):
            raise ValueError(f"The schemes are called {', '.join(names)}; give each a name of its own.")
        length = len(numbers(schemes[0].scores, f"scores of {names[0]}", "variant query key")[0])
        if not 2 <= length <= MOST_POSITIONS:
            raise ValueError(f"There are {length} positions; the drawing has room for 2 to {MOST_POSITIONS}.")
        if position not in range(length):
            raise ValueError(f"position is {position!r}; expected a whole number from 0 to {length - 1}.")
        arrays: list[npt.NDArray[Any]] = []
        described = [_described(each, length, arrays) for each in schemes]
        if waves is not None:
            arrays.append(numbers(waves, "waves", "position 4", position=length))
        super().__init__(
            schemes=described, data=b"".join(map(float_bytes, arrays)), length=length, has_waves=waves is not None,
            scheme=scheme or names[0], position=position, label=label,
        )  # fmt: skip

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

    def still_picture(self) -> Picture:
        """Every scheme's scores, each on its own scale, with the measured verdict."""
        found = {scheme["name"]: self.scores(scheme["name"])[0] for scheme in self.schemes}
        by_offset = [name for name, scores in found.items() if spread(scores) <= SAME]
        others = [name for name in found if name not in by_offset]
        maps = [(name, _on_its_scale(scores)) for name, scores in found.items()]
        return plots.heatmaps(
            maps, title=self.label, kind="signed", values=False, per_row=4,
            alt=f"What {len(found)} position schemes make of every pair of {self.length} positions, query by key, "
            "each on a scale of its own. The same along every diagonal, so knowing only the offset: "
            f"{', '.join(by_offset) or 'none'}. Not so: {', '.join(others) or 'none'}.",
        )  # fmt: skip


def _described(scheme: Scheme, length: int, arrays: list[npt.NDArray[Any]]) -> dict[str, Any]:
    """What the browser needs beside the arrays, which are appended to `arrays`."""
    variants = [str(name) for name in scheme.variants]
    sizes = {"variant": len(variants), "query": length, "key": length}
    arrays.append(numbers(scheme.scores, f"scores of {scheme.name}", "variant query key", **sizes))
    features = 0
    if scheme.vectors is not None:
        arrays.append(numbers(scheme.vectors, f"vectors of {scheme.name}", "position feature", position=length))
        features = arrays[-1].shape[1]
    told = attributes(scheme, "name how formula source measures")
    counts = {"variants": len(variants), "features": features}
    return {**told, **counts, "vectorsAre": scheme.vectors_are, "variantNames": variants}


def _on_its_scale(scores: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """From −1 to 1; the one cell in a hundred that is largest counts as 1, so that a single peak hides nothing."""
    return np.clip(scores / (np.quantile(np.abs(scores), 0.99) or 1), -1, 1)


def position_explorer(encoder: Encoder, *, scheme: str = "sinusoidal") -> PositionExplorer:
    """Eight schemes on 64 positions; the learned ones are the position table of `encoder`.

    Raises:
        ValueError: the encoder has no table of learned positions, or a shorter one.
    """
    with torch.no_grad(), seeded(torch.Generator().manual_seed(0)):
        schemes = [_sinusoidal(), _learned(encoder), *_score_schemes(), _rotary()]
    order = ["sinusoidal", "learned", "Shaw", "Transformer-XL", "T5", "DeBERTa", "rotary", "ALiBi"]
    return PositionExplorer(
        sorted(schemes, key=lambda each: order.index(each.name)), waves=sinusoids(POSITIONS, 4), scheme=scheme
    )


def _content(width: int = D_HEAD) -> Float[Tensor, "2 1 position d_head"]:
    """Two contents, each the same at all positions, so that whatever differs is the positions' doing."""
    return torch.randn(2, 1, 1, width).expand(-1, -1, LENGTH, -1)


def _sinusoidal() -> Scheme:
    vectors = SinusoidalPositions(D_MODEL)(POSITIONS)
    word, (to_query, to_key) = torch.randn(D_MODEL), torch.randn(2, D_MODEL, D_HEAD) / D_MODEL**0.5
    in_a_model = (word + vectors) @ to_query @ ((word + vectors) @ to_key).T / D_HEAD**0.5
    return Scheme(
        "sinusoidal",
        "Fixed waves, *added* to the token's vector before the first layer. Each pair of features is a clock hand with "
        "its own speed. In a model, the sum of word and wave goes through `W_Q` and `W_K` (drawn at random here).",
        "PE(p, 2i) = sin(p / 10000^(2i/d)),  PE(p, 2i+1) = cos(p / 10000^(2i/d))",
        "Vaswani et al. 2017",
        torch.stack([in_a_model, vectors @ vectors.T]),
        ("word and wave, in a model", "two bare waves"),
        measures="score, or dot product of two bare waves",
        vectors=vectors,
        vectors_are=f"the vector of each position, d_model {D_MODEL}",
    )


def _learned(encoder: Encoder) -> Scheme:
    module = encoder.embeddings.positions
    if not isinstance(module, LearnedPositions):
        raise ValueError(f"The encoder's positions are {type(module).__name__}; give one with LearnedPositions.")
    vectors = module(POSITIONS)
    return Scheme(
        "learned",
        f"One trained vector per position, *added* to the token's vector. Here: MiniLM's own table. It ends after "
        f"{module.max_positions} positions; beyond them there is nothing to look up.",
        "x + P[p]",
        "Gehring et al. 2017, BERT, GPT-2",
        (vectors @ vectors.T)[None],
        measures="dot product of the two vectors",
        vectors=vectors[:, :D_MODEL],
        vectors_are=f"the vector of each position, the first {D_MODEL} of {vectors.shape[1]} features",
    )


def _rotary() -> Scheme:
    rotation = RotaryPositions(D_HEAD)(POSITIONS)
    query, key = _content(), _content()
    scores = rotation(query) @ rotation(key).transpose(-2, -1) / D_HEAD**0.5
    return Scheme(
        "rotary",
        "Turns each pair of features of *queries and keys* by an angle that grows with the position. Only the "
        "difference of the two angles is left in the dot product.",
        "(R_i q) · (R_j k) = q · (R_(j−i) k)",
        "Su et al. 2021; Llama, SmolLM2",
        scores[:, 0],
        CONTENTS,
        "score of the turned query and key",
        rotation(query)[0, 0],
        f"the query of content A after its turn, d_head {D_HEAD}",
    )


def _score_schemes() -> list[Scheme]:
    query, key = _content(), _content()
    shaw = ShawPositions(D_HEAD, max_distance=MAX_DISTANCE)
    waves = TransformerXLPositions(D_MODEL, 1, D_HEAD)
    for preference in (waves.content_preference, waves.offset_preference):
        nn.init.normal_(preference)
    table = torch.randn(2 * MAX_DISTANCE, D_MODEL)
    disentangled = DisentangledPositions(
        lambda offsets: offsets.clamp(-MAX_DISTANCE, MAX_DISTANCE - 1) + MAX_DISTANCE, lambda: table,
        nn.Linear(D_MODEL, D_HEAD, bias=False), nn.Linear(D_MODEL, D_HEAD, bias=False), 1,
    )  # fmt: skip
    buckets, alibi = T5Bias(2, bidirectional=True), AlibiBias(NUM_HEADS)
    slopes = [f"head {i + 1}, slope 1/{1 / slope:.0f}" for i, slope in enumerate(alibi.slopes.tolist())]
    return [
        Scheme(
            "Shaw",
            f"Each offset has a key vector of its own, which the *query* asks. Beyond ±{MAX_DISTANCE} all offsets "
            f"share the last one. {DRAWN}.",
            "score += q · a_(j−i) / √d_head",
            "Shaw et al. 2018",
            shaw(query, key)[:, 0],
            CONTENTS,
        ),
        Scheme(
            "Transformer-XL",
            "The waves of the *offset*, projected, are asked by the query and by a preference `v` that all queries "
            "share; a preference `u` asks the contents. Projection and preferences are drawn at random here.",
            "score += (q + v) · W_R R_(i−j) + u · k",
            "Dai et al. 2019",
            waves(query, key)[:, 0],
            CONTENTS,
        ),
        Scheme(
            "T5",
            "One learned number per head and *bucket* of offsets: near offsets have a bucket each, far ones share. It "
            "never looks at the content. The numbers are drawn at random here; the steps are T5's buckets.",
            "score += b[bucket(j − i)]",
            "Raffel et al. 2020",
            buckets(POSITIONS, POSITIONS),
            ("head 1", "head 2"),
        ),
        Scheme(
            "DeBERTa",
            "Content asks offsets *and* offsets ask content, with projections of one table. Beyond "
            f"±{MAX_DISTANCE} here (512 in DeBERTa) all share the last row. {DRAWN}.",
            "score += q · K_r(i−j) + k · Q_r(j−i)",
            "He et al. 2021",
            disentangled(query, key)[:, 0],
            CONTENTS,
        ),
        Scheme(
            "ALiBi",
            "A penalty in proportion to the *distance*, steeper in some heads than in others. Nothing is "
            "learned, nothing looks at the content.",
            "score −= slope · |i − j|",
            "Press et al. 2022",
            alibi(POSITIONS, POSITIONS),
            slopes,
        ),
    ]
