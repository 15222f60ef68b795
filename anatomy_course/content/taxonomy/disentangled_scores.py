"""Notebook 06: DeBERTa's disentangled scores, of content and offset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from anatomy_course.content.sizes import and_short, normal, primes
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output


def _rows(length: int, farthest: int) -> Tensor:
    """DeBERTa's δ: query − key, held between −farthest and farthest − 1, counted from 0."""
    places = torch.arange(length)
    return (places[:, None] - places).clamp(-farthest, farthest - 1) + farthest


def _for_each(batch: int, table: Tensor) -> Tensor:
    """A table for each text, rolled on by one row from text to text: the first one's is not everyone's."""
    return torch.stack([table.roll(number, 1) for number in range(batch)])


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("a batch of texts", "one text", "a batch of texts"):
        batch, heads, position, d_head = primes(generator, 4, (2, 3, 5, 7))
        if position == 2:  # with two words, "the other way round" is hard to tell from "the other word"
            position, d_head = d_head, position
        batch = 1 if kind == "one text" else batch
        farthest = 2 if position < 5 else 3
        arguments = {
            "query": normal(generator, batch, heads, position, d_head),
            "key": normal(generator, batch, heads, position, d_head),
            "offset_query": _for_each(batch, normal(generator, heads, 2 * farthest, d_head)),
            "offset_key": _for_each(batch, normal(generator, heads, 2 * farthest, d_head)),
            "rows": _rows(position, farthest),
        }
        yield Case(arguments, kind, {"batch": batch, "heads": heads, "position": position, "d_head": d_head})


def _to_offset(q: Tensor, ok: Tensor, rows: Tensor) -> Tensor:
    scores = q @ ok.mT
    return scores.gather(-1, rows.expand(*scores.shape[:-1], rows.shape[1]))


def _from_offset(k: Tensor, oq: Tensor, rows: Tensor) -> Tensor:
    return _to_offset(k, oq, rows.T).mT


def _scaled(scores: Tensor, q: Tensor, terms: int = 3) -> Tensor:
    return scores / (terms * q.shape[-1]) ** 0.5


def _right(q: Tensor, k: Tensor, oq: Tensor, ok: Tensor, rows: Tensor) -> Tensor:
    return _scaled(q @ k.mT + _to_offset(q, ok, rows) + _from_offset(k, oq, rows), q)


def _looked_up(q: Tensor, k: Tensor, oq: Tensor, ok: Tensor, rows: Tensor) -> Tensor:
    near = torch.einsum("bhqd,bhqkd->bhqk", q, ok[:, :, rows]) + torch.einsum("bhkd,bhqkd->bhqk", k, oq[:, :, rows])
    return (torch.einsum("bhqd,bhkd->bhqk", q, k) + near) / (3 * q.shape[-1]) ** 0.5


def _pair_by_pair(q: Tensor, k: Tensor, oq: Tensor, ok: Tensor, rows: Tensor) -> Tensor:
    length = q.shape[2]
    scores = torch.zeros(*q.shape[:2], length, length)
    for i in range(length):
        for j in range(length):
            pair = q[:, :, i] * k[:, :, j] + q[:, :, i] * ok[:, :, rows[i, j]] + k[:, :, j] * oq[:, :, rows[i, j]]
            scores[:, :, i, j] = pair.sum(-1)
    return scores / (3 * q.shape[-1]) ** 0.5


def _steps(q: Tensor, k: Tensor, oq: Tensor, ok: Tensor, rows: Tensor) -> Mapping[str, Tensor]:
    return {
        "content scores": q @ k.mT,
        "query scores": _to_offset(q, ok, rows),
        "key scores": _from_offset(k, oq, rows),
    }


EXERCISE = Exercise(
    id="taxonomy.disentangled_scores",
    title="Disentangled scores",
    task="Add three products for each pair of positions i and j, query i with key j, query i with the offset's key, "
    "key j with the offset's query, and divide by √(3 · d_head).",
    difficulty="hard",
    minutes=8,
    signature="disentangled_scores(\n"
    "    query: Tensor, key: Tensor, offset_query: Tensor, offset_key: Tensor, rows: Tensor\n"
    ") -> Tensor",
    docstring="query, key (batch, heads, position, d_head) of the words; offset_query, offset_key (batch, heads,\n"
    "offset, d_head), a table with a row for each offset; rows (position, position): rows[i, j] is the table's\n"
    "row for j as seen from i; both tables are read at that row → scores (batch, heads, position, position).",
    reference="anatomy_utils.functional.attention.disentangled_scores",
    returns=(Output("scores", "heads query key"),),
    cases=and_short(_cases, "position", "texts of one word"),
    mistakes=(
        Mistake(
            "content_only",
            lambda q, k, oq, ok, rows: _scaled(q @ k.mT, q),
            "Yours are the scores of the contents alone; how far apart two words are makes no difference.",
        ),
        Mistake(
            "content_only_as_ever",
            lambda q, k, oq, ok, rows: _scaled(q @ k.mT, q, 1),
            "Those are the scores of 2017: content with content, divided by √d_head.",
        ),
        Mistake(
            "no_offset_to_content",
            lambda q, k, oq, ok, rows: _scaled(q @ k.mT + _to_offset(q, ok, rows), q),
            "Two of three products are in your scores; the one of the keys with offset_query is not.",
        ),
        Mistake(
            "no_content_to_offset",
            lambda q, k, oq, ok, rows: _scaled(q @ k.mT + _from_offset(k, oq, rows), q),
            "Two of three products are in your scores; the one of the queries with offset_key is not.",
        ),
        Mistake(
            "offsets_only",
            lambda q, k, oq, ok, rows: _scaled(_to_offset(q, ok, rows) + _from_offset(k, oq, rows), q),
            "Both products with offsets are in your scores; the one of query and key is not.",
        ),
        Mistake(
            "key_not_turned",
            lambda q, k, oq, ok, rows: _scaled(q @ k.mT + _to_offset(q, ok, rows) + _to_offset(k, oq, rows), q),
            "Your third product has key i where key j belongs, as if each of its rows were a query's and not a key's.",
        ),
        Mistake(
            "key_looks_the_other_way",
            lambda q, k, oq, ok, rows: _scaled(q @ k.mT + _to_offset(q, ok, rows) + _from_offset(k, oq, rows.T), q),
            "In your third product before and after are swapped: key j takes rows[j, i]. The paper writes it so; the "
            "published models take rows[i, j].",
        ),
        Mistake(
            "query_looks_the_other_way",
            lambda q, k, oq, ok, rows: _scaled(q @ k.mT + _to_offset(q, ok, rows.T) + _from_offset(k, oq, rows), q),
            "In your second product before and after are swapped: query i takes rows[j, i].",
        ),
        Mistake(
            "both_other_way",
            lambda q, k, oq, ok, rows: _scaled(q @ k.mT + _to_offset(q, ok, rows.T) + _from_offset(k, oq, rows.T), q),
            "In both of your products with offsets, before and after are swapped: rows[j, i] instead of rows[i, j].",
        ),
        Mistake(
            "tables_swapped",
            lambda q, k, oq, ok, rows: _scaled(q @ k.mT + _to_offset(q, oq, rows) + _from_offset(k, ok, rows), q),
            "Your queries are multiplied by offset_query, and your keys by offset_key; it should be the other way "
            "around.",
        ),
        Mistake(
            "scaled_for_one",
            lambda q, k, oq, ok, rows: _scaled(q @ k.mT + _to_offset(q, ok, rows) + _from_offset(k, oq, rows), q, 1),
            "Your sum is right, but it is divided by √d_head: three products are in it, and its variance is three "
            "times as large.",
        ),
        Mistake(
            "not_scaled",
            lambda q, k, oq, ok, rows: q @ k.mT + _to_offset(q, ok, rows) + _from_offset(k, oq, rows),
            "Your sum is right, but it comes out undivided.",
        ),
        Mistake(
            "only_contents_scaled",
            lambda q, k, oq, ok, rows: _scaled(q @ k.mT, q) + _to_offset(q, ok, rows) + _from_offset(k, oq, rows),
            "Only the first of your three products is divided by √(3 · d_head).",
        ),
    ),
    also_right={
        "three tables": _right,
        "rows looked up": _looked_up,
        "pair by pair": _pair_by_pair,
        "gathered along the keys": lambda q, k, oq, ok, rows: _scaled(
            q @ k.mT + _to_offset(q, ok, rows) + (oq @ k.mT).gather(-2, rows.expand(*q.shape[:2], *rows.shape)),
            q,
        ),
    },
    hints=(
        "`offset_key[:, :, rows]` looks the table up for all pairs at once: (batch, heads, query, key, d_head). What "
        "must it be multiplied by, and over which axis must the product be summed?",
        "Query i belongs to row i of the scores: `query[:, :, :, None]` has an axis for j. Key j belongs to column j: "
        "`key[:, :, None]` has one for i.",
        "`query_scores = (query[:, :, :, None] * offset_key[:, :, rows]).sum(dim=-1)`; the third product is written "
        "likewise. Then add all three and divide once.",
    ),
    solution="content_scores = query @ key.transpose(-2, -1)\n"
    "query_scores = (query[:, :, :, None] * offset_key[:, :, rows]).sum(dim=-1)\n"
    "key_scores = (key[:, :, None] * offset_query[:, :, rows]).sum(dim=-1)\n"
    "return (content_scores + query_scores + key_scores) / (3 * query.shape[-1]) ** 0.5",
    explanation="He et al. 2020. BERT adds a position to the word, and from then on both share one vector. Here what a "
    "word is and how far away it is are asked separately: “which noun?” and “which neighbor?”. The paper writes the "
    "third product with rows[j, i]; its code, and so all published weights, have rows[i, j]. The model multiplies each "
    "word by each row of the table first and picks afterwards, which takes less memory.",
    stages=_steps,
)
