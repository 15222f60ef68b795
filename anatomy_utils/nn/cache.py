"""The key/value cache: what attention has already computed of the past, kept so that it is computed once.

While a decoder writes, the keys and values of earlier positions never change. The cache is a plain value: it is passed
in, and a longer one is returned. Its memory is set aside once, so that nothing is copied as it grows. Notebook 05
teaches it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple, TypeVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional as F


class KeyValue(NamedTuple):
    """Keys and values of the same positions, or what they are made of (`latent_attention`)."""

    key: Float[Tensor, "batch kv_heads position d_head"]
    value: Float[Tensor, "batch kv_heads position d_head"]


PairT = TypeVar("PairT", bound="KeyValue | RecurrentState")


class Projection(NamedTuple):
    """What a layer first makes of the hidden states, such as queries, keys and values: their weights side by side,
    since one product counts less than several in every step."""

    weight: Float[Tensor, "features d_model"]
    bias: Float[Tensor, " features"] | None

    def __call__(self, hidden_states: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch features"]:
        """The projected vectors, side by side."""
        return F.linear(hidden_states, self.weight, self.bias)


class RecurrentState(NamedTuple):
    """What a layer keeps in place of keys and values (`delta_rule`): no more after a thousand positions than after one.

    `recent` is what the last positions were made of, for a short convolution.
    """

    state: Float[Tensor, "batch heads d_key d_value"]
    recent: Float[Tensor, "batch recent channels"]


class LayerCache(NamedTuple):
    """One layer's share of a cache.

    Room for `capacity` positions, of which the first `length` are filled, or the state after them; such a layer tells
    `keep` the state after the new positions.
    """

    room: KeyValue | RecurrentState
    length: int
    projection: Projection
    keep: Callable[[RecurrentState], None]

    def extended(self, new: KeyValue) -> KeyValue:
        """Write the new positions behind the filled ones; returns all filled positions without copying them."""
        count = new.key.shape[2]
        for room, part in zip(self.room, new, strict=True):
            room.narrow(2, self.length, count).copy_(part)
        return KeyValue(*(room.narrow(2, 0, self.length + count) for room in self.room))


@dataclass(frozen=True)
class KeyValueCache:
    """What a decoder knows of the positions it has already seen.

    A cache and those made from it share their memory: go on from the newest one.

    Attributes:
        layers: room for keys and values, or a state, one pair per layer.
        projections: what each layer first makes of the hidden states, as it was when the cache was started.
        length: how many positions are filled.
        padding: how many positions at the head of each row are padding; None when there is none.
        memory: keys and values of the encoder's output, one pair per layer, for cross-attention.
        memory_mask: which of the encoder's positions may be attended to.
        kept: the states after the positions that are just read, by layer.
    """

    layers: tuple[KeyValue | RecurrentState, ...]
    projections: tuple[Projection, ...]
    length: int = 0
    padding: Int[Tensor, " batch"] | None = None
    memory: tuple[KeyValue, ...] | None = None
    memory_mask: Bool[Tensor, "batch 1 1 key"] | None = None
    kept: dict[int, RecurrentState] = field(default_factory=dict)

    @property
    def batch(self) -> int:
        """How many texts are written side by side."""
        return self.layers[0][0].shape[0]

    @property
    def capacity(self) -> int:
        """How many positions there is room for."""
        rooms = [room.key.shape[2] for room in self.layers if isinstance(room, KeyValue)]
        return min(rooms, default=sys.maxsize)  # a state has room for any number

    @property
    def bytes(self) -> int:
        """The memory that the filled positions and the states take."""
        filled = [
            part[:, :, : self.length] if isinstance(pair, KeyValue) else part for pair in self.layers for part in pair
        ]
        return sum(part.numel() * part.element_size() for part in filled)

    def layer(self, index: int) -> LayerCache:
        """The share of one layer."""
        keep = partial(self.kept.__setitem__, index)
        return LayerCache(self.layers[index], self.length, self.projections[index], keep)

    def positions(self, count: int) -> Int[Tensor, " position"] | Int[Tensor, "batch position"]:
        """Where the next `count` tokens stand in their texts, padding not counted."""
        ahead = torch.arange(self.length, self.length + count, device=self.layers[0][0].device)
        return ahead if self.padding is None else (ahead - self.padding[:, None]).clamp(min=0)

    def mask(self, count: int) -> Bool[Tensor, "..."] | None:
        """What the next `count` tokens may attend to: the past and themselves, never padding.

        None where the rule is simple: a single token sees all, a first prompt is plainly causal.
        """
        total = self.length + count
        if self.padding is None and (count == 1 or self.length == 0):
            return None
        keys = torch.arange(total, device=self.layers[0][0].device)
        allowed = keys <= keys[self.length :, None]  # query key
        return allowed if self.padding is None else allowed & (keys >= self.padding[:, None])[:, None, None]

    def check_room(self, input_ids: Int[Tensor, "batch position"]) -> None:
        """Raise one clear sentence when a cache does not fit the next tokens.

        Raises:
            ValueError: another number of texts, or more positions than there is room for.
        """
        batch, count = input_ids.shape
        if batch != self.batch:
            raise ValueError(
                f"The cache was made for {self.batch} texts, but input_ids has {batch}; start a cache of their number."
            )
        if self.length + count > self.capacity:
            raise ValueError(
                f"The cache has room for {self.capacity} positions; {self.length} are filled and {count} more were "
                "given. Start with a larger capacity, or write less."
            )

    def advanced(self, count: int) -> KeyValueCache:
        """The cache after `count` more positions were written."""
        layers = tuple(self.kept.get(index, room) for index, room in enumerate(self.layers))
        return replace(self, layers=layers, length=self.length + count, kept={})

    def rows(self, rows: Int[Tensor, " batch"]) -> KeyValueCache:
        """A copy that holds the given rows, in their order: beam search goes on from its best beams."""

        def chosen(pairs: tuple[PairT, ...]) -> tuple[PairT, ...]:
            return tuple(type(pair)(*(part[rows] for part in pair)) for pair in pairs)

        return replace(
            self,
            layers=chosen(self.layers),
            kept={},
            padding=None if self.padding is None else self.padding[rows],
            memory=None if self.memory is None else chosen(self.memory),
            memory_mask=None if self.memory_mask is None else self.memory_mask[rows],
        )
