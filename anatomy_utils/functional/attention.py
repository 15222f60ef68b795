"""Attention: every position asks a question of every other and takes a weighted average of their answers.

The heart of each block, as written-out mathematics. Notebook 01 teaches most of it; `nn.attention` has the module.
Published checkpoints disagree on little here: T5 leaves out the division by √d_head, DeBERTa scores offsets as well.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from anatomy_utils.functional import masks
from anatomy_utils.functional.masks import Mask, causal_with_past, padding


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


def soft_cap(numbers: Float[Tensor, "*any"], cap: float | int) -> Float[Tensor, "*any"]:
    """cap · tanh(numbers / cap): small numbers stay nearly as they are, and none goes beyond ±cap.

    Gemma Team 2024, section 2 (arXiv:2408.00118), for scores and for logits; Bello et al. 2016 (arXiv:1611.09940).

    Args:
        numbers: any real numbers.
        cap: the bound, above 0.

    >>> soft_cap(torch.tensor([0.1, -2000.0]), 50.0)
    tensor([  0.1000, -50.0000])
    """
    return cap * torch.tanh(numbers / cap)


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


def softmax_with_sinks(
    scores: Float[Tensor, "batch heads query key"], sinks: Float[Tensor, " heads"], mask: Mask | None = None
) -> Float[Tensor, "batch heads query key"]:
    """Weights that may sum to less than 1: each head has one more logit in its softmax, which is dropped afterwards.

    OpenAI 2025, section 2.2 (arXiv:2508.10925). A head that finds nothing to look at gives its weight to the sink.
    Without one it has to look somewhere, mostly at the first token (Xiao et al. 2023, arXiv:2309.17453).

    Args:
        scores: any real numbers.
        sinks: the logit of each head's sink.
        mask: as in `masked_softmax`; the sink is always there.

    Returns:
        Weights of 0 or more; each row sums to less than 1 over key.

    >>> softmax_with_sinks(torch.zeros(1, 1, 1, 3), torch.zeros(1)).tolist()  # four of one size, the last is dropped
    [[[[0.25, 0.25, 0.25]]]]
    """
    if mask is not None:
        masks.check_mask(mask, scores.shape)
        open_to_all = mask.new_full((*mask.shape[:-1], 1), mask.dtype == torch.bool)  # True, or 0 added
        mask = torch.cat([mask.expand(*mask.shape[:-1], scores.shape[-1]), open_to_all], dim=-1)
    sink = sinks[:, None, None].expand(*scores.shape[:-1], 1)
    return masked_softmax(torch.cat([scores, sink], dim=-1), mask)[..., :-1]


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


class AttendedWithCache(NamedTuple):
    """What was found, and all keys and values so far: the cache of the next step."""

    context: Float[Tensor, "batch heads new d_head"]
    keys: Float[Tensor, "batch heads total d_head"]
    values: Float[Tensor, "batch heads total d_head"]


def attend_with_cache(
    query: Float[Tensor, "batch heads new d_head"],
    key: Float[Tensor, "batch heads new d_head"],
    value: Float[Tensor, "batch heads new d_head"],
    past_keys: Float[Tensor, "batch heads past d_head"],
    past_values: Float[Tensor, "batch heads past d_head"],
) -> AttendedWithCache:
    """Causal attention of new positions, whose past is remembered and not computed again.

    `cache.KeyValueCache` does the same in memory that is set aside once; here the tensors grow.

    Args:
        query, key, value: of the new positions: a whole prompt, or a single token.
        past_keys, past_values: of all positions before them; none in the first step.

    >>> one, none = torch.ones(1, 1, 1, 1), torch.zeros(1, 1, 0, 1)
    >>> first = attend_with_cache(one, one, 4 * one, none, none)
    >>> attend_with_cache(one, one, 6 * one, first.keys, first.values).context.item()  # equal keys: the average
    5.0
    """
    keys, values = torch.cat([past_keys, key], dim=2), torch.cat([past_values, value], dim=2)
    mask = causal_with_past(past_keys.shape[2], query.shape[2]).to(query.device)
    return AttendedWithCache(scaled_dot_product_attention(query, keys, values, mask).context, keys, values)


def attend_to_memory(
    query: Float[Tensor, "batch heads query d_head"],
    key: Float[Tensor, "batch heads key d_head"],
    value: Float[Tensor, "batch heads key d_head"],
    attention_mask: Int[Tensor, "batch key"],
) -> Float[Tensor, "batch heads query d_head"]:
    """Cross-attention of all heads: queries from the decoder, keys and values from the encoder's output.

    Vaswani et al. 2017, section 3.2.3 (arXiv:1706.03762). No causal mask: the source has been read to its end.

    Args:
        query: of the positions that are being written.
        key, value: of the source's positions, the memory.
        attention_mask: of the source: 1 = real token, 0 = padding, which nobody may see.

    >>> one = torch.ones(1, 1, 1, 1)
    >>> value = torch.tensor([[[[2.0], [4.0], [90.0]]]])
    >>> attend_to_memory(one, torch.ones(1, 1, 3, 1), value, torch.tensor([[1, 1, 0]])).item()  # of the first two
    3.0
    """
    return scaled_dot_product_attention(query, key, value, padding(attention_mask)).context


def disentangled_scores(
    query: Float[Tensor, "*batch position d_head"],
    key: Float[Tensor, "*batch position d_head"],
    offset_query: Float[Tensor, "*batch offset d_head"],
    offset_key: Float[Tensor, "*batch offset d_head"],
    rows: Int[Tensor, "position position"],
) -> Float[Tensor, "*batch position position"]:
    """What a word is and how far away it is, in three products: content–content, content–offset, offset–content.

    He et al. 2021, equation 4 (arXiv:2006.03654):
    (Q_i · K_j + Q_i · Kʳ_{δ(i, j)} + K_j · Qʳ_{δ(i, j)}) / √(3 d_head). There is no fourth product of two offsets. The
    paper writes δ(j, i) in the third product; its code, and so every published checkpoint, takes δ(i, j) in both.

    Args:
        query, key: of the words' contents.
        offset_query, offset_key: of the table of offsets.
        rows: δ: `rows[i, j]` is the offset table's row for position j as seen from position i.

    >>> one, offsets = torch.ones(2, 1), torch.tensor([[0.0], [10.0], [20.0]])
    >>> scores = disentangled_scores(one, one, offsets, 10 * offsets, torch.tensor([[1, 0], [2, 1]]))
    >>> (scores * 3**0.5).round().tolist()  # 1 + 100 + 10 with itself; 1 + 0 + 0; 1 + 200 + 20
    [[111.0, 1.0], [221.0, 111.0]]
    """
    content = query @ key.mT
    to_offset = (query @ offset_key.mT).gather(-1, rows.expand_as(content))
    from_offset = (key @ offset_query.mT).gather(-1, rows.mT.expand_as(content)).mT  # key query, then turned
    return (content + to_offset + from_offset) * (3 * query.shape[-1]) ** -0.5
