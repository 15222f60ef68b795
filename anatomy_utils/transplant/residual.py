"""Layers whose residual connections run through a learner's `post_norm` or `pre_norm`."""

from __future__ import annotations

from functools import partial
from typing import Any

from torch import Tensor, nn

from anatomy_utils.functional.layers import Part
from anatomy_utils.functional.masks import Mask
from anatomy_utils.nn.cache import KeyValue
from anatomy_utils.nn.decoder import DecoderLayer, ParallelLayer
from anatomy_utils.nn.encoder import EncoderLayer
from anatomy_utils.nn.norm import Norms
from anatomy_utils.tap import tap
from anatomy_utils.transplant.organs import Calls


def placement(norms: Norms) -> str:
    """Which of the two organs this residual connection is; "" for neither."""
    before, output, after = (isinstance(norm, nn.Module) for norm in (norms.before, norms.output, norms.after))
    return {(True, False, False): "pre_norm", (False, False, True): "post_norm"}.get((before, output, after), "")


def placements(layer: nn.Module) -> set[str]:
    """Of all residual connections in a layer; two sub-layers beside each other are neither organ."""
    if isinstance(layer, ParallelLayer):
        return set()
    return {placement(part) for part in layer.children() if isinstance(part, Norms)}


def _around(
    layer: EncoderLayer | DecoderLayer, norms: Norms, calls: Calls, hidden_states: Tensor, sublayer: Part
) -> Tensor:
    kind = placement(norms)
    if kind not in calls:
        return norms.after(hidden_states + layer.dropout(norms.output(sublayer(norms.before(hidden_states)))))
    norm = norms.before if kind == "pre_norm" else norms.after
    return calls[kind](hidden_states, lambda states: layer.dropout(sublayer(states)), norm)


def in_encoder_layer(layer: EncoderLayer, calls: Calls) -> Calls:
    return {"forward": partial(_encoder_layer, layer, calls)}


def in_decoder_layer(layer: DecoderLayer, calls: Calls) -> Calls:
    return {"forward": partial(_decoder_layer, layer, calls)}


def _encoder_layer(
    layer: EncoderLayer, calls: Calls, hidden_states: Tensor, mask: Mask | None = None, **more: Any
) -> Tensor:
    """`EncoderLayer.forward`, its residual connections spelled as functions; `more` goes to self-attention."""
    mixed = partial(layer.self_attention, mask=mask, **more)
    hidden_states = _around(layer, layer.self_attention_norms, calls, hidden_states, mixed)
    hidden_states = tap(layer, "after_attention", hidden_states)
    return tap(layer, "output", _around(layer, layer.feed_forward_norms, calls, hidden_states, layer.feed_forward))


def _decoder_layer(
    layer: DecoderLayer,
    calls: Calls,
    hidden_states: Tensor,
    *,
    causal: bool = True,
    memory: Tensor | KeyValue | None = None,
    memory_mask: Mask | None = None,
    **more: Any,
) -> Tensor:
    """`DecoderLayer.forward`, its residual connections spelled as functions; `more` goes to self-attention."""
    mixed = partial(layer.self_attention, causal=causal, **more)
    hidden_states = _around(layer, layer.self_attention_norms, calls, hidden_states, mixed)
    hidden_states = tap(layer, "after_self_attention", hidden_states)
    if layer.cross_attention is not None and layer.cross_attention_norms is not None:
        read = partial(layer.cross_attention, memory=memory, mask=memory_mask)
        hidden_states = _around(layer, layer.cross_attention_norms, calls, hidden_states, read)
        hidden_states = tap(layer, "after_cross_attention", hidden_states)
    return tap(layer, "output", _around(layer, layer.feed_forward_norms, calls, hidden_states, layer.feed_forward))
