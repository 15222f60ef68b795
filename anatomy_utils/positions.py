"""Positions: how a model that sees a set of vectors is told their order.

Attention alone gives the same answer for any order of its inputs (notebook 01 shows it), so something must mark where
each token stands. Notebook 03 compares the schemes. This file holds the one BERT uses: a learned table.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn


class LearnedPositions(nn.Module):
    """One learned vector per position, to be added to the token's vector.

    Gehring et al. 2017 (arXiv:1705.03122), section 3.1; BERT and GPT use it.

    Args:
        max_positions: how many positions the table holds; beyond it the model has nothing to say.
        d_model: width of the vectors.
    """

    def __init__(self, max_positions: int, d_model: int) -> None:
        super().__init__()
        self.table = nn.Embedding(max_positions, d_model)

    def forward(self, length: int) -> Float[Tensor, "position d_model"]:
        """The vectors of positions 0 … length − 1.

        Raises:
            ValueError: `length` is beyond the table.
        """
        if length > self.table.num_embeddings:
            raise ValueError(
                f"The text has {length} positions, but the position table ends at {self.table.num_embeddings}; "
                "shorten or split the text."
            )
        return self.table(torch.arange(length, device=self.table.weight.device))
