"""The position-wise feed-forward network: the same two layers applied to every position by itself.

It follows attention in every block and holds most of a block's parameters. Notebook 03 teaches it. Published
checkpoints disagree on the activation: ReLU in 2017, the exact (erf) GELU in BERT, its tanh approximation in GPT-2,
and a gate beside it in T5 1.1 (GELU) and Llama (SiLU).
"""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_utils.functional.feed_forward import Activation
from anatomy_utils.nn.dropout import dropout_or_nothing
from anatomy_utils.tap import tap


class FeedForward(nn.Module):
    """FFN(x) = activation(x W₁ + b₁) W₂ + b₂, at each position separately.

    Vaswani et al. 2017, section 3.3 (arXiv:1706.03762).

    Args:
        d_model: width of the vectors that come in and go out.
        d_ff: width in between; 4 × d_model in the paper.
        activation: any element-wise function; `torch.nn.functional.relu` in the paper.
        bias: whether the two layers add a bias.
        dropout: probability of dropping a hidden feature while training.
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        activation: Activation = F.relu,
        bias: bool = True,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.expand = nn.Linear(d_model, d_ff, bias=bias)
        self.contract = nn.Linear(d_ff, d_model, bias=bias)
        self.activation = activation
        self.dropout = dropout_or_nothing(dropout)

    def forward(
        self, hidden_states: Float[Tensor, "batch position d_model"]
    ) -> Float[Tensor, "batch position d_model"]:
        """Taps `hidden`: (batch, position, d_ff), what is between the two layers."""
        hidden = tap(self, "hidden", self.activation(self.expand(hidden_states)))
        return self.contract(self.dropout(hidden))


class GatedFeedForward(nn.Module):
    """GLU(x) = (activation(x W_gate) · x W₁) W₂: one projection decides how much of the other passes.

    Shazeer 2020 (arXiv:2002.05202). With SiLU it is called SwiGLU (Llama), with GELU GEGLU (T5 1.1).

    Args:
        d_model: width of the vectors that come in and go out.
        d_ff: width in between.
        activation: applied to the gate.
        bias: whether the three layers add a bias.
        dropout: probability of dropping a hidden feature while training.
    """

    def __init__(
        self, d_model: int, d_ff: int, *, activation: Activation = F.silu, bias: bool = False, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=bias)
        self.expand = nn.Linear(d_model, d_ff, bias=bias)
        self.contract = nn.Linear(d_ff, d_model, bias=bias)
        self.activation = activation
        self.dropout = dropout_or_nothing(dropout)

    def forward(
        self, hidden_states: Float[Tensor, "batch position d_model"]
    ) -> Float[Tensor, "batch position d_model"]:
        """Taps `gate` (after the activation) and `hidden` (the gated product): (batch, position, d_ff)."""
        gate = tap(self, "gate", self.activation(self.gate(hidden_states)))
        hidden = tap(self, "hidden", gate * self.expand(hidden_states))
        return self.contract(self.dropout(hidden))
