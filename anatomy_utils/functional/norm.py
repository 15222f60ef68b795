"""Normalization: every position's vector is brought to one scale, then stretched and shifted.

Notebook 03 teaches `layer_norm`, notebook 05 `rms_norm`; `nn.norm` has the modules. Published checkpoints disagree on
epsilon (torch's default is 1e-5, BERT's 1e-12), and most recent ones leave out mean and shift.
"""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor


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

    >>> import torch
    >>> layer_norm(torch.tensor([[1.0, 3.0]]), torch.ones(2), torch.zeros(2), epsilon=0.0).tolist()
    [[-1.0, 1.0]]
    """
    mean = hidden_states.mean(dim=-1, keepdim=True)
    variance = (hidden_states - mean).square().mean(dim=-1, keepdim=True)
    return (hidden_states - mean) / (variance + epsilon).sqrt() * weight + bias


def rms_norm(
    hidden_states: Float[Tensor, "*batch d_model"], weight: Float[Tensor, " d_model"], epsilon: float = 1e-6
) -> Float[Tensor, "*batch d_model"]:
    """Divide each vector by its root mean square: x / √(mean(x²) + ε) · weight. No mean is taken off, nothing is added.

    Zhang and Sennrich 2019 (arXiv:1910.07467). The mean is taken in float32, whatever the vectors are stored in.

    >>> import torch
    >>> rms_norm(torch.tensor([[3.0, 3.0, 3.0, 3.0]]), torch.ones(4), epsilon=0.0).tolist()
    [[1.0, 1.0, 1.0, 1.0]]
    """
    wide = hidden_states.float()
    return (wide * (wide.square().mean(dim=-1, keepdim=True) + epsilon).rsqrt()).to(hidden_states.dtype) * weight
