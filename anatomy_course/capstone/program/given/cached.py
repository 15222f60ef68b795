"""Reading with a cache: each token goes through the learner's classes once."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


class CachedModel:
    """A GPT or a Llama that reads only what is new, and gives the logits that it would give for the whole text.

    Attention alone looks back, at the keys and values of earlier tokens. They do not change any more, so they are kept.
    All other parts work on each position for itself, and are called as they are.

    Args:
        model: has `tokens`, `blocks` and `norm`; a GPT also `positions`.
        num_heads: of the queries.
        base: of the rotary angles; None for a GPT, whose positions are a table.
    """

    def __init__(self, model: Any, num_heads: int, base: float | None = None) -> None:
        self.model, self.num_heads, self.base = model, num_heads, base
        self.forget()

    def forget(self) -> None:
        """Begin a new text."""
        self.read = 0  # tokens so far
        self.kept: dict[int, tuple[Tensor, Tensor]] = {}  # block → keys and values, (batch, head, position, d_head)

    @torch.no_grad()
    def __call__(self, input_ids: Tensor) -> Tensor:
        """The next tokens (batch, new) → their logits (batch, new, vocabulary)."""
        places = torch.arange(self.read, self.read + input_ids.shape[1], device=input_ids.device)
        self.read += input_ids.shape[1]
        states = self.model.tokens(input_ids)
        if self.base is None:
            states = states + self.model.positions(places)
        for number, block in enumerate(self.model.blocks):
            states = states + self._attended(number, block.attention, block.attention_norm(states), places)
            states = states + block.feed_forward(block.feed_forward_norm(states))
        return self.model.norm(states) @ self.model.tokens.weight.T

    def _attended(self, number: int, attention: Any, states: Tensor, places: Tensor) -> Tensor:
        d_head = states.shape[-1] // self.num_heads
        layers = attention.query, attention.key, attention.value
        query, key, value = (layer(states).unflatten(-1, (-1, d_head)).transpose(1, 2) for layer in layers)
        if self.base is not None:
            query, key = (turned(vectors, places, self.base) for vectors in (query, key))
        if number in self.kept:
            key, value = (torch.cat(both, dim=2) for both in zip(self.kept[number], (key, value), strict=True))
        self.kept[number] = key, value
        groups = self.num_heads // key.shape[1]
        context = torch.nn.functional.scaled_dot_product_attention(
            query,
            key.repeat_interleave(groups, 1),
            value.repeat_interleave(groups, 1),
            attn_mask=torch.arange(key.shape[2], device=places.device) <= places[:, None],
        )
        return attention.output(context.transpose(1, 2).flatten(2))


def turned(vectors: Tensor, places: Tensor, base: float) -> Tensor:
    """Rotary positions: (…, position, d_head) at these places; a feature's partner is half of the head further on."""
    half = vectors.shape[-1] // 2
    angles = places[:, None] * base ** -(torch.arange(half, device=places.device) / half)
    a, b = vectors.chunk(2, dim=-1)
    return torch.cat([a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()], dim=-1)
