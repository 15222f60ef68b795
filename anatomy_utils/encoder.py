"""The encoder: a stack of equal layers that lets every token read the whole text.

The left half of the 2017 Transformer and the whole of BERT. Notebook 03 teaches it. Where the norm stands is data, not
a branch: each residual connection is given a norm before its sub-layer (pre-norm), after the sum (post-norm), or both.
"""

from __future__ import annotations

from collections.abc import Iterable

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from anatomy_utils import masks
from anatomy_utils.attention import MultiHeadAttention
from anatomy_utils.embeddings import Embeddings
from anatomy_utils.feed_forward import FeedForward
from anatomy_utils.masks import Mask
from anatomy_utils.tap import tap


class Norms(nn.Module):
    """The norms of one residual connection: `after(x + sublayer(before(x)))`.

    Post-norm, as in the paper and BERT, gives only `after`; pre-norm gives only `before`. A norm left out does nothing.
    """

    def __init__(self, *, before: nn.Module | None = None, after: nn.Module | None = None) -> None:
        super().__init__()
        self.before = before or nn.Identity()
        self.after = after or nn.Identity()


class EncoderLayer(nn.Module):
    """Self-attention, then a feed-forward network, each inside a residual connection with its norms.

    Vaswani et al. 2017, section 3.1 (arXiv:1706.03762).

    Args:
        self_attention: mixes information between positions.
        feed_forward: works on each position by itself.
        attention_norms: the norms around self-attention.
        feed_forward_norms: the norms around the feed-forward network.
        dropout: probability of dropping a feature of a sub-layer's output while training.
    """

    def __init__(
        self,
        self_attention: MultiHeadAttention,
        feed_forward: FeedForward,
        *,
        attention_norms: Norms,
        feed_forward_norms: Norms,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.self_attention = self_attention
        self.feed_forward = feed_forward
        self.attention_norms = attention_norms
        self.feed_forward_norms = feed_forward_norms
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        hidden_states: Float[Tensor, "batch position d_model"],
        mask: Mask | None = None,
    ) -> Float[Tensor, "batch position d_model"]:
        """Taps `after_attention` and `output`, the residual stream after each of the two sub-layers."""
        norms = self.attention_norms
        attended = self.self_attention(norms.before(hidden_states), mask=mask)
        hidden_states = tap(self, "after_attention", norms.after(hidden_states + self.dropout(attended)))
        norms = self.feed_forward_norms
        fed = self.feed_forward(norms.before(hidden_states))
        return tap(self, "output", norms.after(hidden_states + self.dropout(fed)))


class Encoder(nn.Module):
    """Embeddings and a stack of encoder layers: token ids in, one context-aware vector per token out.

    Args:
        embeddings: turns ids into vectors.
        layers: the stack, from the bottom up (six in the paper).
        norm: applied to the last layer's output; pre-norm stacks need one.
    """

    def __init__(self, embeddings: Embeddings, layers: Iterable[EncoderLayer], norm: nn.Module | None = None) -> None:
        super().__init__()
        self.embeddings = embeddings
        self.layers = nn.ModuleList(layers)
        self.norm = norm or nn.Identity()

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
        if attention_mask is not None and attention_mask.shape != input_ids.shape:
            raise ValueError(
                f"attention_mask has shape {tuple(attention_mask.shape)}, but input_ids has "
                f"{tuple(input_ids.shape)}; give one 0 or 1 per token."
            )
        mask = None if attention_mask is None else masks.padding(attention_mask)
        hidden_states = self.embeddings(input_ids, segment_ids)
        for layer in self.layers:
            hidden_states = layer(hidden_states, mask)
        return self.norm(hidden_states)
