"""Layer normalization: every position's vector is brought to mean 0 and variance 1, then stretched and shifted.

It sits beside every residual connection of a Transformer: after it in 2017 (post-norm), before the sub-layer in most
models since (pre-norm). Where it stands is data, not a branch: `Norms` holds the norms of one residual connection.
Notebook 03 teaches it. Published checkpoints disagree on epsilon (torch's default is 1e-5, BERT's 1e-12), and most
recent ones leave out mean and shift (RMSNorm).
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn

from anatomy_utils.nn.dropout import unchanged


def layer_norm(
    hidden_states: Float[Tensor, "*batch d_model"],
    weight: Float[Tensor, " d_model"],
    bias: Float[Tensor, " d_model"],
    epsilon: float = 1e-5,
) -> Float[Tensor, "*batch d_model"]:
    """Normalize each vector over its own features: (x − mean) / √(variance + ε) · weight + bias.

    Ba, Kiros and Hinton 2016 (arXiv:1607.06450). The variance divides by d_model, not by d_model − 1.

    Args:
        hidden_states: the vectors to normalize.
        weight: the learned stretch of each feature (γ).
        bias: the learned shift of each feature (β).
        epsilon: keeps a constant vector from dividing by zero.

    Returns:
        Vectors whose features have mean 0 and variance 1 before stretch and shift.

    >>> layer_norm(torch.tensor([[1.0, 3.0]]), torch.ones(2), torch.zeros(2), epsilon=0.0).tolist()
    [[-1.0, 1.0]]
    """
    mean = hidden_states.mean(dim=-1, keepdim=True)
    variance = (hidden_states - mean).square().mean(dim=-1, keepdim=True)
    return (hidden_states - mean) / (variance + epsilon).sqrt() * weight + bias


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


def rms_norm(
    hidden_states: Float[Tensor, "*batch d_model"], weight: Float[Tensor, " d_model"], epsilon: float = 1e-6
) -> Float[Tensor, "*batch d_model"]:
    """Divide each vector by its root mean square: x / √(mean(x²) + ε) · weight. No mean is taken off, nothing is added.

    Zhang and Sennrich 2019 (arXiv:1910.07467). The mean is taken in float32, whatever the vectors are stored in.

    >>> rms_norm(torch.tensor([[3.0, 3.0, 3.0, 3.0]]), torch.ones(4), epsilon=0.0).tolist()
    [[1.0, 1.0, 1.0, 1.0]]
    """
    wide = hidden_states.float()
    return (wide * (wide.square().mean(dim=-1, keepdim=True) + epsilon).rsqrt()).to(hidden_states.dtype) * weight


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


class Norms(nn.Module):
    """The norms of one residual connection: `after(x + output(sublayer(before(x))))`.

    Post-norm, as in the paper and BERT, gives only `after`; pre-norm gives only `before`; Gemma 2 gives `before` and
    `output`. A norm left out does nothing.
    """

    def __init__(
        self, *, before: nn.Module | None = None, output: nn.Module | None = None, after: nn.Module | None = None
    ) -> None:
        super().__init__()
        self.before = before or unchanged
        self.output = output or unchanged
        self.after = after or unchanged
