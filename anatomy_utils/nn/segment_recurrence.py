"""Memory recurrence: a decoder that reads a long text in segments and remembers the ones before.

A plain decoder sees no further back than the piece of text that it is given. Here every layer may also attend to what
went into it in earlier segments. These memories are a plain value, as the key/value cache is: passed in, and newer ones
are returned; no gradient flows back through them. Since each segment begins anew, positions must be told by their
offsets (`relative_positions`). Notebook 07 runs it as Transformer-XL.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from anatomy_utils.functional import masks
from anatomy_utils.functional.masks import Mask
from anatomy_utils.nn.dropout import identity
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.layer import Layer
from anatomy_utils.tap import tap


@dataclass(frozen=True)
class Memories:
    """What a recurrent decoder keeps of the segments that it has read.

    Attributes:
        layers: for each layer the vectors that went into it, the oldest position first.
        real: which of these positions held a token, not padding.
    """

    layers: tuple[Float[Tensor, "batch memory d_model"], ...]
    real: Bool[Tensor, "batch memory"]

    @property
    def batch(self) -> int:
        """How many texts are read side by side."""
        return self.real.shape[0]

    @property
    def length(self) -> int:
        """How many positions are remembered."""
        return self.real.shape[1]

    def extended(
        self,
        inputs: Sequence[Float[Tensor, "batch position d_model"]],
        real: Bool[Tensor, "batch position"],
        limit: int,
    ) -> Memories:
        """The memories with a segment behind them, cut to the newest `limit` positions.

        Args:
            inputs: for each layer the vectors that went into it.
            real: which of the segment's positions hold a token.
            limit: at least 1.

        >>> old = Memories((torch.tensor([[[1.0], [2.0]]]),), torch.tensor([[True, True]]))
        >>> old.extended([torch.tensor([[[3.0]]])], torch.tensor([[True]]), limit=2).layers[0].tolist()
        [[[2.0], [3.0]]]
        """

        def newest(old: Tensor, new: Tensor) -> Tensor:
            return torch.cat([old, new.detach()], dim=1)[:, -limit:]

        return Memories(tuple(map(newest, self.layers, inputs)), newest(self.real, real))

    def rows(self, rows: Int[Tensor, " batch"]) -> Memories:
        """A copy that holds the given rows, in their order: beam search goes on from its best beams."""
        return Memories(tuple(layer[rows] for layer in self.layers), self.real[rows])


class RecurrentLayer(Layer):
    """A decoder layer whose keys and values come from memory and segment together.

    Dai et al. 2019, section 3.2 (arXiv:1901.02860). Its parts are those of `Layer`; `score_positions` of its attention
    tell offsets.
    """

    def forward(
        self,
        hidden_states: Float[Tensor, "batch position d_model"],
        memory: Float[Tensor, "batch memory d_model"],
        mask: Mask,
    ) -> Float[Tensor, "batch position d_model"]:
        """Taps the residual stream after each sub-layer: `after_self_attention`, `output`."""
        norms = self.self_attention_norms
        seen = norms.before(torch.cat([memory, hidden_states], dim=1))
        hidden_states = norms.around(
            hidden_states, lambda states: self.self_attention(states, seen, mask=mask), self.dropout
        )
        hidden_states = tap(self, "after_self_attention", hidden_states)
        hidden_states = self.feed_forward_norms.around(hidden_states, self.feed_forward, self.dropout)
        return tap(self, "output", hidden_states)


class RecurrentDecoder(nn.Module):
    """Embeddings and a stack of recurrent layers: a segment and memories in, hidden states and newer memories out.

    Dai et al. 2019, section 3.2 (arXiv:1901.02860). Each layer looks `memory_length` positions back, so that n layers
    together reach about n times as far.

    Args:
        embeddings: turns ids into vectors, without positions.
        layers: the stack, from the bottom up.
        memory_length: how many positions each layer remembers, at least 1.
        windowed: each position sees the newest `memory_length` positions, itself included, instead of all that its
            segment and the memories hold; then it makes no difference where a text is cut into segments.
        norm: applied to the last layer's output; pre-norm stacks need one.

    Raises:
        ValueError: memory_length is below 1, or the embeddings add positions.
    """

    rotary: nn.Module | None = None
    score_bias: nn.Module | None = None

    def __init__(
        self,
        embeddings: Embeddings,
        layers: Iterable[RecurrentLayer],
        *,
        memory_length: int,
        windowed: bool = False,
        norm: nn.Module | None = None,
    ) -> None:
        super().__init__()
        if memory_length < 1:
            raise ValueError(f"memory_length is {memory_length}, but at least 1 position must be remembered.")
        if embeddings.positions is not None:
            raise ValueError(
                "The embeddings add positions, which begin again in every segment: give embeddings without positions, "
                "and relative ones to each attention (score_positions)."
            )
        self.embeddings = embeddings
        self.layers = cast("Sequence[RecurrentLayer]", nn.ModuleList(layers))
        for layer in self.layers:
            layer.window = memory_length if windowed else None
        self.memory_length = memory_length
        self.windowed = windowed
        self.norm = norm or identity

    def start(self, batch: int) -> Memories:
        """Memories of nothing, for a number of texts that are read side by side."""
        like, width = next(self.parameters()), self.embeddings.tokens.embedding_dim
        return Memories(
            tuple(like.new_empty(batch, 0, width) for _ in self.layers),
            torch.ones(batch, 0, dtype=torch.bool, device=like.device),
        )

    def forward(
        self,
        input_ids: Int[Tensor, "batch position"],
        memories: Memories | None = None,
        attention_mask: Int[Tensor, "batch position"] | Bool[Tensor, "batch position"] | None = None,
    ) -> tuple[Float[Tensor, "batch position d_model"], Memories]:
        """Read the next segment of each text; a single token is a segment too.

        Args:
            input_ids: one id per token.
            memories: of the segments before, as this function returned them; none at the beginning of a text.
            attention_mask: 1 = real token, 0 = padding: at the head of a text's first segments, or behind its end.

        Returns:
            The last layer's hidden states, normalized, and the memories for the segment that follows.

        Raises:
            ValueError: the memories are of another number of texts, or attention_mask does not fit.
        """
        masks.check_input(input_ids, attention_mask)
        memories = self.start(len(input_ids)) if memories is None else memories
        if memories.batch != len(input_ids):
            raise ValueError(
                f"The memories are of {memories.batch} texts, but input_ids has {len(input_ids)}; "
                "begin with no memories, or take the rows that go on (Memories.rows)."
            )
        real = torch.ones_like(input_ids, dtype=torch.bool) if attention_mask is None else attention_mask.bool()
        mask = self._mask(memories, real)
        hidden_states, inputs = self.embeddings(input_ids), []
        for layer, memory in zip(self.layers, memories.layers, strict=True):
            inputs.append(hidden_states)
            hidden_states = layer(hidden_states, memory, mask)
        return self.norm(hidden_states), memories.extended(inputs, real, self.memory_length)

    def _mask(self, memories: Memories, real: Bool[Tensor, "batch position"]) -> Bool[Tensor, "..."]:
        """What each position of the segment may attend to: (query key), or (batch 1 query key) with padding."""
        known = torch.cat([memories.real, real], dim=1)
        keys = torch.arange(known.shape[1], device=real.device)
        back = keys[memories.length :, None] - keys  # how many positions back each key is: query key
        allowed = back >= 0
        if self.windowed:
            allowed = allowed & (back < self.memory_length)
        return allowed if known.all() else allowed & masks.padding(known)
