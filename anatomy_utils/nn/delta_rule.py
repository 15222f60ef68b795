"""The gated delta rule as a module that stands in the place of self-attention.

Yang, Kautz and Hatamizadeh 2024 (arXiv:2412.06464). A cache keeps one state of it, however long the text is. Qwen3-Next
has it in three of four layers.
"""

from __future__ import annotations

from math import log

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_utils.functional import masks
from anatomy_utils.functional.delta_rule import causal_convolution, gated_delta_rule
from anatomy_utils.functional.masks import Mask
from anatomy_utils.functional.positions import Rotation
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.cache import LayerCache, RecurrentState
from anatomy_utils.nn.norm import RMSNorm
from anatomy_utils.tap import tap


class GatedDeltaRule(MultiHeadAttention):
    """Heads that read what their past has written into a state; see `functional.gated_delta_rule`.

    Queries, keys and values are first mixed with those of the last positions, for a state knows no order. What a head
    reads is normalized and passes a gate.

    Args:
        d_model: width of the vectors that come in and go out.
        num_heads: how many states there are.
        num_key_heads: how many queries and keys they share, evenly.
        d_key: width of queries and keys.
        d_value: width of values.
        width: how many positions are mixed, each one's own included.
        norm_epsilon: of the norm on what is read.
    """

    to_gate: nn.Linear

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        num_key_heads: int,
        d_key: int,
        d_value: int,
        width: int = 4,
        norm_epsilon: float = 1e-6,
    ) -> None:
        super().__init__(d_model, num_heads, d_head=d_key, bias=False)
        if num_heads % num_key_heads:
            raise ValueError(
                f"{num_heads} heads cannot share {num_key_heads} keys evenly; choose a number that divides them."
            )
        self.num_key_heads, self.d_value = num_key_heads, d_value
        self.to_query = nn.Linear(d_model, num_key_heads * d_key, bias=False)
        self.to_key = nn.Linear(d_model, num_key_heads * d_key, bias=False)
        self.to_value = nn.Linear(d_model, num_heads * d_value, bias=False)
        self.to_gate = nn.Linear(d_model, num_heads * d_value, bias=False)
        self.to_strength = nn.Linear(d_model, num_heads, bias=False)
        self.to_forgetting = nn.Linear(d_model, num_heads, bias=False)
        self.forgetting_bias = nn.Parameter(torch.ones(num_heads))
        self.log_rate = nn.Parameter(nn.init.uniform_(torch.empty(num_heads), 0.0, log(16)))
        channels = 2 * num_key_heads * d_key + num_heads * d_value
        self.mixing = nn.Parameter(nn.init.uniform_(torch.empty(channels, width), -(width**-0.5), width**-0.5))
        self.norm = RMSNorm(d_value, norm_epsilon)
        self.to_output = nn.Linear(num_heads * d_value, d_model, bias=False)

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
        """Read and write the state position by position; nothing is ever read of what comes after.

        Taps `query`, `key`, `value` (batch heads position d), `keep` and `strength` (batch heads position), `state`
        (batch heads d_key d_value, after the last position), `context` and `output`.

        Args:
            hidden_states: the vectors, in order.
            memory: not read.
            mask: positions that may not attend to themselves are padding, and are read as zeros.
            causal: so it is in any case.
            rotation: not read: order is in the state.
            cache: the state after the positions before these.
        """
        count = hidden_states.shape[1]
        if mask is not None:
            hidden_states = hidden_states * masks.real_positions(mask, count)[..., None]
        parts = self._first_projections()
        if cache is None:
            made = torch.cat([part(hidden_states) for part in parts], dim=-1)
            state, recent = self.room(len(hidden_states), capacity=0)
        else:
            made = cache.projection(hidden_states)
            state, recent = cache.room
        heads = (self.num_heads * self.d_value, self.num_heads, self.num_heads)
        mixed, gate, strength, forgetting = made.split((len(self.mixing), *heads), dim=-1)
        mixed = torch.cat([recent, mixed], dim=1)
        query, key, value = self._heads(F.silu(causal_convolution(mixed, self.mixing)))
        strength = tap(self, "strength", strength.sigmoid().mT)  # batch heads position
        forgetting = self.log_rate.exp() * F.softplus(forgetting + self.forgetting_bias)
        keep = tap(self, "keep", (-forgetting).exp().mT)
        read = gated_delta_rule(*(part.float() for part in (query, key, value, keep, strength, state)))
        state = tap(self, "state", read.state)
        if cache is not None:
            cache.keep(RecurrentState(state, mixed[:, count:]))
        context = self.norm(read.context.to(mixed.dtype).transpose(1, 2)).flatten(2) * F.silu(gate)
        return tap(self, "output", self.to_output(tap(self, "context", context)))

    def room(self, batch: int, capacity: int) -> RecurrentState:
        """The state of an empty past; it is as large for any number of positions."""
        channels, width = self.mixing.shape
        state = self.mixing.new_zeros((batch, self.num_heads, self.d_head, self.d_value), dtype=torch.float32)
        return RecurrentState(state, self.mixing.new_zeros(batch, width - 1, channels))

    def _first_projections(self) -> tuple[nn.Linear, ...]:
        return self.to_query, self.to_key, self.to_value, self.to_gate, self.to_strength, self.to_forgetting

    def _heads(self, mixed: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries and keys of length 1, shared by neighbors, and values: (batch heads position d)."""
        keys = self.num_key_heads * self.d_head
        split = mixed.split((keys, keys, self.num_heads * self.d_value), dim=-1)
        query, key, value = (
            part.unflatten(-1, (heads, -1)).transpose(1, 2)
            for part, heads in zip(split, (self.num_key_heads, self.num_key_heads, self.num_heads), strict=True)
        )
        query, key = (
            (part * (part.square().sum(-1, keepdim=True) + 1e-6).rsqrt()).repeat_interleave(
                self.num_heads // self.num_key_heads, dim=1
            )
            for part in (query.float(), key.float())
        )
        query = query * self.d_head**-0.5
        return tap(self, "query", query), tap(self, "key", key), tap(self, "value", value)
