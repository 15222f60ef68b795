"""The position-wise feed-forward network as a function of plain matrices, and its activations.

Notebook 03 teaches the first, notebook 05 the gated one; `nn.feed_forward` has the modules.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

Activation = Callable[[Tensor], Tensor]


def gelu_tanh(values: Tensor) -> Tensor:
    """The tanh approximation of GELU, as GPT-2 was trained with; within 1e-3 of the exact one."""
    return F.gelu(values, approximate="tanh")


def clipped_gate(
    gate: Float[Tensor, "*batch d_ff"], expanded: Float[Tensor, "*batch d_ff"], *, slope: float, limit: float
) -> Float[Tensor, "*batch d_ff"]:
    """gate · σ(slope · gate) · (expanded + 1), where gate is at most `limit`, and expanded at most that far from 0.

    OpenAI 2025, section 2.2 (arXiv:2508.10925); with a slope of 1.702 the first two factors are nearly GELU.
    """
    gate, expanded = gate.clamp(max=limit), expanded.clamp(-limit, limit)
    return gate * (slope * gate).sigmoid() * (expanded + 1)


def quick_gelu(values: Tensor) -> Tensor:
    """x · σ(1.702 x), an early approximation of GELU that CLIP was trained with; within 0.021 of the exact one."""
    return values * torch.sigmoid(1.702 * values)


def feed_forward(
    hidden_states: Float[Tensor, "*batch d_model"],
    expand_weight: Float[Tensor, "d_model d_ff"],
    expand_bias: Float[Tensor, " d_ff"],
    contract_weight: Float[Tensor, "d_ff d_model"],
    contract_bias: Float[Tensor, " d_model"],
    activation: Activation,
) -> Float[Tensor, "*batch d_model"]:
    """activation(x W₁ + b₁) W₂ + b₂: Vaswani et al. 2017, equation 2 (arXiv:1706.03762)."""
    return activation(hidden_states @ expand_weight + expand_bias) @ contract_weight + contract_bias


def gated_feed_forward(
    hidden_states: Float[Tensor, "*batch d_in"],
    gate_weight: Float[Tensor, "d_in d_ff"],
    expand_weight: Float[Tensor, "d_in d_ff"],
    contract_weight: Float[Tensor, "d_ff d_model"],
    activation: Activation,
) -> Float[Tensor, "*batch d_model"]:
    """(activation(x W_gate) · x W₁) W₂: Shazeer 2020 (arXiv:2002.05202)."""
    return (activation(hidden_states @ gate_weight) * (hidden_states @ expand_weight)) @ contract_weight
