"""Multi-head attention as a module: it projects into heads, attends in each, and mixes them.

Notebook 02 takes it apart. It calls the written-out mathematics of `functional.attention` where somebody watches, or
torch's fused kernel where that is faster and nobody does. Published checkpoints disagree on the number of key/value
heads, on biases and on the scale; all of that is the constructor's.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_utils.functional import masks
from anatomy_utils.functional.attention import masked_softmax, scores, soft_cap, softmax_with_sinks, weighted_average
from anatomy_utils.functional.masks import Mask
from anatomy_utils.functional.positions import Rotation
from anatomy_utils.nn.cache import KeyValue, LayerCache, Projection, RecurrentState
from anatomy_utils.nn.dropout import identity
from anatomy_utils.tap import is_tapped, tap


class MultiHeadAttention(nn.Module):
    """Several attentions side by side, each in its own subspace, mixed by one last projection.

    Vaswani et al. 2017, section 3.2.2 (arXiv:1706.03762); grouped key/value heads: Ainslie et al. 2023
    (arXiv:2305.13245).

    Args:
        d_model: width of the vectors that come in and go out.
        num_heads: how many queries' heads.
        num_kv_heads: how many key/value heads they share; as many as `num_heads` when left out, 1 for multi-query.
        d_head: width of one head; d_model / num_heads when left out.
        d_memory: width of the vectors that cross-attention asks; d_model when left out.
        bias: whether the four projections add a bias.
        output_bias: whether the last projection adds a bias; as `bias` when left out.
        dropout: probability of dropping a weight while training.
        scale: what scores are multiplied with; 1 / √d_head when left out (T5 uses 1).
        score_cap: bounds the scores softly (see `functional.attention.soft_cap`); no bound when left out.
        score_positions: adds to the scores what it makes of queries, keys and offsets (see `relative_positions`).
        sinks: whether each head has a learned logit that takes weight from all keys (gpt-oss).
        gated: whether what the heads find is multiplied by a sigmoid of the hidden states (Qwen3-Next).
        query_norm, key_norm: applied to each head's queries and keys before they are turned (Qwen 3); else nothing is.

    Raises:
        ValueError: the heads do not divide d_model, or the key/value heads do not divide the heads.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        num_kv_heads: int | None = None,
        d_head: int | None = None,
        d_memory: int | None = None,
        bias: bool = True,
        output_bias: bool | None = None,
        dropout: float = 0.0,
        scale: float | None = None,
        score_cap: float | None = None,
        score_positions: nn.Module | None = None,
        sinks: bool = False,
        gated: bool = False,
        query_norm: nn.Module | None = None,
        key_norm: nn.Module | None = None,
    ) -> None:
        super().__init__()
        if d_head is None and d_model % num_heads:
            raise ValueError(
                f"d_model {d_model} cannot be split into {num_heads} heads of equal width; "
                "choose a number of heads that divides it, or give d_head."
            )
        num_kv_heads = num_kv_heads or num_heads
        if num_heads % num_kv_heads:
            raise ValueError(
                f"{num_heads} heads cannot share {num_kv_heads} key/value heads evenly; "
                "choose a number of key/value heads that divides the number of heads."
            )
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.d_head = self.d_value = d_head or d_model // num_heads
        self.to_query = nn.Linear(d_model, num_heads * self.d_head, bias=bias)
        self.to_key = nn.Linear(d_memory or d_model, num_kv_heads * self.d_head, bias=bias)
        self.to_value = nn.Linear(d_memory or d_model, num_kv_heads * self.d_head, bias=bias)
        self.to_output = nn.Linear(num_heads * self.d_head, d_model, bias=bias if output_bias is None else output_bias)
        self.dropout = dropout
        self.scale = scale
        self.score_cap = score_cap
        self.score_positions = score_positions
        self.sinks = nn.Parameter(torch.zeros(num_heads)) if sinks else None
        self.to_gate = nn.Linear(d_model, num_heads * self.d_head, bias=bias) if gated else None
        self.query_norm, self.key_norm = query_norm or identity, key_norm or identity

    def forward(
        self,
        hidden_states: Float[Tensor, "batch query d_model"],
        memory: Float[Tensor, "batch key d_memory"] | KeyValue | None = None,
        *,
        mask: Mask | None = None,
        causal: bool = False,
        rotation: Rotation | None = None,
        cache: LayerCache | None = None,
    ) -> Float[Tensor, "batch query d_model"]:
        """Attend from `hidden_states` to `memory`, or to themselves when there is no memory.

        Taps `query`, `key`, `value` (batch heads position d_head), `scores`, `weights` (batch heads query key),
        `context` (batch query heads·d_head, before the last projection) and `output`.

        Args:
            hidden_states: the vectors that ask.
            memory: the vectors that are asked, or what `project_memory` made of them; `hidden_states` when left out.
            mask: boolean, True = may attend, or numbers added to the scores; broadcast to batch, heads, query, key.
            causal: forbid each position what comes after it. Faster than the same knowledge as a mask.
            rotation: turns queries and keys by their positions.
            cache: keys and values of the positions before these, to which these are added.

        Raises:
            ValueError: the mask does not fit, or `causal` was asked of cross-attention.
        """
        if causal and memory is not None:
            raise ValueError("causal=True is for self-attention; the memory of cross-attention has no 'after'.")
        if cache is None:
            asked = hidden_states if memory is None else memory
            query = self._split(self.to_query(hidden_states))
            key, value = asked if isinstance(asked, KeyValue) else self.project_memory(asked)
        else:
            heads = (self.num_heads, self.num_kv_heads, self.num_kv_heads)
            query, key, value = torch.split_with_sizes(self._split(cache.projection(hidden_states)), heads, dim=1)
        query, key = self.query_norm(query), self.key_norm(key)
        if rotation is not None:
            query, key = rotation(query), rotation(key)
        query, key, value = tap(self, "query", query), tap(self, "key", key), tap(self, "value", value)
        if cache is not None:
            key, value = cache.extended(KeyValue(key, value))
        gate = None if self.to_gate is None else self.to_gate(hidden_states)
        return self._answer(query, key, value, mask, causal, gate)

    def _answer(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Mask | None, causal: bool, gate: Tensor | None = None
    ) -> Tensor:
        """What queries find, through the gate if there is one, mixed by the last projection."""
        if mask is not None:
            masks.check_mask(mask, (len(query), self.num_heads, query.shape[2], key.shape[2]))
        if self.score_positions is not None:
            mask = masks.additive(self.score_positions(query, key), mask)
        if is_tapped(self) or self.sinks is not None or self.score_cap is not None:  # the kernel knows neither
            context = self._explicit(query, key, value, mask, causal)
        else:
            context = self._fused(query, key, value, mask, causal)
        context = context.transpose(1, 2).flatten(2)  # batch query heads·d_head
        if gate is not None:
            context = context * tap(self, "gate", gate.sigmoid())
        context = tap(self, "context", context)
        return tap(self, "output", self.to_output(context))

    def project_memory(self, memory: Float[Tensor, "batch key d_memory"]) -> KeyValue:
        """The keys and values of vectors that will be asked again and again."""
        return KeyValue(self._split(self.to_key(memory)), self._split(self.to_value(memory)))

    def projection(self) -> Projection:
        """A copy of what is made of the hidden states, side by side, for the cache."""
        parts = self._first_projections()
        weight = torch.cat([part.weight.detach() for part in parts])
        if all(part.bias is None for part in parts):
            return Projection(weight, None)
        biases = [weight.new_zeros(len(part.weight)) if part.bias is None else part.bias.detach() for part in parts]
        return Projection(weight, torch.cat(biases))

    def _first_projections(self) -> tuple[nn.Linear, ...]:
        return self.to_query, self.to_key, self.to_value

    def room(self, batch: int, capacity: int) -> KeyValue | RecurrentState:
        """Room in a cache for what is kept of so many positions of each text."""
        shape = (batch, self.num_kv_heads, capacity, self.d_head)
        return KeyValue(self.to_key.weight.new_zeros(shape), self.to_value.weight.new_zeros(shape))

    def _split(self, projected: Tensor) -> Tensor:
        """(batch position heads·d_head) → (batch heads position d_head)."""
        batch, length, _ = projected.shape
        return projected.view(batch, length, -1, self.d_head).transpose(1, 2)

    def _explicit(self, query: Tensor, key: Tensor, value: Tensor, mask: Mask | None, causal: bool) -> Tensor:
        shared_by = self.num_heads // self.num_kv_heads
        if shared_by > 1:
            key, value = key.repeat_interleave(shared_by, dim=1), value.repeat_interleave(shared_by, dim=1)
        matches = scores(query, key, self.scale)
        if self.score_cap is not None:
            matches = soft_cap(matches, self.score_cap)
        matches = tap(self, "scores", matches)
        if causal:
            mask = masks.and_causal(mask, query.shape[-2], query.device)
        weighed = masked_softmax(matches, mask) if self.sinks is None else softmax_with_sinks(matches, self.sinks, mask)
        weights = tap(self, "weights", weighed)
        return weighted_average(F.dropout(weights, self.dropout, self.training), value)

    def _fused(self, query: Tensor, key: Tensor, value: Tensor, mask: Mask | None, causal: bool) -> Tensor:
        alone, shared = mask is None, self.num_kv_heads != self.num_heads
        if shared and alone and query.shape[2] == 1 and not self.training:
            # Queries that share a key may stand where positions do; then no key has to be repeated.
            grouped = query.reshape(len(query), self.num_kv_heads, -1, self.d_head)
            return F.scaled_dot_product_attention(grouped, key, value, scale=self.scale).view(query.shape)
        if causal and not alone:  # the kernel takes a mask or is_causal, not both
            mask, causal = masks.and_causal(mask, query.shape[-2], query.device), False
        p = self.dropout if self.training else 0.0
        return F.scaled_dot_product_attention(query, key, value, mask, p, causal, scale=self.scale, enable_gqa=shared)
