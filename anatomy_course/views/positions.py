"""Positions to explore, for notebook 03: the real module of every scheme, run on the same positions."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn

from anatomy_course.views.position_explorer.view import PositionExplorer, Scheme
from anatomy_utils.functional.positions import sinusoids
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.nn.positions import AlibiBias, LearnedPositions, RotaryPositions, SinusoidalPositions, T5Bias
from anatomy_utils.nn.relative_positions import DisentangledPositions, ShawPositions, TransformerXLPositions
from anatomy_utils.training.seeding import seeded

LENGTH = 64
"""Positions 0 … 63."""
D_MODEL, D_HEAD, NUM_HEADS = 64, 32, 4
MAX_DISTANCE = 16
"""Where the vectors per offset of Shaw and DeBERTa end."""
DRAWN = "The vectors per offset are drawn at random here, since nothing is trained"
CONTENTS = ("content A", "content B")


def position_explorer(encoder: Encoder, *, scheme: str = "sinusoidal") -> PositionExplorer:
    """Eight schemes on 64 positions; the learned ones are the position table of `encoder`.

    Raises:
        ValueError: the encoder has no table of learned positions, or a shorter one.
    """
    with torch.no_grad(), seeded(torch.Generator().manual_seed(0)):
        schemes = [_sinusoidal(), _learned(encoder), *_score_schemes(), _rotary()]
    order = ["sinusoidal", "learned", "Shaw", "Transformer-XL", "T5", "DeBERTa", "rotary", "ALiBi"]
    return PositionExplorer(
        sorted(schemes, key=lambda each: order.index(each.name)), waves=sinusoids(_positions(), 4), scheme=scheme
    )


def _positions() -> Tensor:
    return torch.arange(LENGTH)


def _content(width: int = D_HEAD) -> Float[Tensor, "2 1 position d_head"]:
    """Two contents, each the same at all positions, so that whatever differs is the positions' doing."""
    return torch.randn(2, 1, 1, width).expand(-1, -1, LENGTH, -1)


def _sinusoidal() -> Scheme:
    vectors = SinusoidalPositions(D_MODEL)(_positions())
    return Scheme(
        "sinusoidal",
        "Fixed waves, *added* to the token's vector before the first layer. Each pair of features is a clock hand with "
        "its own speed.",
        "PE(p, 2i) = sin(p / 10000^(2i/d)),  PE(p, 2i+1) = cos(p / 10000^(2i/d))",
        "Vaswani et al. 2017",
        (vectors @ vectors.T)[None],
        measures="dot product of the two vectors",
        vectors=vectors,
        vectors_are=f"the vector of each position, d_model {D_MODEL}",
    )


def _learned(encoder: Encoder) -> Scheme:
    module = encoder.embeddings.positions
    if not isinstance(module, LearnedPositions):
        raise ValueError(f"The encoder's positions are {type(module).__name__}; give one with LearnedPositions.")
    vectors = module(_positions())
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
    rotation = RotaryPositions(D_HEAD)(_positions())
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
    query, key, at = _content(), _content(), _positions()
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
            buckets(at, at),
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
            alibi(at, at),
            slopes,
        ),
    ]
