"""The mask painter: close and open single cells of an attention mask and watch the weights that are left.

Masked scores become −∞ *before* the softmax, so that the remaining weights still sum to 1; setting weights to 0
*after* it leaves rows that do not (Vaswani et al. 2017, section 3.2.3, arXiv 1706.03762). Notebook 01.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import traitlets
from jaxtyping import Bool
from torch import Tensor

from anatomy_course.figures import plots
from anatomy_course.figures.arrays import to_array
from anatomy_course.figures.picture import Picture
from anatomy_course.views._kit.base import AnatomyWidget, buffer_trait, float_bytes
from anatomy_course.views._kit.checks import numbers, word_list
from anatomy_utils.interpret import activations
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.zoo.tokenizer import Tokenizer

MOST_TOKENS = 24
PADDING_TOKENS = ("[PAD]", "<pad>")


class _Mask(traitlets.TraitType):  # type: ignore[type-arg]
    """A (query, key) boolean array; in the browser one byte per cell, 1 = may attend."""

    default_value = np.zeros((0, 0), dtype=bool)

    def validate(self, widget: Any, value: Any) -> npt.NDArray[np.bool_]:
        mask = _as_mask(value, len(widget.tokens))
        mask.setflags(write=False)  # a cell set in place would not reach the browser
        return mask


class MaskPainter(AnatomyWidget):
    """Two grids, (query, key): the scores under the mask, and the weights that the softmax makes of them.

    Args:
        tokens: 1 to 24 tokens, for the rows (query) and the columns (key).
        scores: (query, key) finite numbers, the scaled scores before any mask.
        mask: (query, key) booleans to begin with, True = may attend; all True by default.
        attention_mask: (key,), 1 = real token, 0 = padding, for the padding button; by default a token called
            "[PAD]" or "<pad>" is padding.

    Raises:
        ValueError: scores, mask or attention_mask of another shape or type than that, too few or too many tokens.

    >>> MaskPainter(["a", "b"], [[0, 0], [0, 0]], mask=[[True, False], [True, True]]).weights.tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """

    drawn_height = 515
    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    score_bytes = buffer_trait()
    padding_bytes = buffer_trait()
    mask = _Mask().tag(
        sync=True,
        to_json=lambda mask, widget: memoryview(np.ascontiguousarray(mask, dtype=np.uint8).tobytes()),
        from_json=lambda raw, widget: np.frombuffer(raw, dtype=np.uint8).reshape(2 * [len(widget.tokens)]).astype(bool),
    )
    """(query, key) booleans, True = may attend; painting writes it, and a new array may be assigned from Python."""
    zero_after = traitlets.Bool(False).tag(sync=True)
    """Show the mistake: weights set to 0 after the softmax, instead of scores set to −∞ before it."""

    def __init__(
        self,
        tokens: Sequence[str],
        scores: Any,
        *,
        mask: Any = None,
        attention_mask: Any = None,
        label: str = "Paint the mask",
    ) -> None:
        listed = word_list(tokens, "tokens", at_most=MOST_TOKENS)
        length = len(listed)
        values = numbers(scores, "scores", "query key", query=length, key=length)
        real = np.array([token not in PADDING_TOKENS for token in listed])
        if attention_mask is not None:
            real = _as_real(attention_mask, length)
        mask = np.ones((length, length), dtype=bool) if mask is None else mask
        padding = real.astype(np.uint8).tobytes()
        super().__init__(tokens=listed, score_bytes=float_bytes(values), padding_bytes=padding, mask=mask, label=label)

    @property
    def scores(self) -> npt.NDArray[np.float32]:
        """The scores before any mask, (query, key)."""
        return np.frombuffer(self.score_bytes, dtype="<f4").reshape(2 * [len(self.tokens)]).copy()

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """The weights as shown, (query, key): rows sum to 1 over key, and a row with nothing to attend to is all 0."""
        scores, mask = self.scores.astype(np.float64), self.mask
        closed = scores if self.zero_after else np.where(mask, scores, -np.inf)
        largest = closed.max(-1, keepdims=True)
        powers = np.exp(closed - np.where(np.isfinite(largest), largest, 0))
        total = powers.sum(-1, keepdims=True)
        weights: npt.NDArray[np.float64] = np.divide(powers, total, out=np.zeros_like(powers), where=total > 0)
        return weights * mask

    def still_picture(self) -> Picture:
        """The weights under the mask, masked cells hatched."""
        closed = int((~self.mask).sum())
        return plots.heatmap(
            self.weights, self.tokens, self.tokens, title=f"{self.label}: weights", mask=self.mask,
            alt=f"Attention weights of {len(self.tokens)} tokens ({' '.join(self.tokens)}), query by key; "
            f"{closed} of {self.mask.size} cells are masked.",
        )  # fmt: skip


def _as_mask(value: Any, length: int) -> npt.NDArray[np.bool_]:
    expected = f"expected booleans of shape ({length}, {length}), True = may attend"
    try:
        mask = to_array(value)
    except (TypeError, ValueError):
        raise ValueError(f"mask is no rectangular array; {expected}.") from None
    if mask.dtype != np.bool_:
        raise ValueError(f"mask holds {mask.dtype}; {expected}: write `mask == 1` or `mask.bool()`.")
    if mask.shape != (length, length):
        raise ValueError(f"mask has shape {mask.shape}; {expected}: index or broadcast it first.")
    return np.array(mask)


def _as_real(value: Any, length: int) -> npt.NDArray[np.bool_]:
    real = numbers(value, "attention_mask", "key", key=length)
    if not np.isin(real, (0, 1)).all():
        raise ValueError(f"attention_mask is {real.tolist()}; expected 1 for a real token and 0 for padding.")
    return real.astype(bool)


def mask_painter(
    encoder: Encoder,
    tokenizer: Tokenizer,
    sentence: str,
    *,
    layer: int = 0,
    head: int = 0,
    mask: Bool[Tensor, "query key"] | None = None,
) -> MaskPainter:
    """The real scores of one head, for the reader to mask; `mask` is painted at first."""
    tokens, seen = activations.read_activations(encoder, tokenizer, sentence)
    return MaskPainter(tokens, seen[f"layers.{layer}.self_attention.scores"][0, head], mask=mask)
