"""Our own version of the organs that stand inside a module elsewhere, as functions with the learner's signature."""

from __future__ import annotations

from collections.abc import Callable

from jaxtyping import Float
from torch import Tensor

from anatomy_utils.feed_forward import Activation
from anatomy_utils.positions import Rotation

SubLayer = Callable[[Tensor], Tensor]


def rotary(
    vectors: Float[Tensor, "batch heads position d_head"],
    cosines: Float[Tensor, "*any position d_head"],
    sines: Float[Tensor, "*any position d_head"],
) -> Float[Tensor, "batch heads position d_head"]:
    """Turn features i and i + d_head/2 of each vector by its position's angle.

    Su et al. 2021 (arXiv:2104.09864), paired as in Llama.
    """
    return Rotation(cosines, sines, "halves")(vectors)


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


def post_norm(
    hidden_states: Float[Tensor, "*batch d_model"], sublayer: SubLayer, norm: SubLayer
) -> Float[Tensor, "*batch d_model"]:
    """norm(x + sublayer(x)): the residual connection of 2017."""
    return norm(hidden_states + sublayer(hidden_states))


def pre_norm(
    hidden_states: Float[Tensor, "*batch d_model"], sublayer: SubLayer, norm: SubLayer
) -> Float[Tensor, "*batch d_model"]:
    """x + sublayer(norm(x)): the residual connection of most models since."""
    return hidden_states + sublayer(norm(hidden_states))
