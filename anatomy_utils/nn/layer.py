"""The parts of a layer, in whichever stack: self-attention and a feed-forward network, each with its norms.

`encoder`, `decoder` and `segment_recurrence` say how they run. Notebook 03 teaches it.
"""

from __future__ import annotations

from torch import nn

from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.dropout import dropout_or_nothing
from anatomy_utils.nn.norm import NormPlaces
from anatomy_utils.nn.positions import RotaryPositions


class Layer(nn.Module):
    """Self-attention and a feed-forward network, each inside a residual connection with its norms.

    Vaswani et al. 2017, section 3.1 (arXiv:1706.03762).

    Args:
        self_attention: mixes information between positions.
        feed_forward: works on each position by itself.
        self_attention_norms: the norms around self-attention.
        feed_forward_norms: the norms around the feed-forward network.
        dropout: probability of dropping a feature of a sub-layer's output while training.

    Attributes:
        cross_attention: reads an encoder's output; None in most layers.
        window: how many positions self-attention sees at most, its own included; None for all.
        rotary: turns queries and keys instead of the stack's; None where they are turned alike in all layers.
        is_rotated: False where queries and keys stay as they are, though the stack turns them.
        block_size: positions of a block, where only certain blocks meet; None elsewhere.
        is_parallel: whether both sub-layers read the same vectors, instead of one after the other.
    """

    window: int | None = None
    is_rotated = True
    block_size: int | None = None
    is_parallel = False

    def __init__(
        self,
        self_attention: MultiHeadAttention,
        feed_forward: nn.Module,
        *,
        self_attention_norms: NormPlaces,
        feed_forward_norms: NormPlaces,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.self_attention = self_attention
        self.self_attention_norms = self_attention_norms
        self.cross_attention: MultiHeadAttention | None = None
        self.rotary: RotaryPositions | None = None
        self.feed_forward = feed_forward
        self.feed_forward_norms = feed_forward_norms
        self.dropout = dropout_or_nothing(dropout)
