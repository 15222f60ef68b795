"""A decoder that keeps its past in plain tensors, with any function that attends to them: the learner's, for instance.

`Decoder.step` does the same faster. Notebook 05 runs SmolLM2 with it, to show that the learner's own cache writes the
same text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from anatomy_utils.decoding.steps import Step
from anatomy_utils.functional.attention import attend_with_cache
from anatomy_utils.functional.multi_head import merge_heads, share_heads, split_heads
from anatomy_utils.functional.positions import Rotation
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import DecoderLayer
from anatomy_utils.nn.dropout import identity
from anatomy_utils.nn.heads import LanguageModel

Past = tuple[Tensor, Tensor]
"""Keys and values (batch heads past d_head) of one layer."""
Pasts = tuple[Past, ...]
Attend = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Any]
"""(query, key, value, past keys, past values) → (context, keys, values); as `attend_with_cache`."""


def empty_pasts(model: LanguageModel, batch: int = 1) -> Pasts:
    """What a step starts from: no keys and no values in any layer."""
    token_table = model.decoder.embeddings.tokens.weight
    return tuple(
        (token_table.new_zeros(batch, part.num_heads, 0, part.d_head),) * 2
        for part in (layer.self_attention for layer in model.decoder.layers)
    )


def step_by_hand(model: LanguageModel, attend: Attend = attend_with_cache) -> Step[Pasts]:
    """A step for `write` and `generate` in which `attend` does all attention and all remembering.

    Heads that share keys and values get copies of their own, which takes more memory than the model's own cache.

    Args:
        model: a decoder of plain attention, whose positions are added or rotary.
        attend: as `attend_with_cache`.

    Raises:
        ValueError: attention has more than that: a window, norms, a cap, a sink, another scale.
    """
    if model.decoder.score_bias is not None or not all(map(_is_plain, model.decoder.layers)):
        raise ValueError("This decoder's attention does more than `attend` can; give one such as GPT-2's or Llama's.")

    @torch.no_grad()
    def step(input_ids: Int[Tensor, "batch new"], pasts: Pasts) -> tuple[Float[Tensor, "batch vocab_size"], Pasts]:
        decoder = model.decoder
        length = pasts[0][0].shape[2]
        positions = torch.arange(length, length + input_ids.shape[1], device=input_ids.device)
        states, remembered = decoder.embeddings(input_ids, positions=positions), []
        for layer, past in zip(decoder.layers, pasts, strict=True):
            rotary = decoder.rotary_of(layer)
            states, past = _layer(layer, states, None if rotary is None else rotary(positions), past, attend)
            remembered.append(past)
        return model.vocabulary(decoder.norm(states)[:, -1]), tuple(remembered)

    return step


def _is_plain(layer: DecoderLayer) -> bool:
    part = layer.self_attention
    extra = (layer.window, part.scale, part.score_cap, part.score_positions, part.sinks, part.to_gate)
    normed = part.query_norm is not identity or part.key_norm is not identity
    return type(part) is MultiHeadAttention and not layer.is_parallel and not normed and extra == (None,) * 6


def _layer(
    layer: DecoderLayer, states: Tensor, rotation: Rotation | None, past: Past, attend: Attend
) -> tuple[Tensor, Past]:
    attention, remembered = layer.self_attention, []

    def mix(states: Tensor) -> Tensor:
        context, keys, values = attend(*_projected(attention, states, rotation), *past)
        remembered.append((keys, values))
        return attention.to_output(merge_heads(context))

    states = layer.self_attention_norms.around(states, mix, layer.dropout)
    return layer.feed_forward_norms.around(states, layer.feed_forward, layer.dropout), remembered[0]


def _projected(part: MultiHeadAttention, states: Tensor, rotation: Rotation | None) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values of all heads, (batch heads position d_head)."""
    query = split_heads(part.to_query(states), part.num_heads)
    key, value = part.project_memory(states)
    if rotation is not None:
        query, key = rotation(query), rotation(key)
    return query, share_heads(key, part.num_heads), share_heads(value, part.num_heads)
