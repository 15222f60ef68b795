"""What the capstone adds to the organs: where two runs part for the first time, and a layer put together from parts.

Notebook 07 teaches these functions.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor

Part = Callable[[Tensor], Tensor]


def first_difference(
    yours: Float[Tensor, "layer batch position d_model"],
    theirs: Float[Tensor, "layer batch position d_model"],
    attention_mask: Int[Tensor, "batch position"],
    tolerance: float | int,
) -> Int[Tensor, ""]:
    """The first layer in which two runs of a model differ.

    A difference travels upwards, so layers above the first one say where it went, not where it came from. That is how
    implementations are compared with published ones: layer by layer, from below.

    Args:
        yours, theirs: hidden states behind each layer, the lowest first.
        attention_mask: 1 = real token, 0 = padding; what stands there has no meaning.
        tolerance: how far a single number may be off.

    Returns:
        The layer's number, counted from 0; −1 when no number of a real position is further off. NaN always is.

    >>> theirs = torch.zeros(3, 1, 2, 1)  # three layers, a text of one word and one padding token
    >>> yours = torch.tensor([[0.0, 9.0], [-0.5, 9.0], [2.0, 9.0]])[:, None, :, None]
    >>> first_difference(yours, theirs, torch.tensor([[1, 0]]), 0.1).item()
    1
    """
    agrees = (yours - theirs).abs() <= tolerance  # not `>`: NaN compares as False with everything
    rejected = ~agrees.all(dim=-1) & (attention_mask == 1)  # layer batch position
    layers = rejected.flatten(1).any(dim=1).nonzero()[:, 0]
    return layers[0] if len(layers) else torch.tensor(-1)


def llama_layer(
    hidden_states: Float[Tensor, "batch position d_model"],
    attention_norm: Part,
    project: Callable[[Tensor], tuple[Tensor, Tensor, Tensor]],
    rotate: Part,
    attend: Callable[[Tensor, Tensor, Tensor], Tensor],
    merge_heads: Part,
    to_output: Part,
    feed_forward_norm: Part,
    feed_forward: Part,
) -> Float[Tensor, "batch position d_model"]:
    """A whole layer of a Llama: turned queries and keys, a norm in front of both sub-layers, two residuals.

    Touvron et al. 2023, section 2.2 (arXiv:2302.13971); the rotation is Su et al. 2021 (arXiv:2104.09864).

    Args:
        hidden_states: the residual stream.
        attention_norm, feed_forward_norm: in front of the sub-layers.
        project: normed states → query, key and value, (batch, heads, position, d_head) each.
        rotate: turns the vectors of one of the three by their positions.
        attend: causal attention, (query, key, value) → context of the query's shape.
        merge_heads: context → (batch, position, heads · d_head).
        to_output: the last projection, back to d_model.
        feed_forward: works on each position by itself.

    >>> x, one = torch.ones(1, 1, 1), lambda states: (states[:, None],) * 3
    >>> half, double, merge = lambda x: x / 2, lambda x: 2 * x, lambda x: x[:, 0]
    >>> llama_layer(x, half, one, double, lambda q, k, v: q * k * v, merge, double, half, double).item()
    4.0
    """
    query, key, value = project(attention_norm(hidden_states))
    context = attend(rotate(query), rotate(key), value)
    hidden_states = hidden_states + to_output(merge_heads(context))
    return hidden_states + feed_forward(feed_forward_norm(hidden_states))
