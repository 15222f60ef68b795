"""Embeddings: from token ids to the vectors that a Transformer works on.

The very first part of every model. Notebook 01 teaches the look-up, notebook 03 the sum of token, position and segment;
`nn.embeddings` is the module.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor


def lookup(
    table: Float[Tensor, "vocab_size d_model"], input_ids: Int[Tensor, "*batch"]
) -> Float[Tensor, "*batch d_model"]:
    """The rows of `table` that the ids name.

    Args:
        table: one row per entry of the vocabulary.
        input_ids: whole numbers from 0 to vocab_size − 1.

    Returns:
        One vector per id; equal ids get equal vectors, wherever they stand.

    Raises:
        ValueError: an id has no row.

    >>> lookup(torch.tensor([[0.0, 0.5], [1.0, 1.5]]), torch.tensor([1, 0, 1])).tolist()
    [[1.0, 1.5], [0.0, 0.5], [1.0, 1.5]]
    """
    check_ids(input_ids, len(table))
    return table[input_ids]


def check_ids(ids: Int[Tensor, "*batch"], rows: int, name: str = "input_ids") -> None:
    """Raise one clear sentence when an id has no row in a table, instead of a kernel's IndexError."""
    if ids.numel() == 0:
        return
    low, high = (int(end) for end in torch.aminmax(ids))
    if low < 0 or high >= rows:
        table, cure = ("vocabulary", "use the tokenizer that belongs to the model")
        if name != "input_ids":
            table, cure = "table", "give each token one of its rows"
        raise ValueError(f"{name} run from {low} to {high}, but this {table}'s ids run from 0 to {rows - 1}; {cure}.")


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


def image_patches(
    images: Float[Tensor, "batch channel height width"], size: int
) -> Float[Tensor, "batch patch numbers"]:
    """Cut images into squares, row by row, and lay the numbers of each square side by side: channel, row, column.

    Dosovitskiy et al. 2021, section 3.1 (arXiv:2010.11929).

    Args:
        images: one number per channel and pixel.
        size: of a square, in pixels; divides height and width.

    >>> image_patches(torch.arange(8.0).view(1, 1, 2, 4), 2).tolist()  # of the rows 0 1 2 3 and 4 5 6 7
    [[[0.0, 1.0, 4.0, 5.0], [2.0, 3.0, 6.0, 7.0]]]
    """
    squares = images.unflatten(-1, (-1, size)).unflatten(-3, (-1, size))  # batch channel down size across size
    return squares.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)
