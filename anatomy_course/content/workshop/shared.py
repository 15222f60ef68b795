"""What the exercises on attention share: causal attention in steps, and SmolLM2's, which can be done otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_course.content.multi_head import shared


class GroupedAttention(nn.Module):
    """SmolLM2's attention in the order of its parts, each of which a child may do otherwise."""

    bias = False

    def __init__(self, d_model: int, num_heads: int, num_key_value_heads: int, base: float) -> None:
        super().__init__()
        self.num_heads, self.num_key_value_heads, self.base = num_heads, num_key_value_heads, base
        shared = num_key_value_heads * (d_model // num_heads)
        self.query = nn.Linear(d_model, d_model, bias=self.bias)
        self.key = nn.Linear(d_model, shared, bias=self.bias)
        self.value = nn.Linear(d_model, shared, bias=self.bias)
        self.output = nn.Linear(d_model, d_model, bias=self.bias)

    def forward(self, hidden_states: Tensor) -> Tensor:
        query = self.split(self.query(hidden_states), self.num_heads)
        key = self.split(self.key(hidden_states), self.num_key_value_heads)
        value = self.split(self.value(hidden_states), self.num_key_value_heads)
        query, key, value = self.turned(query, key, value)
        context = self.attend(query, self.shared(key), self.shared(value))
        return self.output(self.merge(context))

    def split(self, vectors: Tensor, heads: int) -> Tensor:
        return vectors.unflatten(-1, (heads, -1)).transpose(1, 2)  # batch heads position d_head

    def turned(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.rotate(query), self.rotate(key), value

    def rotate(self, vectors: Tensor) -> Tensor:
        angles = self.angles(vectors)
        a, b = vectors.chunk(2, dim=-1)
        return torch.cat((a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()), dim=-1)

    def angles(self, vectors: Tensor) -> Tensor:
        half = vectors.shape[-1] // 2
        frequencies = self.base ** -(torch.arange(half, device=vectors.device) / half)
        return torch.arange(vectors.shape[-2], device=vectors.device)[:, None] * frequencies  # position pair

    def shared(self, vectors: Tensor) -> Tensor:
        return vectors.repeat_interleave(self.num_heads // self.num_key_value_heads, dim=1)

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return F.scaled_dot_product_attention(query, key, value, is_causal=True)

    def merge(self, context: Tensor) -> Tensor:
        return context.transpose(1, 2).flatten(2)


def attention_with(**methods: Any) -> type[nn.Module]:
    """The right class with some of its parts done otherwise."""
    return type("GroupedAttention", (GroupedAttention,), methods)


def with_angles(exponents: Callable[[int], Tensor]) -> type[nn.Module]:
    """The right class with other angles: `exponents(d_head)` are those of `base`."""

    def angles(self: GroupedAttention, vectors: Tensor) -> Tensor:
        return torch.arange(vectors.shape[-2])[:, None] * self.base ** exponents(vectors.shape[-1])

    return attention_with(angles=angles)


def attending(**options: Any) -> type[nn.Module]:
    """The right class with other options of torch's attention."""
    return attention_with(attend=lambda self, *three: F.scaled_dot_product_attention(*three, **options))


def by_hand(self: nn.Module, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.mT / query.shape[-1] ** 0.5
    future = torch.ones_like(scores[0, 0], dtype=torch.bool).triu(1)
    return scores.masked_fill(future, -torch.inf).softmax(-1) @ value


def zero_seen(self: nn.Module, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Attention whose mask is read off the scores, so that one of 0 is never masked."""
    scores = query @ key.mT / query.shape[-1] ** 0.5
    return scores.masked_fill(scores.triu(1) != 0, -torch.inf).softmax(-1) @ value


def by_complex_numbers(self: GroupedAttention, vectors: Tensor) -> Tensor:
    a, b = (part.contiguous() for part in vectors.chunk(2, dim=-1))
    angles = self.angles(vectors)
    turned = torch.complex(a, b) * torch.polar(torch.ones_like(angles), angles)
    return torch.cat((turned.real, turned.imag), dim=-1)


def groups_as_axis(self: GroupedAttention, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    grouped = query.unflatten(1, (self.num_key_value_heads, -1))
    scores = grouped @ key[:, :, None].mT / query.shape[-1] ** 0.5
    allowed = torch.ones_like(scores[0, 0, 0]).tril().bool()
    return (scores.where(allowed, -torch.inf).softmax(-1) @ value[:, :, None]).flatten(1, 2)


def from_one(self: GroupedAttention, vectors: Tensor) -> Tensor:
    """Scores depend on offsets alone, so positions may be counted from 1."""
    half = vectors.shape[-1] // 2
    return (1 + torch.arange(vectors.shape[-2]))[:, None] / self.base ** (torch.arange(half) / half)


def scaled_by_width(self: GroupedAttention, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scale = (self.num_heads * query.shape[-1]) ** -0.5
    return F.scaled_dot_product_attention(query, key, value, is_causal=True, scale=scale)


def neighbors(self: GroupedAttention, vectors: Tensor) -> Tensor:
    angles, a, b = self.angles(vectors), vectors[..., 0::2], vectors[..., 1::2]
    turned = a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()
    return torch.stack(turned, dim=-1).flatten(-2)


def over_heads(self: GroupedAttention, vectors: Tensor) -> Tensor:
    return GroupedAttention.rotate(self, vectors.transpose(1, 2)).transpose(1, 2)


def before_splitting(self: GroupedAttention, hidden_states: Tensor) -> Tensor:
    query, key = self.rotate(self.query(hidden_states)), self.rotate(self.key(hidden_states))
    query, key = self.split(query, self.num_heads), self.split(key, self.num_key_value_heads)
    value = self.split(self.value(hidden_states), self.num_key_value_heads)
    return self.output(self.merge(self.attend(query, self.shared(key), self.shared(value))))


def not_mixed(self: GroupedAttention, hidden_states: Tensor) -> Tensor:
    narrow = (self.num_key_value_heads, self.num_key_value_heads)
    query = self.split(self.query(hidden_states), self.num_heads)
    key, value = (self.split(m(hidden_states), n) for m, n in zip((self.key, self.value), narrow, strict=True))
    query, key, value = self.turned(query, key, value)
    return self.merge(self.attend(query, self.shared(key), self.shared(value)))


class FullKeys(GroupedAttention):
    def __init__(self, d_model: int, num_heads: int, num_key_value_heads: int, base: float) -> None:
        super().__init__(d_model, num_heads, num_heads, base)


class UsualBase(GroupedAttention):
    def __init__(self, d_model: int, num_heads: int, num_key_value_heads: int, base: float) -> None:
        super().__init__(d_model, num_heads, num_key_value_heads, 10_000.0)


class Projections(nn.Module):
    """The four linear maps."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.output = nn.Linear(d_model, d_model)


def earlier(length: int) -> Tensor:
    """(query, key): True for the position itself and for those before it."""
    return torch.ones(length, length, dtype=torch.bool).tril()


def attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor, scale: float) -> Tensor:
    """Attention in each head, by hand."""
    scores = (query @ key.mT * scale).masked_fill(~mask, -torch.inf)
    return scores.softmax(-1) @ value


class AttentionInSteps(Projections):
    """Attention in steps, each of which a child may do otherwise."""

    def forward(self, hidden_states: Tensor) -> Tensor:
        parts = self.projected(hidden_states)
        query, key, value = (self.split(part, self.num_heads) for part in parts)
        return self.mixed(self.merge(self.attend(query, key, value)), hidden_states)

    def projected(self, states: Tensor) -> tuple[Tensor, ...]:
        return self.query(states), self.key(states), self.value(states)

    def split(self, states: Tensor, num_heads: int) -> Tensor:
        return shared.split(states, num_heads)

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return attend(query, key, value, self.mask(query.shape[-2]), query.shape[-1] ** -0.5)

    def mask(self, length: int) -> Tensor:
        return earlier(length)

    def merge(self, context: Tensor) -> Tensor:
        return shared.merge(context)

    def mixed(self, context: Tensor, hidden_states: Tensor) -> Tensor:
        return self.output(context)


def only_later(self: AttentionInSteps, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Attention whose mask says what it should leave out."""
    return F.scaled_dot_product_attention(query, key, value, ~self.mask(query.shape[-2]))


def masked_afterwards(self: AttentionInSteps, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Attention whose weights are masked when they have been computed."""
    weights = (query @ key.mT * query.shape[-1] ** -0.5).softmax(-1)
    return (weights * self.mask(query.shape[-2])) @ value


def over_queries(self: AttentionInSteps, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Attention with a softmax over the queries."""
    scores = query @ key.mT * query.shape[-1] ** -0.5
    return scores.masked_fill(~self.mask(query.shape[-2]), -torch.inf).softmax(-2) @ value


def scores_of_zero(self: AttentionInSteps, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Attention whose mask sets scores to 0."""
    scores = query @ key.mT * query.shape[-1] ** -0.5
    return scores.masked_fill(~self.mask(query.shape[-2]), 0.0).softmax(-1) @ value
