"""The case of notebook 01: attention whose output is almost right.

Its rows sum to 1, its favorites are the right ones, its picture looks fine. Only numbers tell: the longer the
sentence, the more even the weights become. `symptoms_of_attention_scale` shows them next to ours, for tests that the
learner chooses.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from anatomy_course.page.page import CellOutput, table
from anatomy_utils.functional.attention import scaled_dot_product_attention

Attention = Callable[[Tensor, Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]
SERIES: dict[str, dict[int, str]] = {
    "longer sentences": {8: "8 words", 32: "32 words", 128: "128 words", 512: "512 words"},
    "wider heads": {8: "d_head 8", 32: "d_head 32", 128: "d_head 128", 512: "d_head 512"},
    "larger scores": {1: "as they are", 2: "2 times", 4: "4 times", 8: "8 times"},
}
"""What can be changed, one thing at a time → its values, in words."""


def almost_right_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """The colleague's attention. Returns (context, weights), as `scaled_dot_product_attention` does."""
    scores = query @ key.transpose(-2, -1) / key.shape[-2] ** 0.5
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1).masked_fill(~mask, 0.0)
    return weights @ value, weights


def symptoms_of_attention_scale(
    *chosen: str, function: Attention = almost_right_attention, d_head: int = 32
) -> CellOutput:
    """An attention beside ours on random sentences, in series in which one thing changes at a time.

    Args:
        chosen: two of `SERIES`, as a test costs something.
        function: the attention; the colleague's when left out.
        d_head: width of queries, keys and values, where it is not what changes.

    Returns:
        A table: what rows sum to, how often both favor the same key, and how large the largest weight is on average.

    Raises:
        ValueError: not two series, or one that does not exist.
    """
    if len(chosen) != 2 or not set(chosen) <= set(SERIES):
        raise ValueError(f"You chose {', '.join(map(repr, chosen)) or 'nothing'}; choose two of {', '.join(SERIES)}.")
    rows = []
    for name in chosen:
        for value in SERIES[name]:
            generator = torch.Generator().manual_seed(0)
            length = value if name == "longer sentences" else 32
            width = value if name == "wider heads" else d_head
            query, key, content = torch.randn(3, length, width, generator=generator)
            query = query * (value if name == "larger scores" else 1)
            ours = scaled_dot_product_attention(query, key, content).weights
            theirs = function(query, key, content, torch.ones(length, length, dtype=torch.bool))[1]
            same = int((ours.argmax(-1) == theirs.argmax(-1)).sum())
            rows.append(
                (
                    f"{name}: {SERIES[name][value]}",
                    f"{float(theirs.sum(-1).mean()):.2f}",
                    f"{same} of {length}",
                    f"{float(ours.amax(-1).mean()):.2f}",
                    f"{float(theirs.amax(-1).mean()):.2f}",
                )
            )
    head = ("", "row sum", "same favorite", "largest weight, ours", "largest weight, theirs")
    return table(f"{d_head} words and d_head = {d_head}, where nothing else is said", head, rows)
