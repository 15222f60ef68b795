"""Latent attention: keys and values of all heads are made from one narrow vector, and only that vector is kept.

DeepSeek-AI 2024, section 2.1 (arXiv:2405.04434). A cache of ordinary attention grows by a key and a value of every
head; here it grows by the latent vector and by one small key that is turned by its position and shared by all heads.
The other part of each key knows no position: so the matrix that makes it can be folded into the query, and scores can
be read off the latent vectors themselves. Here, as in the reference, they are expanded at every step.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn

from anatomy_utils.functional.masks import Mask
from anatomy_utils.functional.positions import Rotation
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.cache import KeyValue, LayerCache
from anatomy_utils.nn.norm import RMSNorm
from anatomy_utils.tap import tap


class LatentAttention(MultiHeadAttention):
    """Causal attention in heads whose keys and values come out of a latent vector.

    Args:
        d_model: width of the vectors that come in and go out.
        num_heads: how many heads.
        rank: width of the latent vector.
        query_rank: width of another one, of which queries are made; None where they are made of the hidden states.
        d_plain: width of the part of queries and keys that knows no positions.
        d_rotary: width of the part that is turned; its key is shared by all heads.
        d_value: width of a head's values.
        scale: what scores are multiplied with; 1 / √(d_plain + d_rotary) when left out.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        rank: int,
        query_rank: int | None,
        d_plain: int,
        d_rotary: int,
        d_value: int,
        scale: float | None = None,
    ) -> None:
        super().__init__(d_model, num_heads, d_head=d_plain + d_rotary, bias=False, scale=scale)
        self.rank, self.d_plain, self.d_rotary, self.d_value = rank, d_plain, d_rotary, d_value
        self.to_query_latent = nn.Linear(d_model, query_rank, bias=False) if query_rank else None
        self.query_latent_norm = RMSNorm(query_rank) if query_rank else None
        self.to_query = nn.Linear(query_rank or d_model, num_heads * self.d_head, bias=False)
        self.to_latent = nn.Linear(d_model, rank + d_rotary, bias=False)  # the shared key comes with it
        self.latent_norm = RMSNorm(rank)
        self.to_key = nn.Linear(rank, num_heads * d_plain, bias=False)
        self.to_value = nn.Linear(rank, num_heads * d_value, bias=False)
        self.to_output = nn.Linear(num_heads * d_value, d_model, bias=False)

    def forward(
        self,
        hidden_states: Float[Tensor, "batch query d_model"],
        memory: object = None,
        *,
        mask: Mask | None = None,
        causal: bool = False,
        rotation: Rotation | None = None,
        cache: LayerCache | None = None,
    ) -> Float[Tensor, "batch query d_model"]:
        """Attend from `hidden_states` to themselves and to what is in the cache.

        Taps `latent` (batch 1 position rank) and `shared_key` (batch 1 position d_rotary), what a cache keeps of new
        positions; then as `MultiHeadAttention`, where `key` and `value` are of all positions.
        """
        if cache is None:
            asking, offered = (part(hidden_states) for part in self._first_projections())
        else:
            widths = [part.out_features for part in self._first_projections()]
            asking, offered = cache.projection(hidden_states).split(widths, dim=-1)
        query = self._split(asking if self.query_latent_norm is None else self.to_query(self.query_latent_norm(asking)))
        latent, shared_key = offered[:, None].split((self.rank, self.d_rotary), dim=-1)
        latent = self.latent_norm(latent)
        if rotation is not None:
            plain, turning = query.split((self.d_plain, self.d_rotary), dim=-1)
            query, shared_key = torch.cat([plain, rotation(turning)], dim=-1), rotation(shared_key)
        latent, shared_key = tap(self, "latent", latent), tap(self, "shared_key", shared_key)
        if cache is not None:
            shared_key, latent = cache.extended(KeyValue(shared_key, latent))
        key, value = self._expanded(latent, shared_key)
        query, key, value = tap(self, "query", query), tap(self, "key", key), tap(self, "value", value)
        return self._answer(query, key, value, mask, causal)

    def room(self, batch: int, capacity: int) -> KeyValue:
        """Room for the shared keys, in the place of keys, and for the latent vectors, in that of values."""
        weight = self.to_latent.weight
        return KeyValue(*(weight.new_zeros(batch, 1, capacity, width) for width in (self.d_rotary, self.rank)))

    def _first_projections(self) -> tuple[nn.Linear, ...]:
        return self.to_query_latent or self.to_query, self.to_latent

    def _expanded(self, latent: Tensor, shared_key: Tensor) -> KeyValue:
        """The keys and values of every head."""
        plain, value = (
            part(latent[:, 0]).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for part in (self.to_key, self.to_value)
        )
        return KeyValue(torch.cat([plain, shared_key.expand(-1, self.num_heads, -1, -1)], dim=-1), value)
