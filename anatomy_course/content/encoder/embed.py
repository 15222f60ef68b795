"""Notebook 03: what goes into an encoder, the sum of token, position and segment embeddings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor
from torch.nn import functional as F

from anatomy_course.content.sizes import and_short, batch_and_primes, normal
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output

ROWS = 17
"""Of the position table: more than any text here has positions, and than there are tokens."""


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind, first, second in (
        ("a batch of texts", 0, 1),
        ("one text", 0, 1),
        ("texts of a single segment", 0, 0),
        ("a batch of texts", 1, 0),
    ):
        batch, position, d_model = batch_and_primes(generator, kind, 3, (3, 5, 7))
        later = torch.arange(position) >= position // 2
        arguments = {
            "input_ids": torch.randint(13, (batch, position), generator=generator),
            "segment_ids": torch.where(later, second, first).repeat(batch, 1),
            "token_table": normal(generator, 13, d_model),
            "position_table": normal(generator, ROWS, d_model),
            "segment_table": normal(generator, 2, d_model),
        }
        yield Case(arguments, kind, {"batch": batch, "position": position, "d_model": d_model})


def _positions(ids: Tensor, table: Tensor) -> Tensor:
    return table[: ids.shape[1]]


def _sum(ids: Tensor, segments: Tensor, tokens: Tensor, positions: Tensor, segment_table: Tensor) -> Tensor:
    return tokens[ids] + _positions(ids, positions) + segment_table[segments]


def _steps(ids: Tensor, segments: Tensor, tokens: Tensor, positions: Tensor, table: Tensor) -> Mapping[str, Tensor]:
    return {
        "token vectors": tokens[ids],
        "position vectors": _positions(ids, positions),
        "segment vectors": table[segments],
        "tokens and positions": tokens[ids] + _positions(ids, positions),
    }


def _one_hot(ids: Tensor, segments: Tensor, tokens: Tensor, positions: Tensor, table: Tensor) -> Tensor:
    from_tokens = F.one_hot(ids, len(tokens)).float() @ tokens
    return from_tokens + F.one_hot(segments, 2).float() @ table + positions[None, : ids.shape[1]]


EXERCISE = Exercise(
    id="encoder.embed",
    title="Token, position, segment",
    task="Look up the vector of each token, of its position and of its segment, and add the three.",
    difficulty="easy",
    minutes=4,
    signature="embed(\n"
    "    input_ids: Tensor, segment_ids: Tensor, token_table: Tensor, position_table: Tensor, segment_table: Tensor\n"
    ") -> Tensor",
    docstring="input_ids and segment_ids (batch, position); three tables, (rows, d_model) each\n"
    "→ vectors (batch, position, d_model). Positions count from 0.",
    reference="anatomy_utils.functional.embeddings.embed",
    returns=(Output("vectors", "position d_model"),),
    cases=and_short(_cases, "position", "texts of one word"),
    mistakes=(
        Mistake(
            "no_positions",
            lambda ids, segments, t, p, s: t[ids] + s[segments],
            "Your vectors hold the token and the segment; the token's position is not in them.",
        ),
        Mistake(
            "no_segments",
            lambda ids, segments, t, p, s: t[ids] + _positions(ids, p),
            "Your vectors hold the token and its position; which of the two texts it belongs to is not in them.",
        ),
        Mistake("tokens_only", lambda ids, segments, t, p, s: t[ids], "Your vectors are those of the tokens alone."),
        Mistake(
            "positions_by_id",
            lambda ids, segments, t, p, s: t[ids] + p[ids] + s[segments],
            "Your position vectors belong to the tokens' ids: a token that occurs twice gets the same one both times.",
        ),
        Mistake(
            "positions_by_row",
            lambda ids, segments, t, p, s: t[ids] + p[: len(ids), None] + s[segments],
            "All words of a text get the same position vector: you number the texts of the batch, not the words.",
        ),
        Mistake(
            "from_the_end",
            lambda ids, segments, t, p, s: t[ids] + _positions(ids, p).flip(0) + s[segments],
            "Your positions count from the end of the text: its last word is at position 0.",
        ),
        Mistake(
            "first_position_for_all",
            lambda ids, segments, t, p, s: t[ids] + p[0] + s[segments],
            "All your words are at position 0.",
        ),
        Mistake(
            "from_one",
            lambda ids, segments, t, p, s: t[ids] + p[1 : ids.shape[1] + 1] + s[segments],
            "Your positions begin with 1, as if the table had no row 0.",
        ),
        Mistake(
            "last_positions",
            lambda ids, segments, t, p, s: t[ids] + p[-ids.shape[1] :] + s[segments],
            "Your positions are the last rows of the table, not the first ones.",
        ),
        Mistake(
            "one_segment",
            lambda ids, segments, t, p, s: t[ids] + _positions(ids, p) + s[0],
            "All your words belong to segment 0, whatever segment_ids contains.",
        ),
        Mistake(
            "averaged",
            lambda *given: _sum(*given) / 3,
            "You return the average of the three vectors; they are only added, not divided.",
        ),
        Mistake(
            "side_by_side",
            lambda ids, segments, t, p, s: torch.cat(
                (t[ids], _positions(ids, p).expand(len(ids), -1, -1), s[segments]), dim=-1
            ),
            "Your three vectors are joined side by side: the result is three times as wide as d_model.",
        ),
        Mistake(
            "tokens_enlarged",
            lambda ids, segments, t, p, s: t[ids] * t.shape[1] ** 0.5 + _positions(ids, p) + s[segments],
            "Your token vectors are multiplied by √d_model. The model of 2017 does that; here they are added as they "
            "are.",
        ),
        Mistake(
            "normalized",
            lambda *given: F.layer_norm(_sum(*given), given[2].shape[1:]),
            "Your sum is already normalized. BERT does that next, but it is a step of its own.",
        ),
    ),
    also_right={
        "F.embedding": lambda ids, segments, t, p, s: (
            F.embedding(ids, t) + F.embedding(segments, s) + F.embedding(torch.arange(ids.shape[1]), p)
        ),
        "one-hot": _one_hot,
        "positions for each text": lambda ids, segments, t, p, s: (
            t[ids] + p[torch.arange(ids.shape[1]).expand(len(ids), -1)] + s[segments]
        ),
        "a slice": _sum,
    },
    hints=(
        "Three look-ups and two plus signs. For two of the look-ups you are given the ids.",
        "The positions are 0, 1, 2 …, one for each token: `torch.arange(input_ids.shape[1])`.",
        "`token_table[input_ids]` is (batch, position, d_model), the position vectors (position, d_model): torch adds "
        "them to every text of the batch.",
    ),
    solution="positions = torch.arange(input_ids.shape[1])\n"
    "return token_table[input_ids] + position_table[positions] + segment_table[segment_ids]",
    explanation="The sum keeps the width. With 384 or 512 features there is room for the layers to tell the "
    "three apart again. This is figure 2 of the BERT paper; the 2017 Transformer has no segments.",
    stages=_steps,
)
