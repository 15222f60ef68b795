"""Layers: their residual connections, their cross-attention, or all of a decoder layer, run by a learner's function.

A transplant of `attention` takes cross-attention as well, and goes before `attend_to_memory` where both are given.
"""

from __future__ import annotations

import math
from copy import copy
from functools import partial
from typing import Any

import torch
from torch import Tensor

from anatomy_course.lab.transplant.replaceable import Calls, Function
from anatomy_utils.functional.masks import Mask
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.cache import KeyValue
from anatomy_utils.nn.decoder import DecoderLayer
from anatomy_utils.nn.layer import Layer
from anatomy_utils.nn.norm import NormPlaces
from anatomy_utils.tap import tap


def placements(layer: Layer) -> set[str]:
    """Where the norms stand in the residual connections of a layer; two sub-layers beside each other have none."""
    return set() if layer.is_parallel else {norms.placement for norms in _norms(layer).values()}


def _norms(layer: Layer) -> dict[str, NormPlaces]:
    return {name: part for name, part in layer._modules.items() if isinstance(part, NormPlaces)}


def in_residual_connections(layer: Layer, calls: Calls) -> Calls:
    """Norms around which a learner's function adds and normalizes."""
    return {name: _around(norms, calls[norms.placement]) for name, norms in _norms(layer).items()
            if norms.placement in calls}  # fmt: skip


def _around(norms: NormPlaces, function: Function) -> NormPlaces:
    norm = norms.before if norms.placement == "pre_norm" else norms.after
    replaced = copy(norms)
    replaced.__dict__["around"] = lambda hidden_states, sublayer, dropout: function(
        hidden_states, lambda states: dropout(sublayer(states)), norm
    )
    return replaced


def held_by(layer: DecoderLayer) -> set[str]:
    """Both organs, where a layer reads a memory; the layer as a whole only where all its norms stand in front."""
    if layer.cross_attention is None:
        return set()
    return {"attend_to_memory", "decoder_layer"} if placements(layer) == {"pre_norm"} else {"attend_to_memory"}


def in_cross_attention(module: MultiHeadAttention, calls: Calls) -> Calls:
    """Attention over all heads at once, which knows the source's padding and no other mask."""
    attend = partial(_attend, module, calls["attend_to_memory"])
    return {"_explicit": attend, "_fused": attend}


def _attend(
    module: MultiHeadAttention,
    function: Function,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Mask | None,
    causal: bool,
) -> Tensor:
    if module.scale is not None:
        query = query * (module.scale * math.sqrt(query.shape[-1]))
    real = torch.ones(len(key), key.shape[2], dtype=torch.long, device=key.device)
    return function(query, key, value, real if mask is None else mask[:, 0, 0].long().expand_as(real))


def in_whole_layer(layer: DecoderLayer, calls: Calls) -> Calls:
    """A decoder's whole layer, with its sub-layers and norms as arguments."""
    return {"forward": partial(_layer, layer, calls["decoder_layer"])}


def _layer(
    layer: DecoderLayer,
    function: Function,
    hidden_states: Tensor,
    *,
    causal: bool = True,
    memory: Tensor | KeyValue | None = None,
    memory_mask: Mask | None = None,
    **more: Any,
) -> Tensor:
    """`DecoderLayer.forward` by one function; `more` goes to self-attention. The states between are the function's."""
    assert layer.cross_attention is not None and layer.cross_attention_norms is not None
    mix, read = partial(layer.self_attention, causal=causal, **more), partial(layer.cross_attention, mask=memory_mask)
    output = function(
        hidden_states,
        memory,
        lambda states: layer.dropout(mix(states)),
        lambda states, memory: layer.dropout(read(states, memory)),
        lambda states: layer.dropout(layer.feed_forward(states)),
        layer.self_attention_norms.before,
        layer.cross_attention_norms.before,
        layer.feed_forward_norms.before,
    )
    return tap(layer, "output", output)
