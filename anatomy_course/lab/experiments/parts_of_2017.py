"""Parts of 2017 for a model of today: one modern part of a Llama in the form that it had in the first paper.

`with swapped(model, "post-norm"):` runs the model so; its weights, which were trained for the modern part, stay as they
are. `part_swaps` measures what breaks, and notebook 04 shows it with SmolLM2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_course.lab.transplant.operations import transplant
from anatomy_utils.functional.layers import post_norm
from anatomy_utils.functional.norm import layer_norm
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.nn.positions import SinusoidalPositions


@dataclass(frozen=True)
class PartSwap:
    """One modern part and its form of 2017.

    Attributes:
        part: what it is a part of.
        modern: the part that a Llama has.
        of_2017: what takes its place.
        note: one sentence about what is exchanged and what stays.
        inside: model → a context in which the model runs with the exchanged part.
    """

    part: str
    modern: str
    of_2017: str
    note: str
    inside: Callable[[LanguageModel], AbstractContextManager[None]]


def with_part_of_2017(model: LanguageModel, name: str) -> AbstractContextManager[None]:
    """Run a Llama with one part in its form of 2017 inside the `with` block.

    Args:
        model: with RMSNorm before each sub-layer, rotary positions and gated feed-forward networks, such as SmolLM2.
        name: one of `PART_SWAPS`; "" leaves the model as it is.

    Raises:
        ValueError: there is no such swap, or the model does not have the modern part.
    """
    if not name:
        return nullcontext()
    if name not in PART_SWAPS:
        raise ValueError(f"There is no swap {name!r}; choose one of {', '.join(map(repr, PART_SWAPS))}.")
    return PART_SWAPS[name].inside(model)


def _layer_norm(model: LanguageModel) -> AbstractContextManager[None]:
    def without_shift(hidden_states: Tensor, weight: Tensor, epsilon: float) -> Tensor:
        return layer_norm(hidden_states, weight, torch.zeros_like(weight), epsilon)

    return transplant(model, rms_norm=without_shift)


def _no_positions(model: LanguageModel) -> AbstractContextManager[None]:
    return transplant(model, rotary=lambda vectors, cosines, sines: vectors)


class _Waves(SinusoidalPositions):
    """Waves as large against the token table's rows as in 2017, whose rows had features of variance 1."""

    def __init__(self, table: Float[Tensor, "vocab_size d_model"]) -> None:
        super().__init__(table.shape[1])
        self.size = table.detach().square().mean().sqrt()

    def forward(self, positions: Int[Tensor, "*batch position"]) -> Float[Tensor, "*batch position d_model"]:
        return super().forward(positions) * self.size


@contextmanager
def _sinusoids(model: LanguageModel) -> Iterator[None]:
    embeddings = model.decoder.embeddings
    with _no_positions(model), _in_place(embeddings, "positions", _Waves(embeddings.tokens.weight)):
        yield


def _ungated(model: LanguageModel) -> AbstractContextManager[None]:
    def feed_forward(hidden_states: Tensor, gate: Tensor, expand: Tensor, contract: Tensor) -> Tensor:
        return F.relu(hidden_states @ expand) @ contract

    return transplant(model, gated_feed_forward=feed_forward)


@contextmanager
def _own_keys(model: LanguageModel) -> Iterator[None]:
    layers: Sequence[Any] = tuple(model.decoder.layers)
    if all(layer.self_attention.num_kv_heads == layer.self_attention.num_heads for layer in layers):
        raise ValueError("Every query head of this model has its own keys and values already; there is nothing to do.")
    grouped = [layer.self_attention for layer in layers]
    for layer, attention in zip(layers, grouped, strict=True):
        layer.self_attention = with_keys_for_each_head(attention)
    try:
        yield
    finally:
        for layer, attention in zip(layers, grouped, strict=True):
            layer.self_attention = attention


@torch.no_grad()
def with_keys_for_each_head(attention: MultiHeadAttention) -> MultiHeadAttention:
    """The same attention with a key/value head of its own for every query head: a copy of the one that it shared.

    It gives back the same and keeps num_heads / num_kv_heads times as much of each position.
    """
    copied = attention.num_heads // attention.num_kv_heads
    full = MultiHeadAttention(
        attention.to_query.in_features,
        attention.num_heads,
        d_head=attention.d_head,
        bias=attention.to_key.bias is not None,
        dropout=attention.dropout,
        scale=attention.scale,
    ).train(attention.training)
    full.to_query, full.to_output = attention.to_query, attention.to_output
    for name in ("to_key", "to_value"):
        shared, own = getattr(attention, name), getattr(full, name)
        for parameter, copy in zip(shared.parameters(), own.parameters(), strict=True):
            heads = parameter.unflatten(0, (attention.num_kv_heads, attention.d_head))
            copy.copy_(heads.repeat_interleave(copied, dim=0).flatten(0, 1))
    return full


@contextmanager
def _post_norm(model: LanguageModel) -> Iterator[None]:
    with transplant(model, pre_norm=post_norm), _in_place(model.decoder, "norm", nn.Identity()):
        yield


@contextmanager
def _in_place(module: nn.Module, name: str, part: nn.Module) -> Iterator[None]:
    """Another part under that name for a while."""
    before = getattr(module, name)
    setattr(module, name, part)
    try:
        yield
    finally:
        if not isinstance(before, nn.Module):  # or else torch goes on listing it among the parts
            delattr(module, name)
        setattr(module, name, before)


PART_SWAPS = {
    "LayerNorm": PartSwap(
        "norm", "RMSNorm", "LayerNorm", "The same stretch of each feature; the mean is subtracted too, the shift is 0.",
        _layer_norm,
    ),
    "no positions": PartSwap(
        "positions", "rotary", "none", "Queries and keys are not turned: only the causal mask tells the order.",
        _no_positions,
    ),
    "sinusoids": PartSwap(
        "positions", "rotary", "sinusoidal, added",
        "Queries and keys are not turned; waves are added to the embeddings, as large against them as in 2017.",
        _sinusoids,
    ),
    "ReLU": PartSwap(
        "feed-forward", "SwiGLU", "ReLU", "The gate is gone: relu(x · expand) · contract.", _ungated,
    ),
    "multi-head": PartSwap(
        "heads", "grouped-query", "multi-head",
        "Every query head gets its own copy of the keys and values that it shared: the same text, a larger cache.",
        _own_keys,
    ),
    "post-norm": PartSwap(
        "order", "pre-norm", "post-norm", "The same norms after each sum instead of before each sub-layer, none at "
        "the end.", _post_norm,
    ),
}  # fmt: skip
"""Name → swap."""
