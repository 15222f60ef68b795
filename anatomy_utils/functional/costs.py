"""Costs as arithmetic: parameters and cache bytes from a model's sizes. Notebook 07 teaches them."""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor


class TwoCounts(NamedTuple):
    """Parameters of two encoders, one number for each depth."""

    own: Int[Tensor, " depth"]
    shared: Int[Tensor, " depth"]


def encoder_parameters(
    depths: Int[Tensor, " depth"], rows: int, d_embedding: int, d_model: int, layer_parameters: int
) -> TwoCounts:
    """How many parameters an encoder has whose layers are its own (BERT), and one whose layers are shared (ALBERT).

    Lan et al. 2020, sections 3.1 and 4.1 (arXiv:1909.11942): narrow embeddings with one linear layer behind them, and
    one layer that is used again and again.

    Args:
        depths: numbers of layers.
        rows: of all embedding tables together: tokens, positions and segments.
        d_embedding: width of ALBERT's tables; BERT's are d_model wide.
        d_model: width of the layers.
        layer_parameters: of one layer.

    Returns:
        Both counts, with the norm behind the tables (two numbers per feature), without heads.

    >>> encoder_parameters(torch.tensor([1, 12]), 100, 2, 10, 1000).own.tolist()  # 100 · 10 + 2 · 10 and the layers
    [2020, 13020]
    >>> encoder_parameters(torch.tensor([1, 12]), 100, 2, 10, 1000).shared.tolist()  # 100 · 2 + 2 · 2, 2 · 10 + 10
    [1234, 1234]
    """
    own = rows * d_model + 2 * d_model + depths * layer_parameters
    shared = rows * d_embedding + 2 * d_embedding + d_embedding * d_model + d_model + layer_parameters
    return TwoCounts(own, torch.full_like(depths, shared))


def cache_bytes(
    lengths: Int[Tensor, " text"],
    num_layers: int,
    num_kv_heads: int,
    d_head: int,
    window: int,
    bytes_per_number: int,
) -> Int[Tensor, " text"]:
    """How many bytes the keys and values of one text take, when no layer looks back further than its window.

    Jiang et al. 2023, section 2 (arXiv:2310.06825): what has left the window is overwritten.

    Args:
        lengths: tokens so far, one number for each text.
        num_layers: of the decoder.
        num_kv_heads: heads of keys and values, as many as query heads or fewer.
        d_head: width of one head.
        window: how many positions a layer may look at.
        bytes_per_number: 4 for float32, 2 for float16 and bfloat16.

    >>> cache_bytes(torch.tensor([1, 4096, 8192]), 32, 8, 128, 4096, 2).tolist()  # Mistral 7B
    [131072, 536870912, 536870912]
    """
    per_token = 2 * num_layers * num_kv_heads * d_head * bytes_per_number  # a key and a value
    return lengths.clamp(max=window) * per_token
