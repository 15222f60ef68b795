"""The gated feed-forward network of a Llama."""

from __future__ import annotations

import torch
from torch import Tensor


class GatedFeedForward(torch.nn.Module):
    """output(SiLU(gate(x)) · inner(x)), at each position separately, without biases."""

    def __init__(self, d_model: int, d_inner: int) -> None:
        super().__init__()
        self.gate = torch.nn.Linear(d_model, d_inner, bias=False)
        self.inner = torch.nn.Linear(d_model, d_inner, bias=False)
        self.output = torch.nn.Linear(d_inner, d_model, bias=False)

    def forward(self, hidden_states: Tensor) -> Tensor:
        """(batch, position, d_model) → the same shape."""
        return self.output(torch.nn.functional.silu(self.gate(hidden_states)) * self.inner(hidden_states))
