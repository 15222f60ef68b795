"""A Llama's block, and its parts in another order: what the right and wrong versions of the exercise are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from anatomy_course.capstone.program.given.gated import GatedFeedForward
from anatomy_course.content.workshop.shared import GroupedAttention


class LlamaBlock(nn.Module):
    """In the order of its parts, each of which a child may do otherwise."""

    norm: Callable[..., nn.Module] = nn.RMSNorm

    def __init__(
        self, d_model: int, num_heads: int, num_key_value_heads: int, d_inner: int, base: float, epsilon: float
    ) -> None:
        super().__init__()
        self.attention_norm = type(self).norm(d_model, eps=epsilon)
        self.attention = GroupedAttention(d_model, num_heads, num_key_value_heads, base)
        self.feed_forward_norm = type(self).norm(d_model, eps=epsilon)
        self.feed_forward: nn.Module = GatedFeedForward(d_model, d_inner)

    def forward(self, hidden_states: Tensor) -> Tensor:
        hidden_states = hidden_states + self.attention(self.attention_norm(hidden_states))
        return hidden_states + self.feed_forward(self.feed_forward_norm(hidden_states))


def running(forward: Callable[[Any, Tensor], Tensor]) -> type[nn.Module]:
    """The right parts in another order."""
    return type("LlamaBlock", (LlamaBlock,), {"forward": forward})


def post_norm(self: LlamaBlock, x: Tensor) -> Tensor:
    x = self.attention_norm(x + self.attention(x))
    return self.feed_forward_norm(x + self.feed_forward(x))


def swapped(self: LlamaBlock, x: Tensor) -> Tensor:
    x = x + self.attention(self.feed_forward_norm(x))
    return x + self.feed_forward(self.attention_norm(x))


def one_norm(self: LlamaBlock, x: Tensor) -> Tensor:
    x = x + self.attention(self.attention_norm(x))
    return x + self.feed_forward(self.attention_norm(x))


def no_second_norm(self: LlamaBlock, x: Tensor) -> Tensor:
    x = x + self.attention(self.attention_norm(x))
    return x + self.feed_forward(x)


def no_first_norm(self: LlamaBlock, x: Tensor) -> Tensor:
    x = x + self.attention(x)
    return x + self.feed_forward(self.feed_forward_norm(x))


def side_by_side(self: LlamaBlock, x: Tensor) -> Tensor:
    return x + self.attention(self.attention_norm(x)) + self.feed_forward(self.feed_forward_norm(x))


def no_residuals(self: LlamaBlock, x: Tensor) -> Tensor:
    return self.feed_forward(self.feed_forward_norm(self.attention(self.attention_norm(x))))


def no_first_residual(self: LlamaBlock, x: Tensor) -> Tensor:
    x = self.attention(self.attention_norm(x))
    return x + self.feed_forward(self.feed_forward_norm(x))


def no_second_residual(self: LlamaBlock, x: Tensor) -> Tensor:
    x = x + self.attention(self.attention_norm(x))
    return self.feed_forward(self.feed_forward_norm(x))


def network_first(self: LlamaBlock, x: Tensor) -> Tensor:
    x = x + self.feed_forward(self.feed_forward_norm(x))
    return x + self.attention(self.attention_norm(x))


def normed_residuals(self: LlamaBlock, x: Tensor) -> Tensor:
    x = self.attention_norm(x)
    x = self.feed_forward_norm(x + self.attention(x))
    return x + self.feed_forward(x)


def first_residual_normed(self: LlamaBlock, x: Tensor) -> Tensor:
    x = self.attention_norm(x)
    x = x + self.attention(x)
    return x + self.feed_forward(self.feed_forward_norm(x))


def second_residual_normed(self: LlamaBlock, x: Tensor) -> Tensor:
    x = self.feed_forward_norm(x + self.attention(self.attention_norm(x)))
    return x + self.feed_forward(x)


def second_residual_from_below(self: LlamaBlock, x: Tensor) -> Tensor:
    return x + self.feed_forward(self.feed_forward_norm(x + self.attention(self.attention_norm(x))))


class LayerNorms(LlamaBlock):
    norm = nn.LayerNorm


class UsualEpsilon(LlamaBlock):
    @staticmethod
    def norm(d_model: int, eps: float) -> nn.Module:
        return nn.RMSNorm(d_model)


class BlockOfUsualBase(LlamaBlock):
    def __init__(self, d_model: int, heads: int, shared: int, d_inner: int, base: float, epsilon: float) -> None:
        super().__init__(d_model, heads, shared, d_inner, 10_000.0, epsilon)


class UsualWidth(LlamaBlock):
    def __init__(self, d_model: int, heads: int, shared: int, d_inner: int, base: float, epsilon: float) -> None:
        super().__init__(d_model, heads, shared, 4 * d_model, base, epsilon)


class OwnKeys(LlamaBlock):
    def __init__(self, d_model: int, heads: int, shared: int, d_inner: int, base: float, epsilon: float) -> None:
        super().__init__(d_model, heads, heads, d_inner, base, epsilon)


class NoGate(LlamaBlock):
    def __init__(self, d_model: int, heads: int, shared: int, d_inner: int, base: float, epsilon: float) -> None:
        super().__init__(d_model, heads, shared, d_inner, base, epsilon)
        layers = {"inner": nn.Linear(d_model, d_inner), "output": nn.Linear(d_inner, d_model)}
        self.feed_forward = nn.ModuleDict(layers)


def two_halves(self: LlamaBlock, x: Tensor) -> Tensor:
    for norm, part in ((self.attention_norm, self.attention), (self.feed_forward_norm, self.feed_forward)):
        x = torch.add(part(norm(x)), x)
    return x


def norm_by_hand(self: LlamaBlock, x: Tensor) -> Tensor:
    def normed(states: Tensor, norm: Any) -> Tensor:
        return norm.weight * states * (states.square().mean(-1, keepdim=True) + norm.eps).rsqrt()

    x = x + self.attention(normed(x, self.attention_norm))
    return x + self.feed_forward(normed(x, self.feed_forward_norm))


def in_one_line(self: Any, x: Tensor) -> Tensor:
    return (y := x + self.attention(self.attention_norm(x))) + self.feed_forward(self.feed_forward_norm(y))
