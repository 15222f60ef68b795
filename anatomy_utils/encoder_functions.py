"""An encoder's parts as functions of plain matrices: what its modules do, written out.

Notebook 03 teaches these functions; `EncoderLayer`, `Embeddings` and the heads of `heads.py` do the same with weights
of their own. What only one residual connection, norm or feed-forward network does stands with its organ (`transplant`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

Part = Callable[[Tensor], Tensor]
"""Anything that takes hidden states and gives hidden states of the same shape: a sub-layer, a norm, a layer."""


def embed(
    input_ids: Int[Tensor, "batch position"],
    segment_ids: Int[Tensor, "batch position"],
    token_table: Float[Tensor, "vocab_size d_model"],
    position_table: Float[Tensor, "max_positions d_model"],
    segment_table: Float[Tensor, "segments d_model"],
) -> Float[Tensor, "batch position d_model"]:
    """The sum of what the token, its position and its segment stand for: Devlin et al. 2019, figure 2.

    arXiv:1810.04805. BERT normalizes this sum; that is the next organ's work.

    >>> ids, segments, table = torch.tensor([[1, 1]]), torch.tensor([[0, 1]]), torch.tensor([[0.0], [1.0]])
    >>> embed(ids, segments, table, 10 * table, 100 * table).tolist()
    [[[1.0], [111.0]]]
    """
    return embed_words(input_ids, token_table, position_table) + segment_table[segment_ids]


def embed_words(
    input_ids: Int[Tensor, "batch position"],
    token_table: Float[Tensor, "vocab_size d_model"],
    position_table: Float[Tensor, "max_positions d_model"],
) -> Float[Tensor, "batch position d_model"]:
    """Token vector + position vector, for models without segments.

    >>> table = torch.tensor([[0.0], [1.0]])
    >>> embed_words(torch.tensor([[1, 1]]), table, 10 * table).tolist()
    [[[1.0], [11.0]]]
    """
    return token_table[input_ids] + position_table[: input_ids.shape[1]]


def offset_bias(table: Float[Tensor, "heads offset"], length: int) -> Float[Tensor, "heads length length"]:
    """What each head adds to the score of each pair: a number that depends on the offset alone.

    The idea of Shaw et al. 2018 (arXiv:1803.02155), with one number per head and offset as in T5 (Raffel et al. 2020,
    arXiv:1910.10683); T5 puts far offsets into common buckets, here all beyond the table's ends share the last one.

    Args:
        table: one row per head; its columns stand for the offsets (key − query) from −farthest to farthest.
        length: of the text.

    >>> offset_bias(torch.tensor([[-1.0, 0.0, 5.0]]), 3).tolist()
    [[[0.0, 5.0, 5.0], [-1.0, 0.0, 5.0], [-1.0, -1.0, 0.0]]]
    """
    positions = torch.arange(length, device=table.device)
    offsets = positions[None, :] - positions[:, None]  # query key
    farthest = table.shape[1] // 2
    return table[:, offsets.clamp(-farthest, farthest) + farthest]


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


def classify(
    hidden_states: Float[Tensor, "batch position d_model"],
    attention_mask: Int[Tensor, "batch position"],
    weight: Float[Tensor, "d_model num_labels"],
    bias: Float[Tensor, " num_labels"],
) -> Float[Tensor, "batch num_labels"]:
    """One logit per label for each text, from the mean of its words' vectors; padding has no say.

    MiniLM makes its sentence vectors by the same mean (Reimers and Gurevych 2019, arXiv:1908.10084); BERT reads the
    first position's vector instead (`heads.SequenceHead`).

    >>> states, mask = torch.tensor([[[1.0], [3.0], [100.0]]]), torch.tensor([[1, 1, 0]])
    >>> classify(states, mask, torch.tensor([[1.0, -1.0]]), torch.tensor([0.0, 0.5])).tolist()
    [[2.0, -1.5]]
    """
    real = attention_mask[..., None].to(hidden_states.dtype)
    mean = (hidden_states * real).sum(dim=1) / real.sum(dim=1)
    return mean @ weight + bias
