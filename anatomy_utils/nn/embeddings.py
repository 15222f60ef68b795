"""The embedding layer: token, position and segment vectors, summed and normalized.

The very first part of every model. Notebook 03 teaches it. Published checkpoints disagree on what is added: BERT adds a
segment ("token type") vector and normalizes the sum, the 2017 Transformer scales the token's vector by √d_model and
adds fixed waves.
"""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from anatomy_utils.functional.embeddings import check_ids
from anatomy_utils.nn.dropout import dropout_or_nothing, identity
from anatomy_utils.tap import tap


class Embeddings(nn.Module):
    """Token vector + position vector + segment vector, whichever of them the model has, normalized.

    Vaswani et al. 2017, sections 3.4 and 3.5 (arXiv:1706.03762); Devlin et al. 2019, figure 2 (arXiv:1810.04805).

    Args:
        vocab_size: rows of the token table.
        d_model: width of the vectors in the tables.
        positions: positions → vectors to add; None where positions enter later (rotary, relative).
        num_segments: rows of the segment ("token type") table; 0 for models without one.
        scale: what the token's vector is multiplied with: √d_model in the 2017 Transformer.
        norm: applied to the sum; none by default.
        dropout: probability of dropping a feature of the result while training.
        projection: from these vectors to wider ones for the stack; none by default (ALBERT's tables are narrow).
        tokens: a module, ids → vectors, in place of the plain token table (`adaptive.AdaptiveTokens`).
    """

    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        positions: nn.Module | None = None,
        *,
        num_segments: int = 0,
        scale: float = 1.0,
        norm: nn.Module | None = None,
        dropout: float = 0.0,
        projection: nn.Module | None = None,
        tokens: Any = None,
    ) -> None:
        super().__init__()
        self.tokens: nn.Embedding = tokens or nn.Embedding(vocab_size, d_model)
        self.positions = positions
        self.segments = nn.Embedding(num_segments, d_model) if num_segments else None
        self.scale = scale
        self.norm = norm or identity
        self.dropout = dropout_or_nothing(dropout)
        self.projection = projection or identity

    def forward(
        self,
        input_ids: Int[Tensor, "batch position"],
        segment_ids: Int[Tensor, "batch position"] | None = None,
        *,
        positions: Int[Tensor, " position"] | Int[Tensor, "batch position"] | None = None,
    ) -> Float[Tensor, "batch position d_model"]:
        """Taps `tokens` (the bare look-up) and `output` (the sum, normalized).

        Args:
            input_ids: one id per token.
            segment_ids: 0 for the first text and 1 for the second; all 0 when left out.
            positions: where each token stands; 0, 1, 2 … when left out.

        Raises:
            ValueError: an id or a position is out of range, or segments were given to a model without them.
        """
        try:
            summed = tap(self, "tokens", self.tokens(input_ids))
        except IndexError:  # asking beforehand would cost every step of a generation as much as a small layer
            check_ids(input_ids, self.tokens.num_embeddings)
            raise
        if self.scale != 1.0:
            summed = summed * self.scale
        if self.positions is not None:
            if positions is None:
                positions = torch.arange(input_ids.shape[1], device=input_ids.device)
            summed = summed + self.positions(positions).to(summed.dtype)  # waves are computed in float32
        if self.segments is not None:
            segment_ids = torch.zeros_like(input_ids) if segment_ids is None else segment_ids
            try:
                summed = summed + self.segments(segment_ids)
            except IndexError:
                check_ids(segment_ids, self.segments.num_embeddings, "segment_ids")
                raise
        elif segment_ids is not None:
            raise ValueError("segment_ids were given, but this model has no segments (num_segments is 0).")
        return self.projection(self.dropout(tap(self, "output", self.norm(summed))))
