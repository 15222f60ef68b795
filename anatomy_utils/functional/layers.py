"""Layers and stacks as functions of their sub-layers: what is added to what, and where the norms are.

Notebooks 03 to 09 teach them; `nn.encoder` and `nn.decoder` do the same with weights of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

Part = Callable[[Tensor], Tensor]


def post_norm(
    hidden_states: Float[Tensor, "*batch d_model"], sublayer: Part, norm: Part
) -> Float[Tensor, "*batch d_model"]:
    """norm(x + sublayer(x)): the residual connection of 2017."""
    return norm(hidden_states + sublayer(hidden_states))


def pre_norm(
    hidden_states: Float[Tensor, "*batch d_model"], sublayer: Part, norm: Part
) -> Float[Tensor, "*batch d_model"]:
    """x + sublayer(norm(x)): the residual connection of most models since."""
    return hidden_states + sublayer(norm(hidden_states))


def encoder_layer(
    hidden_states: Float[Tensor, "batch position d_model"],
    self_attention: Part,
    feed_forward: Part,
    attention_norm: Part,
    feed_forward_norm: Part,
) -> Float[Tensor, "batch position d_model"]:
    """Two sub-layers, each inside a residual connection with its norm behind it: the layer of 2017.

    Vaswani et al. 2017, section 3.1 (arXiv:1706.03762).

    >>> double, triple, same = (lambda x: 2 * x), (lambda x: 3 * x), (lambda x: x)
    >>> encoder_layer(torch.ones(1, 1, 1), double, triple, same, same).item()  # 1 + 2 is 3, and 3 + 9 is 12
    12.0
    """
    hidden_states = attention_norm(hidden_states + self_attention(hidden_states))
    return feed_forward_norm(hidden_states + feed_forward(hidden_states))


def pre_norm_layer(
    hidden_states: Float[Tensor, "batch position d_model"],
    self_attention: Part,
    feed_forward: Part,
    attention_norm: Part,
    feed_forward_norm: Part,
) -> Float[Tensor, "batch position d_model"]:
    """The same two sub-layers with the norm before each: nothing stands on the way from the input to the output.

    Xiong et al. 2020 (arXiv:2002.04745) compare the two.

    >>> double, triple, tenth, same = (lambda x: 2 * x), (lambda x: 3 * x), (lambda x: x / 10), (lambda x: x)
    >>> round(pre_norm_layer(torch.ones(1, 1, 1), double, triple, tenth, same).item(), 3)  # 1 + .2 is 1.2; + 3.6
    4.8
    """
    hidden_states = hidden_states + self_attention(attention_norm(hidden_states))
    return hidden_states + feed_forward(feed_forward_norm(hidden_states))


def decoder_layer(
    hidden_states: Float[Tensor, "batch position d_model"],
    memory: Any,
    self_attention: Part,
    cross_attention: Callable[[Tensor, Any], Tensor],
    feed_forward: Part,
    self_attention_norm: Part,
    cross_attention_norm: Part,
    feed_forward_norm: Part,
) -> Float[Tensor, "batch position d_model"]:
    """Three sub-layers, each inside a residual connection with its norm in front of it.

    Vaswani et al. 2017, section 3.1 (arXiv:1706.03762), who had the norms behind the sums; in front of the sub-layers
    they stand in most models since (Xiong et al. 2020, arXiv:2002.04745).

    Args:
        hidden_states: the text that is being written.
        memory: the encoder's output, or what cross-attention remembers of it. It is not normed here: the encoder's
            last norm has done so.
        self_attention, feed_forward: functions of hidden states.
        cross_attention: (hidden states, memory) → hidden states.
        self_attention_norm, cross_attention_norm, feed_forward_norm: one for each sub-layer.

    >>> same, double, add = (lambda x: x), (lambda x: 2 * x), (lambda x, memory: x + memory)
    >>> decoder_layer(torch.ones(1, 1, 1), 10.0, double, add, double, same, same, same).item()  # 3, then 16, then 48
    48.0
    """
    hidden_states = hidden_states + self_attention(self_attention_norm(hidden_states))
    hidden_states = hidden_states + cross_attention(cross_attention_norm(hidden_states), memory)
    return hidden_states + feed_forward(feed_forward_norm(hidden_states))


def parallel_layer(
    hidden_states: Float[Tensor, "batch position d_model"], self_attention: Part, feed_forward: Part, norm: Part
) -> Float[Tensor, "batch position d_model"]:
    """Both sub-layers read the same normed states, and both results are added: the layer of GPT-J.

    Wang and Komatsuzaki 2021 (GPT-J-6B). The feed-forward network does not wait for attention, nor see what it found.

    Args:
        hidden_states: the residual stream.
        self_attention, feed_forward: functions of normed hidden states.
        norm: one for both.

    >>> parallel_layer(torch.ones(1, 1, 1), lambda x: 2 * x, lambda x: 3 * x, lambda x: x / 10).item()  # 1 + .2 + .3
    1.5
    """
    normed = norm(hidden_states)
    return hidden_states + self_attention(normed) + feed_forward(normed)


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


class AllStates(NamedTuple):
    """What came out at the top, and what stood between the layers."""

    output: Float[Tensor, "batch position d_model"]
    all_states: Float[Tensor, "states batch position d_model"]


def run_layers(hidden_states: Float[Tensor, "batch position d_model"], layers: Sequence[Part]) -> AllStates:
    """Send hidden states through a stack of layers, and keep them all: first the input, last the output.

    >>> run_layers(torch.ones(1, 1, 1), [lambda x: 2 * x, lambda x: x + 5]).all_states.flatten().tolist()
    [1.0, 2.0, 7.0]
    """
    states = [hidden_states]
    for layer in layers:
        states.append(layer(states[-1]))
    return AllStates(states[-1], torch.stack(states))


def dropout(
    hidden_states: Float[Tensor, "*any"], uniform: Float[Tensor, "*any"], probability: float | int, training: bool
) -> Float[Tensor, "*any"]:
    """Leave each feature out with a probability while training, and enlarge the others so that the mean stays.

    Srivastava et al. 2014 (JMLR 15), enlarged in training and not shrunk in use ("inverted"), as everywhere today.

    Args:
        hidden_states: any features.
        uniform: random numbers from 0 to 1, one per feature; the feature is left out where they are below probability.
        probability: from 0 to below 1.
        training: False changes nothing.

    >>> dropout(torch.ones(4), torch.tensor([0.1, 0.4, 0.6, 0.9]), 0.5, True).tolist()
    [0.0, 0.0, 2.0, 2.0]
    """
    if not training:
        return hidden_states
    return hidden_states * (uniform >= probability) / (1 - probability)
