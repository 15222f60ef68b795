"""Layers whose residual connections run through a learner's `post_norm` or `pre_norm`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor, nn

from anatomy_utils.cache import KeyValue, LayerCache
from anatomy_utils.decoder import DecoderLayer
from anatomy_utils.encoder import EncoderLayer
from anatomy_utils.masks import Mask
from anatomy_utils.norm import Norms
from anatomy_utils.positions import Rotation
from anatomy_utils.tap import tap


def placement(norms: Norms) -> str:
    """Which of the two organs this residual connection is; "" for neither."""
    before, output, after = (isinstance(norm, nn.Module) for norm in (norms.before, norms.output, norms.after))
    return {(True, False, False): "pre_norm", (False, False, True): "post_norm"}.get((before, output, after), "")


def placements(layer: nn.Module) -> set[str]:
    """Of all residual connections in a layer."""
    return {placement(part) for part in layer.children() if isinstance(part, Norms)}


def _around(
    norms: Norms, calls: Mapping[str, Callable[..., Any]], hidden_states: Tensor, sublayer: Callable[[Tensor], Tensor]
) -> Tensor:
    kind = placement(norms)
    if kind in calls:
        return calls[kind](hidden_states, sublayer, norms.before if kind == "pre_norm" else norms.after)
    return norms.after(hidden_states + norms.output(sublayer(norms.before(hidden_states))))


def in_encoder_layer(layer: EncoderLayer, calls: Mapping[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """`EncoderLayer.forward`, its residual connections spelled as functions."""

    def forward(hidden_states: Tensor, mask: Mask | None = None, *, rotation: Rotation | None = None) -> Tensor:
        def mixed(states: Tensor) -> Tensor:
            return layer.dropout(layer.self_attention(states, mask=mask, rotation=rotation))

        def fed(states: Tensor) -> Tensor:
            return layer.dropout(layer.feed_forward(states))

        hidden_states = tap(layer, "after_attention", _around(layer.attention_norms, calls, hidden_states, mixed))
        return tap(layer, "output", _around(layer.feed_forward_norms, calls, hidden_states, fed))

    return {"forward": forward}


def in_decoder_layer(layer: DecoderLayer, calls: Mapping[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """`DecoderLayer.forward`, its residual connections spelled as functions."""

    def forward(
        hidden_states: Tensor,
        *,
        mask: Mask | None = None,
        causal: bool = True,
        rotation: Rotation | None = None,
        cache: LayerCache | None = None,
        memory: Tensor | KeyValue | None = None,
        memory_mask: Mask | None = None,
    ) -> Tensor:
        def mixed(states: Tensor) -> Tensor:
            attended = layer.self_attention(states, mask=mask, causal=causal, rotation=rotation, cache=cache)
            return layer.dropout(attended)

        def fed(states: Tensor) -> Tensor:
            return layer.dropout(layer.feed_forward(states))

        hidden_states = _around(layer.self_attention_norms, calls, hidden_states, mixed)
        hidden_states = tap(layer, "after_self_attention", hidden_states)
        reader = layer.cross_attention
        if reader is not None and layer.cross_attention_norms is not None:

            def read(states: Tensor) -> Tensor:
                return layer.dropout(reader(states, memory, mask=memory_mask))

            hidden_states = _around(layer.cross_attention_norms, calls, hidden_states, read)
            hidden_states = tap(layer, "after_cross_attention", hidden_states)
        return tap(layer, "output", _around(layer.feed_forward_norms, calls, hidden_states, fed))

    return {"forward": forward}
