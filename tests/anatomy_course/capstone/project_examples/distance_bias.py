"""One organ, one claim: a distance bias, as in ALiBi (Press et al. 2022, arXiv:2108.12409).

It ends in "cannot tell": three seeds are too few for differences that differ so much.
"""

from __future__ import annotations

import torch

PLAN = {
    "organ": "distance bias",
    "hypothesis": "At first, learned positions do not say which token is near. With a bias against distance, attention "
    "begins with the last tokens. So after few steps the loss on unseen sentences is lower by at least 0.03.",
    "metric": "loss on unseen sentences",
    "better_by": 0.03,
    "equal": "steps",
    "steps": 60,
    "batch": 8,
    "peak": 8e-3,
    "seeds": [0, 1, 2],
    "size": {"length": 16, "d_model": 32, "num_layers": 1, "num_heads": 4},
}
PROGRAM = "my_gpt.py"


class Biased(torch.nn.Module):
    """The same attention, but each head takes its slope, 2, 1, 1/2, …, times the distance from the scores."""

    def __init__(self, attention: torch.nn.Module) -> None:
        super().__init__()
        self.query, self.key, self.value, self.output = (
            getattr(attention, name) for name in ("query", "key", "value", "output")
        )
        self.num_heads = attention.num_heads

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        query, key, value = (
            part(states).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        places = torch.arange(states.shape[1], device=states.device)
        distance = places[:, None] - places
        slopes = 2.0 ** (1 - torch.arange(self.num_heads, device=states.device))
        bias = (-slopes[:, None, None] * distance).masked_fill(distance < 0, float("-inf"))
        context = torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=bias)
        return self.output(context.transpose(1, 2).flatten(2))


def with_organ(model: torch.nn.Module, on: bool) -> torch.nn.Module:
    if on:
        for block in model.blocks:
            block.attention = Biased(block.attention)
    return model


def parameters(s) -> int:
    d = s.d_model  # slopes are not trained
    return (s.vocabulary_size + s.length) * d + s.num_layers * (12 * d * d + 13 * d) + 2 * d


def work(s, tokens: int) -> int:
    d = s.d_model  # a bias is added, not multiplied
    return s.num_layers * (12 * d * d + 2 * tokens * d) + s.vocabulary_size * d


def cache_bytes(s, tokens: int) -> int:
    return 4 * s.num_layers * 2 * s.d_model * tokens


KEPT = {"blocks.*.attention.key": "all", "blocks.*.attention.value": "all"}
