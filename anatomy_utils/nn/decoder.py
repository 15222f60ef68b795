"""The decoder: a stack that writes, each position seeing only what came before it.

The right half of the 2017 Transformer, and by itself the whole of GPT and Llama. Notebook 05 teaches it, notebook 06
its cross-attention to an encoder's output ("memory"). Where the norms stand is data (see
`norm.NormPlaces`), and so are the positions: added to the embeddings, rotating queries and keys, or added to the
scores.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from anatomy_utils.functional import masks
from anatomy_utils.functional.masks import Mask
from anatomy_utils.functional.positions import Rotation
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.cache import KeyValue, KeyValueCache, LayerCache
from anatomy_utils.nn.dropout import identity
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.layer import Layer
from anatomy_utils.nn.norm import NormPlaces
from anatomy_utils.nn.positions import RotaryPositions
from anatomy_utils.tap import tap


class DecoderLayer(Layer):
    """Causal self-attention, then (with an encoder) cross-attention, then a feed-forward network.

    Vaswani et al. 2017, section 3.1 (arXiv:1706.03762). Each sub-layer stands inside a residual connection.

    Args:
        self_attention: mixes a position with those before it.
        feed_forward: works on each position by itself.
        self_attention_norms: the norms around self-attention.
        feed_forward_norms: the norms around the feed-forward network.
        cross_attention: reads the memory; None for a decoder by itself.
        cross_attention_norms: the norms around cross-attention.
        dropout: probability of dropping a feature of a sub-layer's output while training.
        window: how many positions self-attention sees, its own included; all before it when left out. The stack makes
            the mask.
    """

    def __init__(
        self,
        self_attention: MultiHeadAttention,
        feed_forward: nn.Module,
        *,
        self_attention_norms: NormPlaces,
        feed_forward_norms: NormPlaces,
        cross_attention: MultiHeadAttention | None = None,
        cross_attention_norms: NormPlaces | None = None,
        dropout: float = 0.0,
        window: int | None = None,
    ) -> None:
        super().__init__(
            self_attention,
            feed_forward,
            self_attention_norms=self_attention_norms,
            feed_forward_norms=feed_forward_norms,
            dropout=dropout,
        )
        del self.feed_forward, self.feed_forward_norms  # to be listed last: parts stand in the order of the data
        self.cross_attention, self.cross_attention_norms = cross_attention, cross_attention_norms
        self.feed_forward, self.feed_forward_norms = feed_forward, feed_forward_norms
        self.window = window

    def forward(
        self,
        hidden_states: Float[Tensor, "batch position d_model"],
        *,
        mask: Mask | None = None,
        causal: bool = True,
        rotation: Rotation | None = None,
        cache: LayerCache | None = None,
        memory: Float[Tensor, "batch key d_memory"] | KeyValue | None = None,
        memory_mask: Mask | None = None,
    ) -> Float[Tensor, "batch position d_model"]:
        """Taps the residual stream after each sub-layer: `after_self_attention`, `after_cross_attention`, `output`."""
        attend = partial(self.self_attention, mask=mask, causal=causal, rotation=rotation, cache=cache)
        hidden_states = self.self_attention_norms.around(hidden_states, attend, self.dropout)
        hidden_states = tap(self, "after_self_attention", hidden_states)
        if self.cross_attention is not None and self.cross_attention_norms is not None:
            read = partial(self.cross_attention, memory=memory, mask=memory_mask)
            hidden_states = self.cross_attention_norms.around(hidden_states, read, self.dropout)
            hidden_states = tap(self, "after_cross_attention", hidden_states)
        hidden_states = self.feed_forward_norms.around(hidden_states, self.feed_forward, self.dropout)
        return tap(self, "output", hidden_states)


class ParallelLayer(DecoderLayer):
    """Self-attention and the feed-forward network beside each other: one norm, and both answers are added at once.

    Wang and Komatsuzaki 2021 (GPT-J); PaLM followed (Chowdhery et al. 2022, section 2, arXiv:2204.02311).

    Args:
        self_attention: mixes a position with those before it.
        feed_forward: works on each position by itself; it does not see what attention found.
        norm: in front of both.
        dropout: probability of dropping a feature of either answer while training.
    """

    is_parallel = True

    def __init__(
        self, self_attention: MultiHeadAttention, feed_forward: nn.Module, *, norm: nn.Module, dropout: float = 0.0
    ) -> None:
        norms = NormPlaces(before=norm)
        super().__init__(
            self_attention, feed_forward, self_attention_norms=norms, feed_forward_norms=NormPlaces(), dropout=dropout
        )

    def forward(
        self,
        hidden_states: Float[Tensor, "batch position d_model"],
        *,
        mask: Mask | None = None,
        causal: bool = True,
        rotation: Rotation | None = None,
        cache: LayerCache | None = None,
        memory: object = None,
        memory_mask: object = None,
    ) -> Float[Tensor, "batch position d_model"]:
        """Taps the residual stream behind both, `output`; there is no cross-attention, so no memory is read."""
        normed = self.self_attention_norms.before(hidden_states)
        mixed = self.self_attention(normed, mask=mask, causal=causal, rotation=rotation, cache=cache)
        fed = self.feed_forward(normed)
        return tap(self, "output", hidden_states + self.dropout(mixed) + self.dropout(fed))


class Decoder(nn.Module):
    """Embeddings and a stack of decoder layers: token ids in, one vector per position that knows only its past.

    Args:
        embeddings: turns ids into vectors.
        layers: the stack, from the bottom up.
        norm: applied to the last layer's output; pre-norm stacks need one.
        rotary: turns queries and keys by their positions, in every layer that does not say otherwise.
        score_bias: (query positions, key positions) → numbers added to every layer's scores, such as `T5Bias`.
    """

    def __init__(
        self,
        embeddings: Embeddings,
        layers: Iterable[DecoderLayer],
        *,
        norm: nn.Module | None = None,
        rotary: RotaryPositions | None = None,
        score_bias: nn.Module | None = None,
    ) -> None:
        super().__init__()
        self.embeddings = embeddings
        self.layers = cast("Sequence[DecoderLayer]", nn.ModuleList(layers))
        self.norm = norm or identity
        self.rotary = rotary
        self.score_bias = score_bias

    def forward(
        self,
        input_ids: Int[Tensor, "batch position"],
        attention_mask: Int[Tensor, "batch position"] | Bool[Tensor, "batch position"] | None = None,
        *,
        memory: Float[Tensor, "batch key d_memory"] | None = None,
        memory_mask: Mask | None = None,
    ) -> Float[Tensor, "batch position d_model"]:
        """All positions at once, as in training.

        Args:
            input_ids: one id per token.
            attention_mask: 1 = real token, 0 = padding (at the end); all real when left out.
            memory: the encoder's output, for layers with cross-attention.
            memory_mask: which of the encoder's positions may be attended to.

        Returns:
            The last layer's hidden states, normalized. What padding positions hold has no meaning.
        """
        masks.check_input(input_ids, attention_mask)
        mask = None if attention_mask is None else masks.padding(attention_mask)
        return self.run_layers(self.embeddings(input_ids), mask, memory=memory, memory_mask=memory_mask)

    def run_layers(
        self,
        hidden_states: Float[Tensor, "batch position d_model"],
        mask: Mask | None = None,
        *,
        causal: bool = True,
        positions: Int[Tensor, " position"] | Int[Tensor, "batch position"] | None = None,
        cache: KeyValueCache | None = None,
        memory: Float[Tensor, "batch key d_memory"] | tuple[KeyValue, ...] | None = None,
        memory_mask: Mask | None = None,
    ) -> Float[Tensor, "batch position d_model"]:
        """The stack on any vectors, with any mask.

        Args:
            hidden_states: what goes into the first layer.
            mask: what each position may attend to; everything when left out.
            causal: forbid each position what comes after it, besides.
            positions: where each vector stands, for rotary positions; 0, 1, 2 … when left out.
            cache: what is known of the positions before these, to which these are added.
            memory: the encoder's output, or its keys and values for each layer, for layers with cross-attention.
            memory_mask: which of the encoder's positions may be attended to.
        """
        device, count, past = hidden_states.device, hidden_states.shape[1], 0 if cache is None else cache.length
        if self.score_bias is not None:
            keys = torch.arange(past + count, device=device)
            mask = masks.additive(self.score_bias(keys[past:], keys), mask)
        positions = torch.arange(count, device=device) if positions is None else positions
        turns: dict[RotaryPositions | None, Rotation | None] = {None: None}
        allowed: dict[int | None, Mask | None] = {}  # by window
        for index, layer in enumerate(self.layers):
            if layer.window not in allowed:
                allowed[layer.window] = _within(layer.window, mask, count, past + count, device)
            rotary = self.rotary_of(layer)
            if rotary is not None and rotary not in turns:
                turns[rotary] = rotary(positions)
            hidden_states = layer(
                hidden_states,
                mask=allowed[layer.window],
                causal=causal,
                rotation=turns[rotary],
                cache=None if cache is None else cache.layer(index),
                memory=memory[index] if isinstance(memory, tuple) else memory,
                memory_mask=memory_mask,
            )
        return self.norm(hidden_states)

    def rotary_of(self, layer: DecoderLayer) -> RotaryPositions | None:
        """What turns queries and keys of a layer: its own or the stack's; nothing where they are not turned."""
        return (layer.rotary or self.rotary) if layer.is_rotated else None

    def start(
        self,
        batch: int,
        capacity: int,
        *,
        attention_mask: Int[Tensor, "batch position"] | None = None,
        memory: Float[Tensor, "batch key d_memory"] | None = None,
        memory_mask: Bool[Tensor, "batch 1 1 key"] | None = None,
    ) -> KeyValueCache:
        """An empty cache for `step`.

        Args:
            batch: how many texts are written side by side.
            capacity: how many positions there is room for, prompt included.
            attention_mask: of the prompts, padded at the head; all real when left out.
            memory: the encoder's output; its keys and values are computed here, once.
            memory_mask: which of the encoder's positions may be attended to.

        Raises:
            ValueError: the prompts are padded at the end, or attention_mask is of another number of texts.
        """
        if attention_mask is not None and len(attention_mask) != batch:
            raise ValueError(
                f"The cache is to hold {batch} texts, but attention_mask has {len(attention_mask)}; give one row each."
            )
        padding = None if attention_mask is None else masks.padding_at_head(attention_mask)
        readers = [layer.cross_attention for layer in self.layers if layer.cross_attention is not None]
        remembered = None if memory is None else tuple(reader.project_memory(memory) for reader in readers)
        return KeyValueCache(
            tuple(layer.self_attention.room(batch, capacity) for layer in self.layers),
            tuple(layer.self_attention.projection() for layer in self.layers),
            padding=padding,
            memory=remembered,
            memory_mask=memory_mask,
        )

    def step(
        self, input_ids: Int[Tensor, "batch new"], cache: KeyValueCache
    ) -> tuple[Float[Tensor, "batch new d_model"], KeyValueCache]:
        """The next positions only: what came before is in the cache.

        Args:
            input_ids: the tokens behind those in the cache; a whole prompt, or one token each.
            cache: from `start`, or from the step before.

        Returns:
            The new positions' hidden states, and the cache that holds them too.

        Raises:
            ValueError: the cache is of another batch or too small.
        """
        cache.check_room(input_ids)
        count = input_ids.shape[1]
        positions, mask = cache.positions(count), cache.mask(count)
        hidden_states = self.run_layers(
            self.embeddings(input_ids, positions=positions),
            mask,
            causal=mask is None and count > 1,
            positions=positions,
            cache=cache,
            memory=cache.memory,
            memory_mask=cache.memory_mask,
        )
        return hidden_states, cache.advanced(count)


def _within(window: int | None, mask: Mask | None, queries: int, keys: int, device: torch.device) -> Mask | None:
    """What `mask` allows and is not too far back for a window."""
    if window is None or keys <= window:  # nothing is too far back
        return mask
    return masks.restricted(mask, masks.local_causal(keys, window, queries=queries, device=device))
