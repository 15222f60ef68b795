"""Notebook 03: positions that enter inside attention, by turning queries and keys or by adding to the scores."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from anatomy_utils.exercises.catalogue.sizes import normal, primes
from anatomy_utils.exercises.definition import Case, Exercise, Mistake, Output


def _vectors(generator: torch.Generator) -> list[Case]:
    cases = []
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
        cases.append(Case(arguments, kind, sizes))
    return cases


def _halves_turned(vectors: Tensor) -> Tensor:
    first, second = vectors.chunk(2, dim=-1)
    return torch.cat((-second, first), dim=-1)


def _neighbours_turned(vectors: Tensor) -> Tensor:
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


def _first_half_only(vectors: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    half = vectors.shape[-1] // 2
    return torch.cat((_half_by_half(vectors, cosines, sines)[..., :half], vectors[..., half:]), dim=-1)


ROTARY = Exercise(
    id="encoder.rotary",
    title="Turn by the position",
    task="Turn each pair of features, i and i + d_head/2, by the angle of its position: (a, b) becomes "
    "(a·cos − b·sin, b·cos + a·sin).",
    difficulty="medium",
    minutes=5,
    signature="rotary(vectors: Tensor, cosines: Tensor, sines: Tensor) -> Tensor",
    docstring="Queries or keys (batch, heads, position, d_head); cosines and sines of the angles (position, d_head),\n"
    "where the second half of each row repeats the first → vectors of the same shape.",
    reference="anatomy_utils.transplant.references.rotary",
    returns=(Output("vectors", "position d_head"),),
    cases=_vectors,
    mistakes=(
        Mistake(
            "turned_back",
            lambda v, c, s: v * c - _halves_turned(v) * s,
            "Your pairs are turned by the right angle the other way round: the sign of the sines is wrong.",
        ),
        Mistake(
            "no_minus",
            lambda v, c, s: v * c + torch.cat((v.chunk(2, -1)[1], v.chunk(2, -1)[0]), -1) * s,
            "In your result a becomes a·cos + b·sin: that is no turn, for lengths change. One minus is missing.",
        ),
        Mistake(
            "minus_on_the_wrong_half",
            lambda v, c, s: v * c + torch.cat((-v.chunk(2, -1)[0], v.chunk(2, -1)[1]), -1) * s,
            "Your halves have not changed places: each feature is mixed with itself, not with its partner.",
        ),
        Mistake(
            "neighbours",
            lambda v, c, s: v * c + _neighbours_turned(v) * s,
            "Your pairs are neighbours, 2i and 2i + 1. Some models pair them so, but these angles are laid out for i "
            "and i + d_head/2.",
        ),
        Mistake(
            "cosine_and_sine_swapped",
            lambda v, c, s: v * s + _halves_turned(v) * c,
            "Cosines and sines have changed places: an angle of 0 would turn your vectors by a quarter.",
        ),
        Mistake(
            "stretched",
            lambda v, c, s: v * c,
            "Your features are only multiplied by the cosines; what comes from the partner is missing.",
        ),
        Mistake(
            "partner_only",
            lambda v, c, s: _halves_turned(v) * s,
            "You have only what comes from the partner, times the sines; the feature itself, times the cosine, is "
            "missing.",
        ),
        Mistake(
            "added",
            lambda v, c, s: v + c + _halves_turned(v) * s,
            "The cosines are added to your vectors; they should be multiplied.",
        ),
        Mistake(
            "first_half_only",
            _first_half_only,
            "The first half of your features is right; the second has stayed as it was.",
        ),
        Mistake(
            "all_by_the_first_angle",
            lambda v, c, s: v * c[:1] + _halves_turned(v) * s[:1],
            "Every word of yours is turned by the angle of the first position, so that no order is told.",
        ),
        Mistake(
            "turned_twice",
            lambda v, c, s: _half_by_half(_half_by_half(v, c, s), c, s),
            "Your pairs are turned the right way, but by twice the angle.",
        ),
    ),
    alternatives={
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
        "Each new feature is itself times a cosine, plus or minus its partner times a sine. Can you make a tensor in "
        "which every feature has its partner in its place?",
        "`first, second = vectors.chunk(2, dim=-1)`. The partners of the first half are the second half, with a minus; "
        "those of the second half are the first.",
        "`partners = torch.cat([-second, first], dim=-1)`; then `vectors * cosines` and `partners * sines` are added.",
    ),
    solution="first, second = vectors.chunk(2, dim=-1)\n"
    "partners = torch.cat([-second, first], dim=-1)\n"
    "return vectors * cosines + partners * sines",
    explanation="A turn changes no length. When query and key are both turned by their positions' angles, their dot "
    "product depends on the difference of the angles alone: on the offset.",
    stages=lambda v, c, s: {
        "partners": _halves_turned(v),
        "vectors times cosines": v * c,
        "partners times sines": _halves_turned(v) * s,
    },
)


def _tables(generator: torch.Generator) -> list[Case]:
    cases = []
    for kind in ("a table that reaches all offsets", "far offsets", "far offsets", "one head"):
        heads, farthest, length = 3, 5, 5
        if kind == "far offsets":
            heads, farthest = primes(generator, 2, (2, 3))
            length = (5, 7, 11)[int(torch.randint(3, (1,), generator=generator))]
        if kind == "one head":
            heads, farthest, length = 1, 2, 7
        arguments = {"table": normal(generator, heads, 2 * farthest + 1), "length": length}
        cases.append(Case(arguments, kind, {"heads": heads, "query": length}))
    return cases


def _offsets(length: int) -> Tensor:
    positions = torch.arange(length)
    return positions[None, :] - positions[:, None]


def _columns(table: Tensor, length: int) -> Tensor:
    farthest = table.shape[1] // 2
    return _offsets(length).clamp(-farthest, farthest) + farthest


def _bias_steps(table: Tensor, length: int) -> Mapping[str, Tensor]:
    farthest = table.shape[1] // 2
    return {
        "offsets": _offsets(length),
        "offsets that the table has": _offsets(length).clamp(-farthest, farthest),
        "columns": _columns(table, length),
    }


def _cell_by_cell(table: Tensor, length: int) -> Tensor:
    bias, farthest = torch.zeros(len(table), length, length), table.shape[1] // 2
    for query in range(length):
        for key in range(length):
            bias[:, query, key] = table[:, max(-farthest, min(farthest, key - query)) + farthest]
    return bias


def _gathered(table: Tensor, length: int) -> Tensor:
    columns = _columns(table, length).flatten().expand(len(table), -1)
    return table.gather(1, columns).unflatten(1, (length, length))


OFFSET_BIAS = Exercise(
    id="encoder.offset_bias",
    title="A number per offset",
    task="Make what each head adds to its scores: a number looked up by the offset, key minus query; offsets beyond "
    "the table use its last number on their side.",
    difficulty="hard",
    minutes=6,
    signature="offset_bias(table: Tensor, length: int) -> Tensor",
    docstring="table (heads, 2·farthest + 1): column 0 is for the offset −farthest, the middle one for 0\n"
    "→ bias (heads, query, key), where there are `length` queries and as many keys.",
    reference="anatomy_utils.encoder_functions.offset_bias",
    returns=(Output("bias", "heads query key"),),
    cases=_tables,
    mistakes=(
        Mistake(
            "query_minus_key",
            lambda table, length: table[:, _columns(table, length).T],
            "Your offsets have the wrong sign: you add to the score of a key on the right what belongs to one on the "
            "left.",
        ),
        Mistake(
            "distance",
            lambda table, length: table[:, table.shape[1] // 2 + _offsets(length).abs().clamp(max=table.shape[1] // 2)],
            "Keys on the left get the numbers of keys on the right: yours depends on the distance, not on its side.",
        ),
        Mistake(
            "not_shifted",
            lambda table, length: table[:, _offsets(length).clamp(-(table.shape[1] // 2), table.shape[1] // 2)],
            "The offset 0 of yours takes column 0, which is for −farthest; and negative offsets count columns from "
            "the end.",
        ),
        Mistake(
            "all_clipped_late",
            lambda table, length: table[:, (_offsets(length) + table.shape[1] // 2) % table.shape[1]],
            "Where the offset is beyond the table, yours begins again at its other end.",
        ),
        Mistake(
            "far_is_zero",
            lambda table, length: table[:, _columns(table, length)] * (_offsets(length).abs() <= table.shape[1] // 2),
            "Near offsets are right; to far ones yours adds 0, where it should add the last number on their side.",
        ),
        Mistake(
            "far_share_one_side",
            lambda table, length: table[
                :, torch.where(_offsets(length) < -(table.shape[1] // 2), table.shape[1] - 1, _columns(table, length))
            ],
            "Far keys on the left of yours use the last number of the right side.",
        ),
        Mistake(
            "heads_last",
            lambda table, length: table.T[_columns(table, length)],
            "The numbers are right, but your heads are the last axis; scores have them in front of queries and keys.",
        ),
        Mistake(
            "absolute",
            lambda table, length: table[:, torch.arange(length).clamp(max=table.shape[1] - 1).expand(length, -1)],
            "All your rows are the same: a number for each key, wherever the query stands.",
        ),
        Mistake(
            "one_too_far",
            lambda table, length: table[:, (_columns(table, length) + 1).clamp(max=table.shape[1] - 1)],
            "Your columns are one too far on the right: the offset 0 takes the number of the offset 1.",
        ),
        Mistake(
            "one_head_for_all",
            lambda table, length: table[0, _columns(table, length)].expand(len(table), -1, -1),
            "All your heads use the numbers of head 0.",
        ),
    ),
    alternatives={
        "cell by cell": _cell_by_cell,
        "gather": _gathered,
        "clipped at the columns": lambda table, length: table[
            :, (_offsets(length) + table.shape[1] // 2).clamp(0, table.shape[1] - 1)
        ],
        "index_select": lambda table, length: table.index_select(1, _columns(table, length).flatten()).view(
            -1, length, length
        ),
    },
    hints=(
        "First the table of all offsets, (query, key): with 3 words 0 1 2, −1 0 1, −2 −1 0. Then which column belongs "
        "to which offset.",
        "`positions[None, :] - positions[:, None]` makes the offsets. `table.shape[1] // 2` is the farthest offset, "
        "and also the column of the offset 0.",
        "`offsets.clamp(-farthest, farthest) + farthest` are the columns; `table[:, columns]` looks all of them up for "
        "every head.",
    ),
    solution="positions = torch.arange(length)\n"
    "offsets = positions[None, :] - positions[:, None]\n"
    "farthest = table.shape[1] // 2\n"
    "return table[:, offsets.clamp(-farthest, farthest) + farthest]",
    explanation="Along each diagonal stands one number: nothing depends on where in the text a pair stands. And since "
    "far offsets share a number, a longer text than any in training still has all of its numbers. T5 lets far offsets "
    "share in wider and wider buckets.",
    stages=_bias_steps,
)
