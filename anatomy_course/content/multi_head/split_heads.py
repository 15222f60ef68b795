"""Notebook 02: splitting vectors of width d_model into heads."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from anatomy_course.content.multi_head import shared  # noqa: F401 (variants use it)
from anatomy_course.content.multi_head.shared import head_sizes
from anatomy_course.content.sizes import normal
from anatomy_course.judge.definition import Case
from anatomy_course.judge.form import written


def split_heads(vectors: Tensor, num_heads: int) -> Tensor:
    """(batch, position, d_model) → (batch, heads, position, d_head); head 0 has the first d_head features."""
    batch, position, d_model = vectors.shape
    heads = vectors.view(batch, position, num_heads, d_model // num_heads)
    return heads.transpose(1, 2)


def _whole_vectors(generator: torch.Generator) -> Iterator[Case]:
    whole = {"batch": 3, "position": 2, "heads": 1, "d_head": 5}
    for kind, sizes in (*head_sizes(generator), ("a single head", whole)):
        shape = (sizes["batch"], sizes["position"], sizes["heads"] * sizes["d_head"])
        arguments = {"vectors": normal(generator, *shape), "num_heads": sizes["heads"]}
        yield Case(arguments, kind, sizes)


def _cut(vectors: Tensor, num_heads: int) -> Tensor:
    """The right cut, before any axes change places."""
    return vectors.reshape(*vectors.shape[:2], num_heads, -1)


EXERCISE = written(
    split_heads,
    same_as="anatomy_utils.functional.multi_head.split_heads",
    title="Split into heads",
    task="Cut each vector into num_heads pieces of equal width, and put the heads before the positions.",
    level="medium, 5 minutes",
    returns="heads: heads position d_head",
    cases=_whole_vectors,
    stages="vectors, cut: _cut(vectors, num_heads)",
    mistakes="""
    view_alone: shared.split_scrambled(vectors, num_heads)
        “Your shape is right, but you have cut the sentence instead of the vectors: the first head has all of the first
        words, the last head all of the last ones.”
    not_moved: _cut(vectors, num_heads)
        “Each vector is cut correctly, but the heads still come after the positions.”
    interleaved: shared.split_interleaved(vectors, num_heads)
        “The axes are right, but each head takes one feature here and one there: its features are num_heads apart, and
        should be neighbors.”
    on_their_side: _cut(vectors, num_heads).permute(0, 2, 3, 1)
        “The heads are right, but each lies on its side: one row per feature and one column per position.”
    before_the_batch: _cut(vectors, num_heads).permute(2, 0, 1, 3)
        “The heads are right, but they come before the batch.”
    turned_first: vectors.transpose(1, 2).reshape(len(vectors), num_heads, vectors.shape[1], -1)
        “Each head has the right features, but inside a head they are read feature by feature and cut into rows: a row
        no longer belongs to one position.”
    swapped_sizes: vectors.reshape(*vectors.shape[:2], -1, num_heads).transpose(1, 2)
        “num_heads and d_head have changed places: your heads are num_heads wide.”
    everything_to_everyone: vectors[:, None].expand(-1, num_heads, -1, -1)
        “The heads are in the right place, but each of them has the whole vector.”
    """,
    also_right="""
    view and transpose:
        return vectors.view(vectors.shape[0], vectors.shape[1], num_heads, vectors.shape[2] // num_heads).transpose(
            1, 2
        )
    unflatten and permute: vectors.unflatten(-1, (num_heads, -1)).permute(0, 2, 1, 3)
    chunks, stacked: torch.stack(vectors.chunk(num_heads, dim=-1), dim=1)
    head by head:
        d_head = vectors.shape[-1] // num_heads
        return torch.stack([vectors[..., h * d_head : (h + 1) * d_head] for h in range(num_heads)], dim=1)
    einsum: torch.einsum("bphd->bhpd", _cut(vectors, num_heads)).contiguous()
    """,
    hints="""
    - Two steps. First the last axis, d_model, becomes two axes. Then two axes change places.
    - `vectors.unflatten(-1, (num_heads, -1))` (or a `view`) makes (batch, position, heads, d_head). Which two axes must
      change places now?
    - `.transpose(1, 2)` moves the heads before the positions. A `view` straight to the last shape would keep the
      numbers in their old order.
    """,
    explanation="""
    `view` reads the same numbers in the same order under another shape; `transpose` changes which axis comes first.
    Cutting the last axis needs only the first, moving the heads needs the second.
    """,
)
