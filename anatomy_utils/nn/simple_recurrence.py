"""The simpler simple recurrent unit, in the place of a decoder's self-attention.

Kim et al. 2019, section 3.2 (D19-5632), after Lei et al. 2018 (arXiv:1709.02755). Translators that run in a browser
have it: what it keeps of the text written so far is one vector, however long the text is.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn

from anatomy_utils.functional import masks
from anatomy_utils.functional.masks import Mask
from anatomy_utils.functional.positions import Rotation
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.cache import LayerCache, RecurrentState
from anatomy_utils.tap import tap


class SimpleRecurrence(MultiHeadAttention):
    """A state that each position updates: c = f ⊙ c + (1 − f) ⊙ W x, with f = σ(W_f x + b). What goes out is ReLU(c).

    No position attends to another: the past is in the state alone. Every feature has a gate of its own, and the next
    state depends on the last one by a product and a sum only, no matrix.

    Args:
        d_model: width of the vectors, and of the state.
    """

    def __init__(self, d_model: int) -> None:
        super().__init__(d_model, num_heads=1)
        del self.to_query, self.to_key, self.to_value, self.to_output
        self.to_keep = nn.Linear(d_model, d_model)
        self.to_state = nn.Linear(d_model, d_model, bias=False)

    def forward(
        self,
        hidden_states: Float[Tensor, "batch query d_model"],
        memory: object = None,
        *,
        mask: Mask | None = None,
        causal: bool = True,
        rotation: Rotation | None = None,
        cache: LayerCache | None = None,
    ) -> Float[Tensor, "batch query d_model"]:
        """Update the state position by position; nothing is ever read of what comes after.

        Taps `keep` (batch position d_model), the gate f, and `output`.

        Args:
            hidden_states: the vectors, in order.
            memory: not read.
            mask: positions that may not attend to themselves are padding; they leave the state as it is.
            causal: so it is in any case.
            rotation: not read: order is in the state.
            cache: the state after the positions before these.
        """
        room = self.room(len(hidden_states), capacity=0) if cache is None else cache.room
        state = room.state[:, 0, 0]  # type: ignore[union-attr]
        if cache is None:
            gate, new = self.to_keep(hidden_states), self.to_state(hidden_states)
        else:
            gate, new = cache.projection(hidden_states).chunk(2, dim=-1)
        keep = gate.sigmoid()
        if mask is not None:
            keep = keep.masked_fill(~masks.real_positions(mask, hidden_states.shape[1])[..., None], 1.0)
        keep = tap(self, "keep", keep)
        states = []
        for share, vector in zip(keep.unbind(1), new.unbind(1), strict=True):
            state = share * state + (1 - share) * vector
            states.append(state)
        if cache is not None:
            cache.keep(RecurrentState(state[:, None, None], room.recent))  # type: ignore[union-attr]
        return tap(self, "output", torch.stack(states, dim=1).relu())

    def room(self, batch: int, capacity: int) -> RecurrentState:
        """The state of an empty past; it is as large for any number of positions."""
        weight = self.to_state.weight
        return RecurrentState(weight.new_zeros(batch, 1, 1, self.d_head), weight.new_zeros(batch, 0, 0))

    def _first_projections(self) -> tuple[nn.Linear, ...]:
        return self.to_keep, self.to_state
