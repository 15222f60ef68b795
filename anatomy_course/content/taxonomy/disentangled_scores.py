"""Notebook 06: DeBERTa's disentangled scores, of content and offset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from anatomy_course.content.sizes import and_short, normal, primes
from anatomy_course.judge.definition import Case
from anatomy_course.judge.form import written


# fmt: off
def disentangled_scores(
    query: Tensor, key: Tensor, offset_query: Tensor, offset_key: Tensor, rows: Tensor
) -> Tensor:
    """query, key (batch, heads, position, d_head) of the words; offset_query, offset_key (batch, heads,
    offset, d_head), a table with a row for each offset; rows (position, position): rows[i, j] is the table's
    row for j as seen from i; both tables are read at that row → scores (batch, heads, position, position).
    """
    content_scores = query @ key.transpose(-2, -1)
    query_scores = (query[:, :, :, None] * offset_key[:, :, rows]).sum(dim=-1)
    key_scores = (key[:, :, None] * offset_query[:, :, rows]).sum(dim=-1)
    return (content_scores + query_scores + key_scores) / (3 * query.shape[-1]) ** 0.5
# fmt: on


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


def _steps(q: Tensor, k: Tensor, oq: Tensor, ok: Tensor, rows: Tensor) -> Mapping[str, Tensor]:
    return {
        "content scores": q @ k.mT,
        "query scores": _to_offset(q, ok, rows),
        "key scores": _from_offset(k, oq, rows),
    }


EXERCISE = written(
    disentangled_scores,
    same_as="anatomy_utils.functional.attention.disentangled_scores",
    title="Disentangled scores",
    task="Add three products for each pair of positions i and j, query i with key j, query i with the offset's key, "
    "key j with the offset's query, and divide by √(3 · d_head).",
    level="hard, 8 minutes",
    returns="scores: heads query key",
    cases=and_short(_cases, "position", "texts of one word"),
    stages=_steps,
    mistakes="""
    content_only: _scaled(query @ key.mT, query)
        “Yours are the scores of the contents alone; how far apart two words are makes no difference.”
    content_only_as_ever: _scaled(query @ key.mT, query, 1)
        “Those are the scores of 2017: content with content, divided by √d_head.”
    no_offset_to_content: _scaled(query @ key.mT + _to_offset(query, offset_key, rows), query)
        “Two of three products are in your scores; the one of the keys with offset_query is not.”
    no_content_to_offset: _scaled(query @ key.mT + _from_offset(key, offset_query, rows), query)
        “Two of three products are in your scores; the one of the queries with offset_key is not.”
    offsets_only: _scaled(_to_offset(query, offset_key, rows) + _from_offset(key, offset_query, rows), query)
        “Both products with offsets are in your scores; the one of query and key is not.”
    key_not_turned:
        return _scaled(
            query @ key.mT + _to_offset(query, offset_key, rows) + _to_offset(key, offset_query, rows), query
        )
        “Your third product has key i where key j belongs, as if each of its rows were a query's and not a key's.”
    key_looks_the_other_way:
        return _scaled(
            query @ key.mT + _to_offset(query, offset_key, rows) + _from_offset(key, offset_query, rows.T), query
        )
        “In your third product before and after are swapped: key j takes rows[j, i]. The paper writes it so; the
        published models take rows[i, j].”
    query_looks_the_other_way:
        return _scaled(
            query @ key.mT + _to_offset(query, offset_key, rows.T) + _from_offset(key, offset_query, rows), query
        )
        “In your second product before and after are swapped: query i takes rows[j, i].”
    both_other_way:
        return _scaled(
            query @ key.mT + _to_offset(query, offset_key, rows.T) + _from_offset(key, offset_query, rows.T), query
        )
        “In both of your products with offsets, before and after are swapped: rows[j, i] instead of rows[i, j].”
    tables_swapped:
        return _scaled(
            query @ key.mT + _to_offset(query, offset_query, rows) + _from_offset(key, offset_key, rows), query
        )
        “Your queries are multiplied by offset_query, and your keys by offset_key; it should be the other way around.”
    scaled_for_one:
        return _scaled(
            query @ key.mT + _to_offset(query, offset_key, rows) + _from_offset(key, offset_query, rows), query, 1
        )
        “Your sum is right, but it is divided by √d_head: three products are in it, and its variance is three times as
        large.”
    not_scaled: query @ key.mT + _to_offset(query, offset_key, rows) + _from_offset(key, offset_query, rows)
        “Your sum is right, but it comes out undivided.”
    only_contents_scaled:
        return (
            _scaled(query @ key.mT, query) + _to_offset(query, offset_key, rows) + _from_offset(key, offset_query, rows)
        )
        “Only the first of your three products is divided by √(3 · d_head).”
    """,
    also_right="""
    three tables:
        return _scaled(
            query @ key.mT + _to_offset(query, offset_key, rows) + _from_offset(key, offset_query, rows), query
        )
    rows looked up:
        near = torch.einsum("bhqd,bhqkd->bhqk", query, offset_key[:, :, rows]) + torch.einsum(
            "bhkd,bhqkd->bhqk", key, offset_query[:, :, rows]
        )
        return (torch.einsum("bhqd,bhkd->bhqk", query, key) + near) / (3 * query.shape[-1]) ** 0.5
    pair by pair:
        length = query.shape[2]
        scores = torch.zeros(*query.shape[:2], length, length)
        for i in range(length):
            for j in range(length):
                pair = (
                    query[:, :, i] * key[:, :, j]
                    + query[:, :, i] * offset_key[:, :, rows[i, j]]
                    + key[:, :, j] * offset_query[:, :, rows[i, j]]
                )
                scores[:, :, i, j] = pair.sum(-1)
        return scores / (3 * query.shape[-1]) ** 0.5
    gathered along the keys:
        return _scaled(
            query @ key.mT
            + _to_offset(query, offset_key, rows)
            + (offset_query @ key.mT).gather(-2, rows.expand(*query.shape[:2], *rows.shape)),
            query,
        )
    """,
    hints="""
    - `offset_key[:, :, rows]` looks the table up for all pairs at once: (batch, heads, query, key, d_head). What must
      it be multiplied by, and over which axis must the product be summed?
    - Query i belongs to row i of the scores: `query[:, :, :, None]` has an axis for j. Key j belongs to column j:
      `key[:, :, None]` has one for i.
    - `query_scores = (query[:, :, :, None] * offset_key[:, :, rows]).sum(dim=-1)`; the third product is written
      likewise. Then add all three and divide once.
    """,
    explanation="""
    He et al. 2020. BERT adds a position to the word, and from then on both share one vector. Here what a word is and
    how far away it is are asked separately: “which noun?” and “which neighbor?”. The paper writes the third product
    with rows[j, i]; its code, and so all published weights, have rows[i, j]. The model multiplies each word by each row
    of the table first and picks afterwards, which takes less memory.
    """,
)
