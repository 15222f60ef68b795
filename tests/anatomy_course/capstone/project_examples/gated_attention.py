"""One organ, one claim: gated attention (Qiu et al. 2025, arXiv:2505.06708). It ends in "supported".

The budget is a number of steps. With equal "work" instead, the gate costs two of the 40 steps, and the same claim is
not supported.
"""

from __future__ import annotations

import torch

PLAN = {
    "organ": "gated attention",
    "hypothesis": "A gate lets a token leave out what attention found, so after few steps the loss on unseen sentences "
    "is lower by at least 0.001.",
    "metric": "loss on unseen sentences",
    "better_by": 0.001,
    "equal": "steps",
    "steps": 40,
    "batch": 8,
    "peak": 8e-3,
    "seeds": [0, 1, 2, 3, 4, 5],
    "size": {"length": 16, "d_model": 32, "num_layers": 1, "num_heads": 4},
}
PROGRAM = "my_gpt.py"


class Gated(torch.nn.Module):
    """Multiplies each feature of what attention gives by a number from 0 to 2; at first it is 1."""

    def __init__(self, attention: torch.nn.Module, d_model: int) -> None:
        super().__init__()
        self.attention = attention
        self.gate = torch.nn.Linear(d_model, d_model)
        for each in self.gate.parameters():
            torch.nn.init.zeros_(each)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        return self.attention(states) * 2 * self.gate(states).sigmoid()


def with_organ(model: torch.nn.Module, on: bool) -> torch.nn.Module:
    if on:
        for block in model.blocks:
            block.attention = Gated(block.attention, block.attention.query.in_features)
    return model


def parameters(s) -> int:
    d = s.d_model
    return (s.vocabulary_size + s.length) * d + s.num_layers * (13 * d * d + 14 * d) + 2 * d


def work(s, tokens: int) -> int:
    d = s.d_model
    return s.num_layers * (13 * d * d + 2 * tokens * d) + s.vocabulary_size * d


def cache_bytes(s, tokens: int) -> int:
    return 4 * s.num_layers * 2 * s.d_model * tokens


KEPT = {"blocks.*.attention.attention.key": "all", "blocks.*.attention.attention.value": "all"}
