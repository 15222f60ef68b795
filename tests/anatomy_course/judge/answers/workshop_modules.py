"""Wrong answers to the modules of notebook 08 that are in no catalogue."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_course.judge import find_exercise
from answers import answer

Attention, Feed, Block, Model = (
    find_exercise(f"workshop.{name}").resolve() for name in ("causal_self_attention", "feed_forward", "block", "gpt")
)
Base: Any = nn.Module


@answer(
    "workshop.causal_self_attention",
    "objection:missing",
    "it has `all_three.weight` (30, 10), `all_three.bias` (30,) instead",
)
class AttentionInOneMap(Base):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.all_three = nn.Linear(d_model, 3 * d_model)
        self.output = nn.Linear(d_model, d_model)

    def forward(self, hidden_states):
        parts = self.all_three(hidden_states).chunk(3, -1)
        query, key, value = (part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in parts)
        context = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.output(context.transpose(1, 2).flatten(2))


@answer("workshop.causal_self_attention", "likeness:cell", "2457 of 2517 cells of your output differ")
class AttentionPositionsAsHeads(Attention):  # type: ignore[misc, valid-type]
    def forward(self, hidden_states):
        query, key, value = (
            part(hidden_states).unflatten(-1, (self.num_heads, -1)) for part in (self.query, self.key, self.value)
        )
        return self.output(F.scaled_dot_product_attention(query, key, value, is_causal=True).flatten(2))


@answer("workshop.causal_self_attention", "objection:first_call", "such as a mask of that size")
class AttentionKeepsItsMask(Attention):  # type: ignore[misc, valid-type]
    mask = None

    def forward(self, hidden_states):
        length = hidden_states.shape[1]
        if self.mask is None:
            self.mask = torch.ones(length, length, dtype=torch.bool).tril()
        parts = (self.query(hidden_states), self.key(hidden_states), self.value(hidden_states))
        query, key, value = (part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in parts)
        context = F.scaled_dot_product_attention(query, key, value, self.mask[:length, :length])
        return self.output(context.transpose(1, 2).flatten(2))


@answer("workshop.block", "likeness:cell", "but not with small states")
class BlockOfBert(Block):  # type: ignore[misc, valid-type]
    def __init__(self, d_model, num_heads, d_inner):
        super().__init__(d_model, num_heads, d_inner)
        self.attention_norm = nn.LayerNorm(d_model, eps=1e-12)
        self.feed_forward_norm = nn.LayerNorm(d_model, eps=1e-12)


@answer("workshop.feed_forward", "likeness:unused", "when the numbers in `output.weight` change")
class FeedForwardShared(Feed):  # type: ignore[misc, valid-type]
    def forward(self, hidden_states):
        return F.gelu(self.inner(hidden_states)) @ self.inner.weight + self.output.bias


@answer("workshop.block", "likeness:factor", "In your output every number is the target's times 0.5.")
class BlockHalved(Block):  # type: ignore[misc, valid-type]
    def forward(self, hidden_states: Tensor) -> Tensor:
        return super().forward(hidden_states) / 2


@answer("workshop.gpt", "crash", "An index is beyond the end of the table.")
class GPTFromOne(Model):  # type: ignore[misc, valid-type]
    def forward(self, input_ids):
        positions = torch.arange(1, input_ids.shape[1] + 1)
        hidden_states = self.tokens(input_ids) + self.positions(positions)
        for block in self.blocks:
            hidden_states = block(hidden_states)
        return self.norm(hidden_states) @ self.tokens.weight.T


@answer("workshop.gpt", "likeness:stage", "Right with one token, but not with a few tokens or with one text.")
class GPTAllBlocksSummed(Model):  # type: ignore[misc, valid-type]
    def forward(self, input_ids):
        states = self.tokens(input_ids) + self.positions.weight[: input_ids.shape[1]]
        states = sum(block(states) for block in self.blocks)
        return self.norm(states) @ self.tokens.weight.T


@answer("workshop.gpt", "objection:extra", "Your module has more parameters than wanted: `vocabulary.bias` (7,).")
class GPTWithALinearBias(Model):  # type: ignore[misc, valid-type]
    def __init__(self, vocabulary_size, length, d_model, num_layers, num_heads):
        super().__init__(vocabulary_size, length, d_model, num_layers, num_heads)
        self.vocabulary = nn.Linear(d_model, vocabulary_size)
        self.vocabulary.weight = self.tokens.weight

    def forward(self, input_ids):
        return super().forward(input_ids) + self.vocabulary.bias


class Grouped(find_exercise("workshop.grouped_attention").resolve()):  # type: ignore[misc]
    """The course's own, with a number that is saved with the weights."""


@answer("workshop.grouped_attention", "objection:buffer", "no published file has it, so strict loading would fail")
class GroupedAttentionWithABuffer(Grouped):
    def __init__(self, d_model, num_heads, num_key_value_heads, base):
        super().__init__(d_model, num_heads, num_key_value_heads, base)
        self.register_buffer("frequencies", torch.ones(3))
