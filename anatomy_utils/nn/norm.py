"""Norms as modules, and where they are: after a sub-layer's sum (2017), or before the sub-layer (most since).

The place is data, not a branch: `NormPlaces` holds the norms of one residual connection. Notebook 03 teaches it.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn

from anatomy_utils.functional.layers import Part
from anatomy_utils.functional.multi_head import merge_heads, split_heads
from anatomy_utils.nn.dropout import identity


class LayerNorm(nn.Module):
    """`layer_norm` with its two learned vectors; runs torch's kernel, which the tests hold equal to the formula.

    Args:
        d_model: width of the vectors.
        epsilon: keeps a constant vector from dividing by zero.
        bias: whether there is a shift; ModernBERT has none.
    """

    bias: nn.Parameter

    def __init__(self, d_model: int, epsilon: float = 1e-5, *, bias: bool = True) -> None:
        super().__init__()
        self.shape = (d_model,)
        self.epsilon = epsilon
        self.weight = nn.Parameter(torch.ones(d_model))
        self.register_parameter("bias", nn.Parameter(torch.zeros(d_model)) if bias else None)

    def forward(self, hidden_states: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        return torch.layer_norm(hidden_states, self.shape, self.weight, self.bias, self.epsilon)

    def extra_repr(self) -> str:
        return f"{self.weight.numel()}, epsilon={self.epsilon:g}"


class RMSNorm(nn.Module):
    """`rms_norm` with its learned vector; runs torch's kernel, which the tests hold equal to the formula."""

    def __init__(self, d_model: int, epsilon: float = 1e-6) -> None:
        super().__init__()
        self.shape = (d_model,)
        self.epsilon = epsilon
        self.weight = nn.Parameter(torch.ones(d_model))

    def stretch(self) -> Float[Tensor, " d_model"]:
        """What each feature is multiplied by."""
        return self.weight

    def forward(self, hidden_states: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        return torch.rms_norm(hidden_states, self.shape, self.stretch(), self.epsilon)

    def extra_repr(self) -> str:
        return f"{self.weight.numel()}, epsilon={self.epsilon:g}"


class RMSNormOfHeads(RMSNorm):
    """RMSNorm of the queries, or keys, of all heads of a position together: one long vector, as it was projected.

    OLMo Team 2024, section 3 (arXiv:2501.00656). Qwen 3 and Gemma 3 normalize each head by itself.
    """

    def forward(
        self, vectors: Float[Tensor, "batch heads position d_head"]
    ) -> Float[Tensor, "batch heads position d_head"]:
        return split_heads(super().forward(merge_heads(vectors)), vectors.shape[1])


class NormPlaces(nn.Module):
    """The norms of one residual connection: `after(x + dropout(output(sublayer(before(x)))))`.

    Post-norm, as in the paper and BERT, gives only `after`; pre-norm gives only `before`; Gemma 2 gives `before` and
    `output`. A norm left out does nothing.
    """

    def __init__(
        self, *, before: nn.Module | None = None, output: nn.Module | None = None, after: nn.Module | None = None
    ) -> None:
        super().__init__()
        self.before = before or identity
        self.output = output or identity
        self.after = after or identity

    @property
    def placement(self) -> str:
        """`"pre_norm"` or `"post_norm"`; empty for every other arrangement."""
        before, output, after = (isinstance(norm, nn.Module) for norm in (self.before, self.output, self.after))
        return {(True, False, False): "pre_norm", (False, False, True): "post_norm"}.get((before, output, after), "")

    def around(
        self, hidden_states: Float[Tensor, "*batch d_model"], sublayer: Part, dropout: Part
    ) -> Float[Tensor, "*batch d_model"]:
        """The residual connection: what the sub-layer makes of the hidden states is added to them.

        Args:
            hidden_states: the residual stream.
            sublayer: attention or a feed-forward network, as a function of its (normalized) input.
            dropout: applied to what it gives, before the sum.

        >>> NormPlaces().around(torch.tensor([1.0]), lambda x: 2 * x, lambda x: x / 2)
        tensor([2.])
        """
        return self.after(hidden_states + dropout(self.output(sublayer(self.before(hidden_states)))))
