"""The encoder: a stack of equal layers that lets every token read the whole text.

The left half of the 2017 Transformer and the whole of BERT. Notebook 03 teaches it. Where the norms stand is data, not
a branch (see `norm.NormPlaces`), and so are the positions.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from anatomy_utils.functional import masks
from anatomy_utils.functional.masks import Mask
from anatomy_utils.functional.positions import Rotation
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.dropout import identity
from anatomy_utils.nn.layer import Layer
from anatomy_utils.nn.norm import NormPlaces
from anatomy_utils.nn.positions import RotaryPositions
from anatomy_utils.tap import tap


class EncoderLayer(Layer):
    """Self-attention, then a feed-forward network.

    Vaswani et al. 2017, section 3.1 (arXiv:1706.03762). Its parts are those of `Layer`.
    """

    def forward(
        self,
        hidden_states: Float[Tensor, "batch position d_model"],
        mask: Mask | None = None,
        *,
        rotation: Rotation | None = None,
    ) -> Float[Tensor, "batch position d_model"]:
        """Taps `after_attention` and `output`, the residual stream after each of the two sub-layers."""
        attend = partial(self.self_attention, mask=mask, rotation=rotation)
        hidden_states = self.self_attention_norms.around(hidden_states, attend, self.dropout)
        hidden_states = tap(self, "after_attention", hidden_states)
        hidden_states = self.feed_forward_norms.around(hidden_states, self.feed_forward, self.dropout)
        return tap(self, "output", hidden_states)


class LocalLayer(EncoderLayer):
    """A layer in which each position sees only a window around itself, with rotary positions of its own.

    Beltagy et al. 2020, section 3.1 (arXiv:2004.05150); most layers of ModernBERT are such (Warner et al. 2024,
    arXiv:2412.13663).

    Args:
        self_attention: mixes information within the window.
        feed_forward: works on each position by itself.
        self_attention_norms: the norms around self-attention.
        feed_forward_norms: the norms around the feed-forward network.
        window: how many positions one sees: itself, and as many on either side.
        rotary: used instead of the stack's.
    """

    window: int
    rotary: RotaryPositions

    def __init__(
        self,
        self_attention: MultiHeadAttention,
        feed_forward: nn.Module,
        *,
        self_attention_norms: NormPlaces,
        feed_forward_norms: NormPlaces,
        window: int,
        rotary: RotaryPositions,
    ) -> None:
        super().__init__(
            self_attention,
            feed_forward,
            self_attention_norms=self_attention_norms,
            feed_forward_norms=feed_forward_norms,
        )
        self.window = window
        self.rotary = rotary

    def forward(
        self,
        hidden_states: Float[Tensor, "batch position d_model"],
        mask: Mask | None = None,
        *,
        rotation: Rotation | None = None,
    ) -> Float[Tensor, "batch position d_model"]:
        """As in `EncoderLayer`, but nobody sees beyond the window; the stack's rotation is left aside."""
        positions = torch.arange(hidden_states.shape[1], device=hidden_states.device)
        near = masks.local(len(positions), self.window // 2, device=hidden_states.device)
        return super().forward(hidden_states, masks.combine(mask, near), rotation=self.rotary(positions))


class Encoder(nn.Module):
    """Embeddings and a stack of encoder layers: token ids in, one context-aware vector per token out.

    Args:
        embeddings: turns ids into vectors, as `Embeddings` does.
        layers: the stack, from the bottom up (six in the paper).
        norm: applied to the last layer's output; pre-norm stacks need one.
        rotary: turns queries and keys by their positions, in every layer.
        score_bias: (query positions, key positions) → numbers added to every layer's scores, such as `T5Bias`.
    """

    def __init__(
        self,
        embeddings: nn.Module,
        layers: Iterable[EncoderLayer],
        norm: nn.Module | None = None,
        *,
        rotary: RotaryPositions | None = None,
        score_bias: nn.Module | None = None,
    ) -> None:
        super().__init__()
        self.embeddings: Any = embeddings
        self.layers = nn.ModuleList(layers)
        self.norm = norm or identity
        self.rotary = rotary
        self.score_bias = score_bias

    def forward(
        self,
        input_ids: Int[Tensor, "batch position"],
        attention_mask: Int[Tensor, "batch position"] | Bool[Tensor, "batch position"] | None = None,
        segment_ids: Int[Tensor, "batch position"] | None = None,
    ) -> Float[Tensor, "batch position d_model"]:
        """Encode a batch of texts.

        Args:
            input_ids: one id per token.
            attention_mask: 1 = real token, 0 = padding; all real when left out.
            segment_ids: 0 for a first text, 1 for a second; all 0 when left out.

        Returns:
            The last layer's hidden states. What padding positions hold has no meaning.

        Raises:
            ValueError: attention_mask has another shape than input_ids, or an id or position is out of range.
        """
        masks.check_input(input_ids, attention_mask)
        mask = None if attention_mask is None else masks.padding(attention_mask)
        return self.run_layers(self.embeddings(input_ids, segment_ids), mask)

    def run_layers(
        self, hidden_states: Float[Tensor, "batch position d_model"], mask: Mask | None = None
    ) -> Float[Tensor, "batch position d_model"]:
        """The stack on any vectors, with any mask; `forward` gives it embeddings and the mask of the padding.

        Args:
            hidden_states: what goes into the first layer.
            mask: what each position may attend to; everything when left out.
        """
        positions = torch.arange(hidden_states.shape[1], device=hidden_states.device)
        if self.score_bias is not None:
            mask = masks.additive(self.score_bias(positions, positions), mask)
        rotation = None if self.rotary is None else self.rotary(positions)
        for layer in self.layers:
            hidden_states = layer(hidden_states, mask, rotation=rotation if layer.is_rotated else None)
        return self.norm(hidden_states)
