"""The position-wise feed-forward network: the same two layers applied to every position by itself.

It follows attention in every block and holds most of a block's parameters. Notebook 03 teaches it. Published
checkpoints disagree on the activation: ReLU in 2017, the exact (erf) GELU in BERT, its tanh approximation in GPT-2.
"""

from __future__ import annotations

from collections.abc import Callable

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_utils.tap import tap

Activation = Callable[[Tensor], Tensor]


class FeedForward(nn.Module):
    """FFN(x) = activation(x W₁ + b₁) W₂ + b₂, at each position separately.

    Vaswani et al. 2017, section 3.3 (arXiv:1706.03762).

    Args:
        d_model: width of the vectors that come in and go out.
        d_ff: width in between; 4 × d_model in the paper.
        activation: any element-wise function; `torch.nn.functional.relu` in the paper.
        dropout: probability of dropping a hidden feature while training.
    """

    def __init__(self, d_model: int, d_ff: int, *, activation: Activation = F.relu, dropout: float = 0.0) -> None:
        super().__init__()
        self.expand = nn.Linear(d_model, d_ff)
        self.contract = nn.Linear(d_ff, d_model)
        self.activation = activation
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, hidden_states: Float[Tensor, "batch position d_model"]
    ) -> Float[Tensor, "batch position d_model"]:
        """Taps `hidden`: (batch, position, d_ff), what is between the two layers."""
        hidden = tap(self, "hidden", self.activation(self.expand(hidden_states)))
        return self.contract(self.dropout(hidden))
