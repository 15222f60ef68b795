"""Notebook 03: rotary positions, which turn queries and keys."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from anatomy_course.content.sizes import normal, primes
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output


def _vectors(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("one head", "several heads", "a batch of texts"):
        batch, heads, position, pairs = primes(generator, 4, (2, 3, 5, 7))
        heads = 1 if kind == "one head" else heads
        batch = batch if kind == "a batch of texts" else 1
        frequencies = 10 ** (-torch.arange(pairs) / pairs)
        angles = (1 + torch.arange(position))[:, None] * frequencies
        arguments = {
            "vectors": normal(generator, batch, heads, position, 2 * pairs),
            "cosines": torch.cat((angles, angles), -1).cos(),
            "sines": torch.cat((angles, angles), -1).sin(),
        }
        sizes = {"batch": batch, "heads": heads, "position": position, "d_head": 2 * pairs}
        yield Case(arguments, kind, sizes)


def _halves_turned(vectors: Tensor) -> Tensor:
    first, second = vectors.chunk(2, dim=-1)
    return torch.cat((-second, first), dim=-1)


def _neighbors_turned(vectors: Tensor) -> Tensor:
    pairs = vectors.unflatten(-1, (-1, 2))
    return torch.stack((-pairs[..., 1], pairs[..., 0]), dim=-1).flatten(-2)


def _half_by_half(vectors: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    half = vectors.shape[-1] // 2
    a, b, cosine, sine = vectors[..., :half], vectors[..., half:], cosines[..., :half], sines[..., :half]
    return torch.cat((a * cosine - b * sine, a * sine + b * cosine), dim=-1)


def _complex(vectors: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    a, b = vectors.chunk(2, dim=-1)
    half = a.shape[-1]
    turned = torch.complex(a.contiguous(), b.contiguous()) * torch.complex(
        cosines[..., :half].contiguous(), sines[..., :half].contiguous()
    )
    return torch.cat((turned.real, turned.imag), dim=-1)


def _overwritten(vectors: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    half = vectors.shape[-1] // 2
    a = _half_by_half(vectors, cosines, sines)[..., :half]
    b = vectors[..., half:] * cosines[..., :half] + a * sines[..., :half]
    return torch.cat((a, b), dim=-1)


def _first_half_only(vectors: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    half = vectors.shape[-1] // 2
    return torch.cat((_half_by_half(vectors, cosines, sines)[..., :half], vectors[..., half:]), dim=-1)


EXERCISE = Exercise(
    id="encoder.rotary",
    title="Turn by the position",
    task="Turn each pair of features, i and i + d_head/2, by the angle of its position: (a, b) becomes "
    "(a·cos − b·sin, b·cos + a·sin).",
    difficulty="medium",
    minutes=5,
    signature="rotary(vectors: Tensor, cosines: Tensor, sines: Tensor) -> Tensor",
    docstring="Queries or keys (batch, heads, position, d_head); cosines and sines of the angles (position, d_head),\n"
    "where the second half of each row repeats the first → vectors of the same shape.",
    reference="anatomy_utils.functional.positions.rotary",
    returns=(Output("vectors", "position d_head"),),
    cases=_vectors,
    mistakes=(
        Mistake(
            "turned_back",
            lambda v, c, s: v * c - _halves_turned(v) * s,
            "Your pairs are turned by the right angle, but in the wrong direction, as if the sines had the wrong sign.",
        ),
        Mistake(
            "no_minus",
            lambda v, c, s: v * c + torch.cat((v.chunk(2, -1)[1], v.chunk(2, -1)[0]), -1) * s,
            "In your result a becomes a·cos + b·sin: a sign is wrong. That is not a rotation, because lengths change.",
        ),
        Mistake(
            "minus_on_the_wrong_half",
            lambda v, c, s: v * c + torch.cat((-v.chunk(2, -1)[0], v.chunk(2, -1)[1]), -1) * s,
            "Each of your features is mixed with itself, not with its partner, as if the halves were not swapped.",
        ),
        Mistake(
            "neighbors",
            lambda v, c, s: v * c + _neighbors_turned(v) * s,
            "Your pairs are neighbors, 2i and 2i + 1. Some models pair them that way, but these angles are ordered "
            "for i and i + d_head/2.",
        ),
        Mistake(
            "cosine_and_sine_swapped",
            lambda v, c, s: v * s + _halves_turned(v) * c,
            "Cosines and sines are swapped: an angle of 0 would turn your vectors by a quarter turn.",
        ),
        Mistake(
            "overwritten",
            _overwritten,
            "Your first half is right, but the second is computed from the first half's new numbers; it needs the "
            "old ones.",
        ),
        Mistake(
            "stretched",
            lambda v, c, s: v * c,
            "Your features are only multiplied by the cosines; what comes from the partner is not in them.",
        ),
        Mistake(
            "partner_only",
            lambda v, c, s: _halves_turned(v) * s,
            "You return only what comes from the partner, times the sines; the feature itself, times the cosine, is "
            "not in it.",
        ),
        Mistake(
            "added",
            lambda v, c, s: v + c + _halves_turned(v) * s,
            "The cosines are added to your vectors; they should be multiplied.",
        ),
        Mistake(
            "first_half_only",
            _first_half_only,
            "The first half of your features is right; the second half is unchanged.",
        ),
        Mistake(
            "all_by_the_first_angle",
            lambda v, c, s: v * c[:1] + _halves_turned(v) * s[:1],
            "All your words are turned by the angle of the first position, so the order is lost.",
        ),
        Mistake(
            "turned_twice",
            lambda v, c, s: _half_by_half(_half_by_half(v, c, s), c, s),
            "Your pairs are turned the right way, but by twice the angle.",
        ),
    ),
    also_right={
        "half by half": _half_by_half,
        "complex numbers": _complex,
        "roll": lambda v, c, s: (
            v * c
            + torch.roll(v, v.shape[-1] // 2, dims=-1)
            * torch.cat((-s[..., : s.shape[-1] // 2], s[..., s.shape[-1] // 2 :]), dim=-1)
        ),
        "chunks": lambda v, c, s: v * c + _halves_turned(v) * s,
    },
    hints=(
        "Each new feature is the old feature times a cosine, plus or minus the old feature's partner times a sine. "
        "Can you make a tensor that holds each feature's partner in that feature's place?",
        "`first, second = vectors.chunk(2, dim=-1)`. The partners of the first half are the second half, with a minus; "
        "those of the second half are the first.",
        "`partners = torch.cat([-second, first], dim=-1)`; then `vectors * cosines` and `partners * sines` are added.",
    ),
    solution="first, second = vectors.chunk(2, dim=-1)\n"
    "partners = torch.cat([-second, first], dim=-1)\n"
    "return vectors * cosines + partners * sines",
    explanation="A rotation changes no length. When query and key are both turned by their positions' angles, "
    "their dot product depends only on the difference of the angles, that is, on the offset.",
    stages=lambda v, c, s: {
        "partners": _halves_turned(v),
        "vectors times cosines": v * c,
        "partners times sines": _halves_turned(v) * s,
    },
)
