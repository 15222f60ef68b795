"""Prefix LM: the first part of a text may be read in both directions, the rest is written token by token.

One stack does what an encoder and a decoder do together; only the mask says where reading ends and writing begins.
Raffel et al. 2020, section 3.2.1 (arXiv:1910.10683); Dong et al. 2019 (UniLM, arXiv:1905.03197). A prefix of length 0
leaves plain next-token prediction (`training.next_token_pair`). Notebook 07.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Bool, Int
from torch import Tensor, nn

from anatomy_utils.functional.masks import causal
from anatomy_utils.training.losses import IGNORE
from anatomy_utils.training.teacher_forcing import next_token_pair


class PrefixLmBatch(NamedTuple):
    """What the model reads, what it should say next where it writes, and who may attend to whom."""

    input_ids: Int[Tensor, "batch shorter"]
    labels: Int[Tensor, "batch shorter"]
    mask: Bool[Tensor, "batch 1 query key"]


def prefix_mask(prefix_lengths: Int[Tensor, " batch"], length: int) -> Bool[Tensor, "batch 1 query key"]:
    """All may attend to the whole prefix; after it, to what came before.

    Args:
        prefix_lengths: the number of tokens of each text that belong to its prefix, 0 or more.
        length: the number of positions.

    >>> prefix_mask(torch.tensor([2]), 4)[0, 0].int().tolist()
    [[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]
    """
    key = torch.arange(length, device=prefix_lengths.device)
    in_prefix = key < prefix_lengths[:, None]  # batch key
    return causal(length, device=prefix_lengths.device) | in_prefix[:, None, None, :]


class PrefixMask(nn.Module):
    """`prefix_mask` as a part of a model, so that it has a place where another version can stand in for it."""

    def forward(self, prefix_lengths: Int[Tensor, " batch"], length: int) -> Bool[Tensor, "batch 1 query key"]:
        """See `prefix_mask`."""
        return prefix_mask(prefix_lengths, length)


def prefix_lm_batch(
    input_ids: Int[Tensor, "batch position"],
    prefix_lengths: Int[Tensor, " batch"],
    attention_mask: Int[Tensor, "batch position"] | None = None,
) -> PrefixLmBatch:
    """Texts to be continued after their prefix.

    Args:
        input_ids: the texts, at least two positions.
        prefix_lengths: how many tokens of each are its prefix, which is given and not asked for.
        attention_mask: 1 = real token, 0 = padding at the end; all real when left out.

    Returns:
        The texts without their last position; as labels the token that follows, where it lies behind the prefix; and
        the mask, to be joined with the padding's.

    Raises:
        ValueError: a prefix is negative, or leaves nothing to write.

    >>> example = prefix_lm_batch(torch.tensor([[5, 6, 7, 8]]), torch.tensor([2]))
    >>> example.input_ids.tolist(), example.labels.tolist()  # the 6 stands in the prefix: nobody asks for it
    ([[5, 6, 7]], [[-100, 7, 8]])
    """
    inputs, labels = next_token_pair(input_ids, attention_mask)
    length = input_ids.shape[1]
    if prefix_lengths.min() < 0 or prefix_lengths.max() >= length:
        given = f"prefix_lengths go from {prefix_lengths.min().item()} to {prefix_lengths.max().item()}"
        raise ValueError(f"{given}, but texts of {length} tokens can have a prefix of 0 to {length - 1}.")
    next_position = torch.arange(1, length, device=input_ids.device)
    given_already = next_position < prefix_lengths[:, None]  # batch shorter
    return PrefixLmBatch(inputs, labels.masked_fill(given_already, IGNORE), prefix_mask(prefix_lengths, length - 1))
