"""A stack as blocks to draw: what a token passes on its way up, in order, as the modules stand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from torch import nn

from anatomy_utils.nn.adaptive_softmax import AdaptiveSoftmax
from anatomy_utils.nn.dropout import identity
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.nn.experts import MixtureOfExperts
from anatomy_utils.nn.feed_forward import GatedFeedForward
from anatomy_utils.nn.heads import MaskedLanguageHead, SequenceHead
from anatomy_utils.nn.signals import ImagePatches, SoundFrames
from anatomy_utils.nn.simple_recurrence import SimpleRecurrence
from anatomy_utils.taxonomy import attributes
from anatomy_utils.zoo.clip import TwoTowers


@dataclass(frozen=True)
class BlockDrawing:
    """A box of a block diagram.

    Attributes:
        label: what stands in it.
        role: whose color it has (see `figures.palette`).
        parts: the names of the described parts that it shows.
    """

    label: str
    role: str
    parts: tuple[str, ...]


@dataclass(frozen=True)
class StackDrawing:
    """A stack from the bottom up: before the layers, one layer, and after the last; `repeats` layers in all."""

    name: str
    repeats: int
    below: tuple[BlockDrawing, ...]
    layer: tuple[BlockDrawing, ...]
    above: tuple[BlockDrawing, ...]


SUM = BlockDrawing("+", "residual", ())
"""Where a residual connection adds what went in."""


def drawn(name: str, stack: Any) -> StackDrawing:
    """The blocks of a stack."""
    last = (BlockDrawing(_kind(stack.norm), "residual", ("norm", "last norm")),) if attributes.last_norm(stack) else ()
    return StackDrawing(name, len(stack.layers), tuple(_below(stack)), tuple(_layer(stack.layers[-1], stack)), last)


def with_head(drawing: StackDrawing, model: nn.Module) -> StackDrawing:
    """The last stack's drawing, with what turns its vectors into an answer on top; they are one where it is alone."""
    if isinstance(model, Encoder):
        return drawing
    masked = any(isinstance(part, MaskedLanguageHead) for part in model.modules())
    asks_tokens = any(name.endswith("vocabulary") or isinstance(part, AdaptiveSoftmax)
                      for name, part in model.named_modules())  # fmt: skip
    asks_once = isinstance(model, TwoTowers) or any(isinstance(part, SequenceHead) for part in model.modules())
    label = "to the vocabulary" if asks_tokens else "one answer for all" if asks_once else "one number per token"
    head = BlockDrawing(f"layer, norm,\n{label}" if masked else label, "value", ("output",))
    return replace(drawing, above=(*drawing.above, head))


def _below(stack: Any) -> list[BlockDrawing]:
    embeddings = stack.embeddings
    first = {ImagePatches: "patches,\nprojected", SoundFrames: "frames, through\ntwo convolutions"}
    label = first.get(type(embeddings), "token table")
    found = [BlockDrawing(label, "value", ("token table", "token vectors times", "vocabulary"))]
    if embeddings.positions is not None:
        found.append(BlockDrawing("+ positions", "query", ("positions",)))
    if getattr(embeddings, "segments", None) is not None:
        found.append(BlockDrawing("+ segments", "key", ("segments",)))
    if attributes.embedding_norm(stack):
        found.append(BlockDrawing(_kind(embeddings.norm), "residual", ("norm", "norm on the embeddings")))
    if attributes.table_width(stack).startswith("narrower"):
        found.append(BlockDrawing("projection", "value", ("token table",)))
    return found


def _layer(layer: Any, stack: Any) -> list[BlockDrawing]:
    attention = BlockDrawing(_attention_label(layer, stack), "weights", (
        "sees", "remembers", "keys and values", "scores times", "attention's output times",
        "norms on queries and keys", "biases",
        *(() if stack.embeddings.positions is not None else ("positions",)),
    ))  # fmt: skip
    kinds = {GatedFeedForward: "gated\nfeed-forward", MixtureOfExperts: "router and\nexperts"}
    label = kinds.get(type(layer.feed_forward), "feed-forward")
    feed_forward = BlockDrawing(label, "feed_forward", ("feed-forward", "biases"))
    if layer.is_parallel:
        shown = tuple(dict.fromkeys(("sub-layers", *attention.parts, *feed_forward.parts)))
        return _inside(
            BlockDrawing(f"{attention.label}\nbeside {feed_forward.label}", "weights", shown),
            layer.self_attention_norms,
        )
    found = _inside(attention, layer.self_attention_norms)
    if layer.cross_attention is not None:
        reading = BlockDrawing("attention to\nthe encoder's output", "memory", ("also reads",))
        found += _inside(reading, layer.cross_attention_norms)
    return found + _inside(feed_forward, layer.feed_forward_norms)


def _inside(sub_layer: BlockDrawing, norms: Any) -> list[BlockDrawing]:
    """A sub-layer in its residual connection, with whichever norms it has."""

    def norm(module: Any) -> list[BlockDrawing]:
        return [] if module is identity else [BlockDrawing(_kind(module), "residual", ("norm", "norms placed"))]

    return [*norm(norms.before), sub_layer, *norm(norms.output), SUM, *norm(norms.after)]


def _attention_label(layer: Any, stack: Any) -> str:
    if isinstance(layer.self_attention, SimpleRecurrence):
        return "recurrent unit"
    kind = "self-attention" if isinstance(stack, Encoder) else "causal\nself-attention"
    return f"rotary {kind}" if stack.rotary is not None else kind


def _kind(norm: nn.Module) -> str:
    return type(norm).__name__
