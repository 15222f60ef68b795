"""The case of notebook 01: attention whose output is almost right.

Its rows sum to 1, its favorites are the right ones, its picture looks fine. Only numbers tell: the longer the
sentence, the more even the weights become. `symptoms_of_attention_scale` shows them next to ours.
"""

from __future__ import annotations

import torch
from torch import Tensor

from anatomy_course.page.page import CellOutput, table
from anatomy_utils.functional.attention import scaled_dot_product_attention


def almost_right_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    """The colleague's attention. Returns (context, weights), as `scaled_dot_product_attention` does."""
    weights = (query @ key.transpose(-2, -1) / key.shape[-2] ** 0.5).softmax(dim=-1)
    return weights @ value, weights


def symptoms_of_attention_scale(
    d_head: int = 16, *, lengths: tuple[int, ...] | None = None, seed: int = 0
) -> CellOutput:
    """Both attentions, ours and the colleague's, on the same random sentences of growing length.

    Args:
        d_head: width of queries, keys and values.
        lengths: how many words the sentences have; d_head / 4, d_head, 4 · d_head and 16 · d_head when left out.
        seed: of the random queries, keys and values.

    Returns:
        A table: what rows sum to, how often both favor the same key, and how large the largest weight is on average.
    """
    generator = torch.Generator().manual_seed(seed)
    rows = []
    for length in lengths or (d_head // 4, d_head, 4 * d_head, 16 * d_head):
        query, key, value = torch.randn(3, length, d_head, generator=generator)
        ours = scaled_dot_product_attention(query, key, value).weights
        theirs = almost_right_attention(query, key, value)[1]
        same = int((ours.argmax(-1) == theirs.argmax(-1)).sum())
        rows.append(
            (
                str(length),
                f"{float(theirs.sum(-1).mean()):.2f}",
                f"{same} of {length}",
                f"{float(ours.amax(-1).mean()):.2f}",
                f"{float(theirs.amax(-1).mean()):.2f}",
            )
        )
    head = ("words", "row sum", "same favorite", "largest weight, ours", "largest weight, theirs")
    return table(f"d_head = {d_head} throughout", head, rows)
