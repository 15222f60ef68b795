"""Relative positions that read the content: what is added to a score depends on query, key and their offset.

Each object is given to `MultiHeadAttention(score_positions=…)` and returns numbers to add to the scores. Notebook 04
compares them with the schemes of `positions.py`. They stand in a long line: Shaw's vectors per offset (2018), the waves
of Transformer-XL (2019), DeBERTa's disentangled scores (2021).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from anatomy_utils.functional.positions import sinusoids
from anatomy_utils.nn.dropout import dropout_or_nothing, identity


class ShawPositions(nn.Module):
    """Each offset has a learned key of its own: score += q · a_offset / √d_head.

    Shaw, Uszkoreit and Vaswani 2018 (arXiv:1803.02155), equation 5 (the part for keys; their ablation finds that the
    part for values adds nothing).

    Args:
        d_head: width of one head.
        max_distance: farther offsets share the last vector of their side.
    """

    def __init__(self, d_head: int, *, max_distance: int) -> None:
        super().__init__()
        self.max_distance = max_distance
        self.table = nn.Embedding(2 * max_distance + 1, d_head)

    def forward(
        self, query: Float[Tensor, "batch heads query d_head"], key: Float[Tensor, "batch heads key d_head"]
    ) -> Float[Tensor, "batch heads query key"]:
        """What to add to the scores; the last query stands at the last key."""
        offsets = _offsets(query, key).clamp(-self.max_distance, self.max_distance)
        keys = self.table(offsets + self.max_distance)  # query key d_head
        return torch.einsum("bhqd,qkd->bhqk", query, keys) / math.sqrt(query.shape[-1])


class TransformerXLPositions(nn.Module):
    """Waves of the offset, projected per head, matched by the query and by a learned preference.

    Dai et al. 2019, section 3.3 (arXiv:1901.02860): q·k becomes (q + u)·k + (q + v)·W_R R_offset, where u is what every
    query asks of contents and v what it asks of offsets.

    Args:
        d_model: width of the waves.
        num_heads: how many heads.
        d_head: width of one head.
        max_distance: keys farther back than this share its wave; None for no such limit.
    """

    def __init__(self, d_model: int, num_heads: int, d_head: int, *, max_distance: int | None = None) -> None:
        super().__init__()
        self.d_model = d_model
        self.max_distance = max_distance
        self.to_wave_key = nn.Linear(d_model, num_heads * d_head, bias=False)
        self.content_preference = nn.Parameter(torch.zeros(num_heads, d_head))
        self.offset_preference = nn.Parameter(torch.zeros(num_heads, d_head))

    def forward(
        self, query: Float[Tensor, "batch heads query d_head"], key: Float[Tensor, "batch heads key d_head"]
    ) -> Float[Tensor, "batch heads query key"]:
        """What to add to the scores; the last query stands at the last key."""
        back = -_offsets(query, key)  # how far back the key is: query key
        distances = torch.arange(int(back.min()), int(back.max()) + 1, device=query.device)
        told = distances.clamp(max=self.max_distance) if self.max_distance is not None else distances
        waves = sinusoids(told, self.d_model, interleaved=False).to(query.dtype)
        heads, d_head = self.offset_preference.shape
        wave_keys = self.to_wave_key(waves).view(-1, heads, d_head)
        by_offset = torch.einsum("bhqd,rhd->bhqr", query + self.offset_preference[:, None], wave_keys)
        index = (back - distances[0]).expand(*by_offset.shape[:2], -1, -1)
        content = torch.einsum("hd,bhkd->bhk", self.content_preference, key)[:, :, None]
        return (content + by_offset.gather(-1, index)) / math.sqrt(d_head)


class DisentangledPositions(nn.Module):
    """Content asks offsets and offsets ask content, each with projections of one shared table of offsets.

    He et al. 2021, section 3.1 (arXiv:2006.03654): the score is the sum of content-to-content, content-to-position and
    position-to-content, each divided by √(3 · d_head). Give `MultiHeadAttention` `scale=1 / √(3 · d_head)` too.

    Args:
        bucket: offset (query position − key position) → row of the table, such as `offset_row`.
        table: gives (rows, d_model), the same for all layers, such as `OffsetTable`.
        to_query: projects the table as this layer projects its queries.
        to_key: projects the table as this layer projects its keys.
        num_heads: how many heads.
    """

    def __init__(
        self,
        bucket: Callable[[Tensor], Tensor],
        table: Callable[[], Tensor],
        to_query: nn.Module,
        to_key: nn.Module,
        num_heads: int,
    ) -> None:
        super().__init__()
        self.bucket = bucket
        self.table = table
        self.to_query = to_query
        self.to_key = to_key
        self.num_heads = num_heads

    def forward(
        self, query: Float[Tensor, "batch heads query d_head"], key: Float[Tensor, "batch heads key d_head"]
    ) -> Float[Tensor, "batch heads query key"]:
        """What to add to the scores; the last query stands at the last key."""
        offset_queries, offset_keys = self.offset_vectors()
        rows = self.rows(query, key)
        asks_offset = query @ offset_keys.transpose(-2, -1)  # batch heads query row
        asked_by_offset = key @ offset_queries.transpose(-2, -1)  # batch heads key row
        shape = (*query.shape[:2], *rows.shape)
        to_position = asks_offset.gather(-1, rows.expand(shape))
        from_position = asked_by_offset.gather(-1, rows.T.expand(*shape[:2], *rows.T.shape)).transpose(-2, -1)
        return (to_position + from_position) / math.sqrt(3 * query.shape[-1])

    def rows(self, query: Tensor, key: Tensor) -> Int[Tensor, "query key"]:
        """Which row of the table belongs to each pair."""
        return self.bucket(-_offsets(query, key))  # query position − key position

    @property
    def num_rows(self) -> int:
        """How many offsets have a vector of their own, without making the table where it can be read off."""
        return self.table.vectors.num_embeddings if isinstance(self.table, OffsetTable) else len(self.table())

    def offset_vectors(self) -> tuple[Float[Tensor, "heads row d_head"], Float[Tensor, "heads row d_head"]]:
        """The queries and the keys of all offsets, as this layer projects them."""
        table = self.table()
        queries, keys = (
            part(table).unflatten(-1, (self.num_heads, -1)).transpose(0, 1) for part in (self.to_query, self.to_key)
        )
        return queries, keys


class OffsetTable(nn.Module):
    """One learned vector per row of offsets, shared by all layers.

    Args:
        rows: how many, half of them for keys to the right.
        d_model: width of the vectors.
        norm: applied to them; none by default.
        dropout: probability of dropping a feature while training.
    """

    def __init__(self, rows: int, d_model: int, norm: nn.Module | None = None, *, dropout: float = 0.0) -> None:
        super().__init__()
        self.vectors = nn.Embedding(rows, d_model)
        self.norm = norm or identity
        self.dropout = dropout_or_nothing(dropout)

    def forward(self) -> Float[Tensor, "row d_model"]:
        """The whole table, as a layer projects it."""
        return self.dropout(self.norm(self.vectors.weight))


def _offsets(query: Tensor, key: Tensor) -> Int[Tensor, "query key"]:
    """Key position − query position, when the last query stands at the last key."""
    keys = torch.arange(key.shape[2], device=key.device)
    return keys[None, :] - keys[key.shape[2] - query.shape[2] :, None]
