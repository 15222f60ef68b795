"""A whole Llama: the learner's blocks between a table and a norm."""

from __future__ import annotations

import torch
from torch import Tensor

from anatomy_course.capstone.program.own import LlamaBlock


class Llama(torch.nn.Module):
    """Token ids (batch, position) → logits (batch, position, vocabulary). One table is at both ends."""

    def __init__(
        self,
        vocabulary_size: int,
        d_model: int,
        num_layers: int,
        num_heads: int,
        num_key_value_heads: int,
        d_inner: int,
        base: float,
        epsilon: float,
    ) -> None:
        super().__init__()
        self.num_heads, self.base = num_heads, base
        self.tokens = torch.nn.Embedding(vocabulary_size, d_model)
        self.blocks = torch.nn.ModuleList(
            LlamaBlock(d_model, num_heads, num_key_value_heads, d_inner, base, epsilon) for _ in range(num_layers)
        )
        self.norm = torch.nn.RMSNorm(d_model, eps=epsilon)

    def forward(self, input_ids: Tensor) -> Tensor:
        """Logits of the next token at each position."""
        hidden_states = self.tokens(input_ids)
        for block in self.blocks:
            hidden_states = block(hidden_states)
        return self.norm(hidden_states) @ self.tokens.weight.T
