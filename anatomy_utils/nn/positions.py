"""Positions: how a model that sees a set of vectors is told their order.

Attention alone gives the same answer for any order of its inputs (notebook 01 shows it), so something must mark where
each token stands. Three kinds of object do it, and notebook 04 compares them:

- **added** to the token's vector before the first layer: `LearnedPositions`, `SinusoidalPositions`;
- **rotating** queries and keys inside every attention: `RotaryPositions`;
- **added to the scores**: from the offset alone (`T5Bias`, `AlibiBias`), or from what queries and keys hold as well
  (`ShawPositions`, `TransformerXLPositions`, `DisentangledPositions` in `relative_positions.py`).

Published checkpoints disagree: RoBERTa's table starts at row 2, BART's positions are shifted by 2, GPT-J rotates
neighboring features where Llama rotates halves.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from anatomy_utils.functional.positions import (
    Layout,
    Rotation,
    Yarn,
    alibi_slopes,
    frequencies,
    sinusoids,
    t5_bucket,
    yarn_frequencies,
)


class LearnedPositions(nn.Module):
    """One learned vector per position, to be added to the token's vector.

    Gehring et al. 2017 (arXiv:1705.03122), section 3.1; BERT and GPT use it.

    Args:
        max_positions: how many positions a text may have; beyond them the model has nothing to say.
        d_model: width of the vectors.
        offset: unused rows at the head of the table: 2 in RoBERTa and BART, whose first rows were padding's.
    """

    def __init__(self, max_positions: int, d_model: int, *, offset: int = 0) -> None:
        super().__init__()
        self.max_positions = max_positions
        self.offset = offset
        self.table = nn.Embedding(max_positions + offset, d_model)

    def forward(self, positions: Int[Tensor, "*batch position"]) -> Float[Tensor, "*batch position d_model"]:
        """The vectors of the given positions, counted from 0.

        Raises:
            ValueError: a position is beyond the table.
        """
        try:
            return self.table(positions + self.offset if self.offset else positions)
        except IndexError:  # as with ids: asking beforehand would cost every step of a generation
            check_positions(positions, self.max_positions)
            raise


class SinusoidalPositions(nn.Module):
    """Fixed waves: sines and cosines whose lengths grow from 2π to 2π · 10000 along the features.

    Vaswani et al. 2017, section 3.5 (arXiv:1706.03762). A fixed linear map turns the vector of position p into that of
    p + k, whatever p is, so offsets are easy to learn. Nothing is stored: any position has a vector.

    Args:
        d_model: width of the vectors, even.
        interleaved: sine and cosine alternate, as in the paper; else all sines come first, as in the authors' code.
    """

    def __init__(self, d_model: int, *, interleaved: bool = True) -> None:
        super().__init__()
        self.d_model = d_model
        self.interleaved = interleaved

    def forward(self, positions: Int[Tensor, "*batch position"]) -> Float[Tensor, "*batch position d_model"]:
        """The vectors of the given positions, counted from 0."""
        return sinusoids(positions, self.d_model, interleaved=self.interleaved)


class RotaryPositions(nn.Module):
    """Turn each pair of features of queries and keys by an angle that grows with the position.

    Su et al. 2021 (arXiv:2104.09864). The dot product of a turned query and a turned key depends on their offset only.

    Args:
        d_head: how many features are turned, even; features beyond them are left as they are (GPT-J turns 64 of 256).
        base: the longest wave is about 2π · base positions.
        layout: which features make a pair: `"halves"` (i and i + d/2, Llama) or `"neighbors"` (2i and 2i + 1, GPT-J).
        max_positions: how many positions have their angles ready; more are made when they are needed.

    Raises:
        ValueError: `d_head` is odd.
    """

    cosines: Tensor
    sines: Tensor
    magnitude: float = 1.0
    """What turned vectors are multiplied by."""

    def __init__(
        self, d_head: int, *, base: float = 10_000.0, layout: Layout = "halves", max_positions: int = 512
    ) -> None:
        super().__init__()
        if d_head % 2:
            raise ValueError(f"Features are turned in pairs, but d_head is {d_head}; choose an even width.")
        self.d_head = d_head
        self.base = base
        self.layout = layout
        self._prepare(max_positions, torch.device("cpu"))  # angles are computed, not loaded

    def _frequencies(self, device: torch.device | None) -> Float[Tensor, " pair"]:
        return frequencies(self.d_head, self.base, device)

    def _prepare(self, length: int, device: torch.device | None) -> None:
        angles = torch.arange(length, device=device)[:, None] * self._frequencies(device)
        both = torch.cat([angles, angles], -1) if self.layout == "halves" else angles.repeat_interleave(2, -1)
        self.register_buffer("cosines", both.cos() * self.magnitude, persistent=False)
        self.register_buffer("sines", both.sin() * self.magnitude, persistent=False)

    def forward(self, positions: Int[Tensor, " position"] | Int[Tensor, "batch position"]) -> Rotation:
        """The turn of each of the given positions, counted from 0: computed once, used in every layer.

        Args:
            positions: one row for all texts, or one row per text; below 0 they turn back.
        """
        back, positions = positions < 0, positions.abs()
        if positions.numel() and (last := int(positions.max())) >= len(self.cosines):
            self._prepare(max(last + 1, 2 * len(self.cosines)), positions.device)
        cosines, sines = self.cosines[positions], self.sines[positions]
        if back.any():
            sines = torch.where(back[..., None], -sines, sines)
        if positions.dim() == 2:
            cosines, sines = cosines[:, None], sines[:, None]  # batch 1 position d_head
        return Rotation(cosines, sines, self.layout)


class YarnPositions(RotaryPositions):
    """Rotary positions that were stretched to longer texts: fast waves are kept, slow ones turn more slowly.

    Peng et al. 2023 (arXiv:2309.00071); gpt-oss and DeepSeek-V3 have them.

    Args:
        d_head, base, layout: as in `RotaryPositions`.
        yarn: how they are stretched.
    """

    def __init__(self, d_head: int, yarn: Yarn, *, base: float = 10_000.0, layout: Layout = "halves") -> None:
        self.yarn, self.magnitude = yarn, yarn.magnitude  # before angles are computed
        super().__init__(d_head, base=base, layout=layout)

    def _frequencies(self, device: torch.device | None) -> Float[Tensor, " pair"]:
        return yarn_frequencies(self.d_head, self.base, self.yarn, device)


class T5Bias(nn.Module):
    """A learned number per head and bucket of offsets, added to the scores.

    Raffel et al. 2020, section 2.1 (arXiv:1910.10683). Near offsets have a bucket each; farther ones share buckets that
    widen with the logarithm; beyond `max_distance` all share the last. T5 keeps one table per stack, not per layer.

    Args:
        num_heads: rows of the table.
        bidirectional: half of the buckets are for keys to the right (encoder); a decoder has none there.
        num_buckets: how many buckets in all.
        max_distance: from here on, offsets share the last bucket.
    """

    def __init__(self, num_heads: int, *, bidirectional: bool, num_buckets: int = 32, max_distance: int = 128) -> None:
        super().__init__()
        self.bidirectional = bidirectional
        self.num_buckets = num_buckets
        self.max_distance = max_distance
        self.table = nn.Embedding(num_buckets, num_heads)

    def forward(
        self, query_positions: Int[Tensor, " query"], key_positions: Int[Tensor, " key"]
    ) -> Float[Tensor, "heads query key"]:
        """What to add to the scores of every head."""
        offsets = key_positions[None, :] - query_positions[:, None]
        buckets = t5_bucket(
            offsets, bidirectional=self.bidirectional, num_buckets=self.num_buckets, max_distance=self.max_distance
        )
        return self.table(buckets).permute(2, 0, 1)


class AlibiBias(nn.Module):
    """A penalty that grows in proportion to the distance, steeper in some heads than in others; nothing is learned.

    Press et al. 2022 (arXiv:2108.12409).

    Args:
        num_heads: one slope each.
    """

    slopes: Tensor

    def __init__(self, num_heads: int) -> None:
        super().__init__()
        self.register_buffer("slopes", alibi_slopes(num_heads), persistent=False)

    def forward(
        self, query_positions: Int[Tensor, " query"], key_positions: Int[Tensor, " key"]
    ) -> Float[Tensor, "heads query key"]:
        """What to add to the scores of every head: 0 for a position itself, less the farther away."""
        distance = (key_positions[None, :] - query_positions[:, None]).abs()
        return -self.slopes[:, None, None] * distance


def check_positions(positions: Int[Tensor, "*any"], max_positions: int) -> None:
    """Raise one clear sentence when a position is beyond the table, instead of a kernel's IndexError."""
    if positions.numel() and (last := int(positions.max())) >= max_positions:
        raise ValueError(
            f"The text has {last + 1} positions, but the position table ends at {max_positions}; "
            f"shorten or split the text, or cut it off with tokenizer(texts, max_length={max_positions})."
        )
