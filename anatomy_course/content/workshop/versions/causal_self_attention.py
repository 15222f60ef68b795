"""Causal self-attention otherwise: what some right and wrong versions of the exercise are made of."""

from __future__ import annotations

import torch
from torch import Tensor

from anatomy_course.content.workshop.shared import AttentionInSteps, earlier


class HeadByHead(AttentionInSteps):
    def forward(self, hidden_states: Tensor) -> Tensor:
        contexts = []
        for query, key, value in zip(
            *(part.chunk(self.num_heads, -1) for part in self.projected(hidden_states)), strict=True
        ):
            scores = query @ key.transpose(1, 2) / key.shape[-1] ** 0.5
            scores = scores + (-1e9 * torch.ones_like(scores[0])).triu(1)
            contexts.append(torch.softmax(scores, dim=-1) @ value)
        return self.output(torch.cat(contexts, dim=-1))


class Einsum(AttentionInSteps):
    def forward(self, hidden_states: Tensor) -> Tensor:
        batch, position, d_model = hidden_states.shape
        shape = (batch, position, self.num_heads, d_model // self.num_heads)
        query, key, value = (part.view(shape) for part in self.projected(hidden_states))
        scores = torch.einsum("bqhd,bkhd->bhqk", query, key) / shape[-1] ** 0.5
        weights = scores.where(earlier(position), float("-inf")).softmax(-1)
        return self.output(torch.einsum("bhqk,bkhd->bqhd", weights, value).reshape(batch, position, d_model))


def zero_masked(self: AttentionInSteps, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Attention that takes each score of 0 for one that the mask has set."""
    scores = (query @ key.mT * query.shape[-1] ** -0.5).tril()
    return scores.masked_fill(scores == 0, -torch.inf).softmax(-1) @ value
