"""Cross-attention as a function with a name, and a small model that writes: what cases give to an answer."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from anatomy_course.content.encoder.shared import Function
from anatomy_course.content.sizes import normal


def reader(generator: torch.Generator, d_model: int) -> Function:
    """Finds something in the memory for each position, as cross-attention would."""
    ask, answer = (normal(generator, d_model, d_model) * d_model**-0.5 for _ in range(2))

    def read(states: Tensor, memory: Tensor) -> Tensor:
        return (states @ ask @ memory.mT).softmax(-1) @ memory @ answer

    return Function("cross-attention", read)


@dataclass(frozen=True)
class NextLogits:
    """What follows depends on all tokens so far, the last ones most, and on the memory.

    Args:
        table: (vocab_size, vocab_size) of random numbers.
        from_memory: (d_model, vocab_size) of random numbers.
        stop_id: likeliest where a text has as many tokens as the first number of its memory says; else unlikeliest.
    """

    table: Tensor
    from_memory: Tensor
    stop_id: int

    def __call__(self, input_ids: Tensor, memory: Tensor) -> Tensor:
        nearness = 0.6 ** torch.arange(input_ids.shape[1] - 1, -1, -1)
        logits = nearness @ self.table[input_ids] + memory[:, 1] @ self.from_memory
        logits[:, self.stop_id] = torch.where(memory[:, 0, 0] == input_ids.shape[1], 50.0, -50.0)
        return logits

    def __repr__(self) -> str:
        return "a decoder"
