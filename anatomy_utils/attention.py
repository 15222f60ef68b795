"""Attention: every position asks a question of every other and takes a weighted average of their answers.

The heart of each block. Notebook 01 teaches the functions, notebook 02 the module around them. The functions are the
written-out mathematics; `MultiHeadAttention` projects into heads and calls them, or torch's fused kernel where that is
faster and nobody watches. Published checkpoints disagree on little here: T5 leaves out the division by √d_head.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_utils.functional import masks
from anatomy_utils.functional.masks import Mask
from anatomy_utils.nn import fast_matmul
from anatomy_utils.nn.cache import KeyValue, LayerCache, Projection
from anatomy_utils.nn.dropout import unchanged
from anatomy_utils.positions import Rotation
from anatomy_utils.tap import is_tapped, tap

FUSED_FROM = 256
"""Keys from which torch's fused kernel beats the written-out mathematics even where `fast_matmul` speeds that up."""


class Attended(NamedTuple):
    """What attention gives back: the averaged values, and how much each key counted."""

    context: Float[Tensor, "*batch query d_value"]
    weights: Float[Tensor, "*batch query key"]


def project(
    hidden_states: Float[Tensor, "*batch position d_model"],
    weight: Float[Tensor, "d_model d_head"],
    bias: Float[Tensor, " d_head"] | None = None,
) -> Float[Tensor, "*batch position d_head"]:
    """See each vector from one side: hidden_states · weight + bias.

    Args:
        hidden_states: one vector per position.
        weight: the learned matrix W_Q, W_K or W_V. torch's `nn.Linear` stores the transpose of it.
        bias: added to each projected vector.

    >>> project(torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0], [4.0]])).tolist()
    [[11.0]]
    """
    projected = hidden_states @ weight
    return projected if bias is None else projected + bias


def scores(
    query: Float[Tensor, "*batch query d_head"], key: Float[Tensor, "*batch key d_head"], scale: float | None = None
) -> Float[Tensor, "*batch query key"]:
    """How well each query matches each key: Q Kᵀ / √d_head.

    Vaswani et al. 2017, section 3.2.1 (arXiv:1706.03762). The division keeps the variance of a score near 1 when the
    features of queries and keys have variance 1; without it, softmax saturates as d_head grows.

    Args:
        query: what each position is looking for.
        key: what each position offers to be found by.
        scale: what to multiply with instead of 1 / √d_head.

    Returns:
        Any real numbers; row i belongs to query i.

    >>> query = torch.tensor([[2.0, 0.0, 0.0, 0.0]])
    >>> key = torch.tensor([[3.0, 1.0, 1.0, 1.0], [0.0, 1.0, 1.0, 1.0]])
    >>> scores(query, key).tolist()  # 2 · 3 / √4 and 0
    [[3.0, 0.0]]
    """
    return query @ key.transpose(-2, -1) * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)


def masked_softmax(
    scores: Float[Tensor, "*batch query key"], mask: Mask | None = None
) -> Float[Tensor, "*batch query key"]:
    """Turn each row of scores into weights, with nothing for keys that the mask forbids.

    Args:
        scores: any real numbers.
        mask: boolean, True = may attend; or numbers that are added to the scores (−∞ forbids). Broadcast to `scores`.

    Returns:
        Weights of 0 or more; each row sums to 1 over key, or is all 0 where there is nothing to attend to.

    Raises:
        ValueError: the mask is neither boolean nor floating point, or does not fit the scores.

    >>> two_of_three, nothing = [True, True, False], [False, False, False]
    >>> masked_softmax(torch.tensor([[0.0, 0.0, 9.0], [1.0, 2.0, 3.0]]), torch.tensor([two_of_three, nothing])).tolist()
    [[0.5, 0.5, 0.0], [0.0, 0.0, 0.0]]
    """
    if mask is None:
        return scores.softmax(dim=-1)
    masks.check_mask(mask, scores.shape)
    if mask.dtype != torch.bool:
        scores = scores + mask
        mask = mask > -math.inf
    # The lowest finite number stands for −∞: in a row with nothing to attend to, −∞ − (−∞) would be NaN, and the
    # gradient of NaN would reach every parameter.
    weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim=-1)
    something = mask.any(dim=-1, keepdim=True)
    return weights if something.all() else weights.masked_fill(~something, 0.0)


def weighted_average(
    weights: Float[Tensor, "*batch query key"], vectors: Float[Tensor, "*batch key d_value"]
) -> Float[Tensor, "*batch query d_value"]:
    """x'_i = Σ_j w_ij x_j: one new vector per row of weights.

    >>> weighted_average(torch.tensor([[0.25, 0.75]]), torch.tensor([[4.0, 0.0], [0.0, 4.0]])).tolist()
    [[1.0, 3.0]]
    """
    return weights @ vectors


def scaled_dot_product_attention(
    query: Float[Tensor, "*batch query d_head"],
    key: Float[Tensor, "*batch key d_head"],
    value: Float[Tensor, "*batch key d_value"],
    mask: Mask | None = None,
) -> Attended:
    """Softmax(Q Kᵀ / √d_head) V, written out.

    Vaswani et al. 2017, equation 1 (arXiv:1706.03762).

    Args:
        query: what each position is looking for.
        key: what each position offers to be found by.
        value: what each position gives when found.
        mask: boolean, True = may attend; or numbers added to the scores.

    Returns:
        The context vectors, and the weights that made them.

    >>> two = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    >>> scaled_dot_product_attention(torch.zeros(1, 2), two, two).context.tolist()
    [[0.5, 0.5]]
    """
    weights = masked_softmax(scores(query, key), mask)
    return Attended(weighted_average(weights, value), weights)


class MultiHeadAttention(nn.Module):
    """Several attentions side by side, each in its own subspace, mixed by one last projection.

    Vaswani et al. 2017, section 3.2.2 (arXiv:1706.03762); grouped key/value heads: Ainslie et al. 2023
    (arXiv:2305.13245).

    Args:
        d_model: width of the vectors that come in and go out.
        num_heads: how many queries' heads.
        num_kv_heads: how many key/value heads they share; as many as `num_heads` when left out, 1 for multi-query.
        d_head: width of one head; d_model / num_heads when left out.
        bias: whether the four projections add a bias.
        output_bias: whether the last projection adds a bias; as `bias` when left out.
        dropout: probability of dropping a weight while training.
        scale: what scores are multiplied with; 1 / √d_head when left out (T5 uses 1).
        score_positions: adds to the scores what it makes of queries, keys and offsets (see `relative_positions`).
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
        bias: bool = True,
        output_bias: bool | None = None,
        dropout: float = 0.0,
        scale: float | None = None,
        score_positions: nn.Module | None = None,
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
        self.d_head = d_head or d_model // num_heads
        self.to_query = nn.Linear(d_model, num_heads * self.d_head, bias=bias)
        self.to_key = nn.Linear(d_model, num_kv_heads * self.d_head, bias=bias)
        self.to_value = nn.Linear(d_model, num_kv_heads * self.d_head, bias=bias)
        self.to_output = nn.Linear(num_heads * self.d_head, d_model, bias=bias if output_bias is None else output_bias)
        self.dropout = dropout
        self.scale = scale
        self.score_positions = score_positions
        self.query_norm, self.key_norm = query_norm or unchanged, key_norm or unchanged

    def forward(
        self,
        hidden_states: Float[Tensor, "batch query d_model"],
        memory: Float[Tensor, "batch key d_model"] | KeyValue | None = None,
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
            memory: the vectors that are asked, or what `remember` made of them; `hidden_states` when left out.
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
            key, value = asked if isinstance(asked, KeyValue) else self.remember(asked)
        else:
            heads = (self.num_heads, self.num_kv_heads, self.num_kv_heads)
            query, key, value = torch.split_with_sizes(self._split(cache.projection(hidden_states)), heads, dim=1)
        query, key = self.query_norm(query), self.key_norm(key)
        if rotation is not None:
            query, key = rotation(query), rotation(key)
        query, key, value = tap(self, "query", query), tap(self, "key", key), tap(self, "value", value)
        if cache is not None:
            key, value = cache.extended(KeyValue(key, value))
        if mask is not None:
            masks.check_mask(mask, (len(query), self.num_heads, query.shape[2], key.shape[2]))
        if self.score_positions is not None:
            mask = masks.additive(self.score_positions(query, key), mask)
        if is_tapped(self) or self._explicit_is_faster(query, key):
            context = self._explicit(query, key, value, mask, causal)
        else:
            context = self._fused(query, key, value, mask, causal)
        context = tap(self, "context", context.transpose(1, 2).flatten(2))  # batch query heads·d_head
        return tap(self, "output", self.to_output(context))

    def remember(self, memory: Float[Tensor, "batch key d_model"]) -> KeyValue:
        """The keys and values of vectors that will be asked again and again."""
        return KeyValue(self._split(self.to_key(memory)), self._split(self.to_value(memory)))

    def projection(self) -> Projection:
        """A copy of the three projections, side by side, for the cache."""
        parts = (self.to_query, self.to_key, self.to_value)
        biases = [part.bias.detach() for part in parts if part.bias is not None]
        return Projection(torch.cat([part.weight.detach() for part in parts]), torch.cat(biases) if biases else None)

    def _split(self, projected: Tensor) -> Tensor:
        """(batch position heads·d_head) → (batch heads position d_head)."""
        batch, length, _ = projected.shape
        return projected.view(batch, length, -1, self.d_head).transpose(1, 2)

    def _explicit_is_faster(self, query: Tensor, key: Tensor) -> bool:
        # Otherwise the kernel wins nearly everywhere; only `fast_matmul` speeds the products up, and not the kernel.
        return fast_matmul.is_on() and query.shape[2] > 1 and key.shape[2] < FUSED_FROM and query.device.type == "cpu"

    def _explicit(self, query: Tensor, key: Tensor, value: Tensor, mask: Mask | None, causal: bool) -> Tensor:
        shared_by = self.num_heads // self.num_kv_heads
        if shared_by > 1:
            key, value = key.repeat_interleave(shared_by, dim=1), value.repeat_interleave(shared_by, dim=1)
        matches = tap(self, "scores", scores(query, key, self.scale))
        if causal:
            mask = masks.and_causal(mask, query.shape[-2], query.device)
        weights = tap(self, "weights", masked_softmax(matches, mask))
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
