"""Length extrapolation: how each position scheme does on texts longer than those it was trained on.

Notebook 04 trains one tiny encoder per scheme on short rows of two kinds of token and asks, for each position, how many
of its two neighbors are marked: that cannot be known without positions, and what is to be learned is the same at every
length. Press et al. 2022 (arXiv:2108.12409) ask the same of language models.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor, nn

from anatomy_utils.functional.positions import frequencies
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.encoder import Encoder, EncoderLayer
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.heads import TokenHead, WithHead
from anatomy_utils.nn.norm import LayerNorm, NormPlaces
from anatomy_utils.nn.positions import AlibiBias, LearnedPositions, RotaryPositions, SinusoidalPositions, T5Bias
from anatomy_utils.tap import Edit, edit
from anatomy_utils.training.loop import fit
from anatomy_utils.training.losses import cross_entropy
from anatomy_utils.training.parallel import side_by_side
from anatomy_utils.training.schedules import linear_schedule
from anatomy_utils.training.seeding import seeded

D_MODEL, NUM_HEADS, D_FF, NUM_LAYERS = 32, 4, 64, 2
ANSWERS = 3
"""None, one or both of the neighbors."""
TRAINED_TO = 16
"""The longest row in training; the shortest has half as many positions."""
LENGTHS = (8, 16, 24, 32, 64, 128)
BATCH, STEPS, LEARNING_RATE = 64, 300, 1e-2
TESTED = 200
"""Rows per length in the test."""

POSITION_SCHEMES: dict[str, Callable[[], dict[str, Any]]] = {
    "none": dict,
    "sinusoidal": lambda: {"added": SinusoidalPositions(D_MODEL)},
    "learned": lambda: {"added": LearnedPositions(TRAINED_TO, D_MODEL)},
    "rotary": lambda: {"rotary": RotaryPositions(D_MODEL // NUM_HEADS)},
    "T5": lambda: {"score_bias": T5Bias(NUM_HEADS, bidirectional=True, num_buckets=16, max_distance=TRAINED_TO)},
    "ALiBi": lambda: {"score_bias": AlibiBias(NUM_HEADS)},
}
"""Name → the parts that it puts into an encoder."""


@dataclass
class LengthRun:
    """How one scheme did.

    Attributes:
        scheme: its name.
        accuracy: length → share of right answers over all positions; None where the model refuses.
        refused: what it said then.
        loss: of each training step.
    """

    scheme: str
    accuracy: dict[int, float | None] = field(default_factory=dict)
    refused: str = ""
    loss: list[float] = field(default_factory=list)


def neighbor_rows(
    rows: int, length: int, generator: torch.Generator
) -> tuple[Int[Tensor, "row position"], Int[Tensor, "row position"]]:
    """Rows of tokens 0 and 1, and for each position how many of its neighbors are 1.

    The two ends have one neighbor only.

    >>> tokens, counts = neighbor_rows(1, 5, torch.Generator().manual_seed(0))
    >>> tokens.tolist(), counts.tolist()
    ([[0, 1, 1, 0, 1]], [[1, 1, 1, 2, 0]])
    """
    tokens = torch.randint(2, (rows, length), generator=generator)
    padded = nn.functional.pad(tokens, (1, 1))
    return tokens, padded[:, :-2] + padded[:, 2:]


def length_experiment(
    schemes: Sequence[str] = tuple(POSITION_SCHEMES),
    *,
    lengths: Sequence[int] = LENGTHS,
    steps: int = STEPS,
    seed: int = 0,
) -> list[LengthRun]:
    """Train one tiny encoder per scheme on rows of 8 to 16 positions and test it at other lengths.

    All schemes start from the same weights and read the same rows. Two pre-norm layers, 32 features wide, 4 heads.

    Args:
        schemes: names out of `POSITION_SCHEMES`.
        lengths: positions of the rows in the test; up to 16 were trained.
        steps: of training, each on 64 rows.
        seed: of weights and rows.

    Raises:
        ValueError: there is no such scheme, or a length is below 1.
    """
    if unknown := [name for name in schemes if name not in POSITION_SCHEMES]:
        raise ValueError(f"There is no scheme {unknown[0]!r}; choose from {', '.join(POSITION_SCHEMES)}.")
    if shortest := [length for length in lengths if length < 1]:
        raise ValueError(f"A row of {shortest[0]} positions was asked for; give lengths of at least 1.")
    return side_by_side(*(partial(_train_and_test, name, lengths, steps, seed) for name in schemes))


def _train_and_test(scheme: str, lengths: Sequence[int], steps: int, seed: int) -> LengthRun:
    model = tiny_encoder(scheme, torch.Generator().manual_seed(seed))
    run = LengthRun(scheme, loss=train_to_count(model, steps=steps, seed=seed))
    for length in lengths:
        try:
            run.accuracy[length] = share_of_right_counts(model, length, seed=seed)
        except ValueError as error:
            run.accuracy[length], run.refused = None, str(error)
    return run


def train_to_count(
    model: WithHead, *, steps: int = STEPS, longest: int = TRAINED_TO, speeds: Tensor | None = None, seed: int = 0
) -> list[float]:
    """Train an encoder on rows from half of the longest length to the longest; returns the loss of each step.

    Args:
        model: from `tiny_encoder`; may be trained already.
        steps: each on 64 rows.
        longest: positions of a row, at most.
        speeds: of the hands of a rotary encoder, if others than its own.
        seed: of the rows.
    """
    generator = torch.Generator().manual_seed(seed)
    sizes = torch.randint(longest // 2, longest + 1, (steps,), generator=generator).tolist()
    batches = [neighbor_rows(BATCH, size, generator) for size in sizes]
    schedule = linear_schedule(LEARNING_RATE, steps=steps, warmup=steps // 10)
    with _own_angles(model, None, speeds):
        return fit(
            model, batches, lambda m, rows: cross_entropy(m(rows[0]), rows[1]), steps=steps, learning_rate=schedule,
            progress=False,
        ).loss  # fmt: skip


@torch.no_grad()
def share_of_right_counts(
    model: WithHead,
    length: int,
    *,
    offsets: Callable[[Tensor], Tensor] | None = None,
    speeds: Tensor | None = None,
    sharpen: float = 1.0,
    rows: int = TESTED,
    seed: int = 0,
) -> float:
    """The share of right answers over all positions of rows of one length, from 0 to 1.

    The rest is for a rotary encoder, and changes nothing in its weights.

    Args:
        offsets: gets the offsets (query, key) and returns those that the hands are turned by instead.
        speeds: of the hands, radians per position, in place of the model's own.
        sharpen: what each score is multiplied by.

    Raises:
        ValueError: the model has no vector for a position of such rows.
    """
    tokens, counts = neighbor_rows(rows, length, torch.Generator().manual_seed(seed + length))
    names = [f"body.layers.{layer}.self_attention.scores" for layer in range(NUM_LAYERS)]
    edits: dict[str, Edit] = {} if sharpen == 1.0 else dict.fromkeys(names, lambda scores: sharpen * scores)
    with _own_angles(model.eval(), offsets, speeds), edit(model, edits):
        said = torch.cat([model(some).argmax(-1) for some in tokens.split(25)])
    return (said == counts).float().mean().item()


@contextmanager
def _own_angles(model: WithHead, offsets: Callable[[Tensor], Tensor] | None, speeds: Tensor | None) -> Iterator[None]:
    """Inside, a rotary encoder's hands turn at these speeds, and by these offsets."""
    body: Any = model.body
    rotary, attentions = body.rotary, [layer.self_attention for layer in body.layers]
    if speeds is not None:
        body.rotary = RotaryPositions(2 * len(speeds))
        angles = (torch.arange(512)[:, None] * speeds).repeat(1, 2)
        body.rotary.cosines, body.rotary.sines = angles.cos(), angles.sin()
    if offsets is not None:
        body.rotary = None
        for attention in attentions:
            attention.score_positions = partial(_turned, offsets, rotary_speeds() if speeds is None else speeds)
    try:
        yield
    finally:
        body.rotary = rotary
        for attention in attentions:
            attention.score_positions = None


def _turned(offsets: Callable[[Tensor], Tensor], speeds: Tensor, query: Tensor, key: Tensor) -> Tensor:
    """What turning by any offsets adds to the scores of a bare query and key, pair by pair."""
    places = torch.arange(query.shape[2])
    angles = offsets(places - places[:, None])[..., None] * speeds  # query key pair
    (a, b), (c, d) = ([half.unbind(-1) for half in vectors.chunk(2, -1)] for vectors in (query, key))
    scores = -(query @ key.mT)
    for pair, angle in enumerate(angles.unbind(-1)):
        x, y, u, v = a[pair][..., None], b[pair][..., None], c[pair][..., None, :], d[pair][..., None, :]
        scores += (x * u + y * v) * angle.cos() + (y * u - x * v) * angle.sin()
    return scores / query.shape[-1] ** 0.5


def rotary_speeds(base: float = 10_000.0) -> Tensor:
    """By how many radians per position each hand of the rotary encoder turns."""
    return frequencies(D_MODEL // NUM_HEADS, base, None)


def tiny_encoder(scheme: str, generator: torch.Generator) -> WithHead:
    """An encoder of two pre-norm layers with one scheme's positions, which counts each position's marked neighbors.

    Args:
        scheme: a name out of `POSITION_SCHEMES`.
        generator: decides the weights; what a scheme learns is drawn last, so that the rest is the same for all.
    """
    with seeded(generator):
        layers = [
            EncoderLayer(
                MultiHeadAttention(D_MODEL, NUM_HEADS),
                FeedForward(D_MODEL, D_FF),
                self_attention_norms=NormPlaces(before=LayerNorm(D_MODEL)),
                feed_forward_norms=NormPlaces(before=LayerNorm(D_MODEL)),
            )
            for _ in range(NUM_LAYERS)
        ]
        embeddings, head = Embeddings(2, D_MODEL), TokenHead(D_MODEL, ANSWERS)
        parts = POSITION_SCHEMES[scheme]()
        embeddings.positions = parts.pop("added", None)
        return WithHead(Encoder(embeddings, layers, norm=LayerNorm(D_MODEL), **parts), head)
