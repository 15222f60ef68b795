"""A mixture of experts: many feed-forward networks side by side, of which each token passes through a few.

It stands where the feed-forward network of a layer does, and holds most of a model's parameters while a token meets a
small part of them. Published checkpoints disagree on how experts are chosen, and on whether some are for all tokens.
"""

from __future__ import annotations

from math import sqrt

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_utils.functional.feed_forward import Activation
from anatomy_utils.functional.routing import Routes, route, route_within_groups
from anatomy_utils.tap import tap


class Router(nn.Module):
    """Chooses the experts of each token by the highest scores; see `functional.route`.

    Shazeer et al. 2017, section 2.1 (arXiv:1701.06538).

    Args:
        d_model: width of the vectors that are routed.
        num_experts: how many there are.
        per_token: how many of them each token passes.
        normalized: whether the shares of a token's experts sum to 1.
        bias: whether the scores have a bias.

    Raises:
        ValueError: a token is to pass more experts than there are.
    """

    def __init__(
        self, d_model: int, num_experts: int, per_token: int, *, normalized: bool = True, bias: bool = False
    ) -> None:
        super().__init__()
        if not 1 <= per_token <= num_experts:
            raise ValueError(
                f"Each token is to pass {per_token} of {num_experts} experts; choose from 1 to {num_experts}."
            )
        self.to_experts = nn.Linear(d_model, num_experts, bias=bias)
        self.num_experts = num_experts
        self.per_token = per_token
        self.normalized = normalized

    def forward(self, hidden_states: Float[Tensor, "batch position d_model"]) -> Routes:
        """Taps `logits` (batch, position, experts), and of the chosen `experts` and `shares` (batch, position, chosen).

        An edit of `experts` sends tokens elsewhere.
        """
        logits = tap(self, "logits", self.to_experts(hidden_states))
        routes = self.routes(logits.float())
        return Routes(tap(self, "experts", routes.experts), tap(self, "shares", routes.shares.to(hidden_states.dtype)))

    def routes(self, logits: Float[Tensor, "batch position experts"]) -> Routes:
        """The chosen experts."""
        return route(logits, self.per_token, normalized=self.normalized)


class GroupRouter(Router):
    """Chooses groups of experts, then experts of these; see `functional.route_within_groups`.

    DeepSeek-AI 2024, section 2.1.2 (arXiv:2412.19437).

    Args:
        d_model, num_experts, per_token, normalized: as in `Router`.
        num_groups: how many groups of equal size there are.
        groups_per_token: from how many of them a token's experts come.
        scale: multiplies the shares.

    Raises:
        ValueError: the groups are of unequal size or of one expert, or the chosen ones hold too few experts.
    """

    correction: Tensor

    def __init__(
        self,
        d_model: int,
        num_experts: int,
        per_token: int,
        *,
        num_groups: int,
        groups_per_token: int,
        normalized: bool = True,
        scale: float = 1.0,
    ) -> None:
        super().__init__(d_model, num_experts, per_token, normalized=normalized)
        group = num_experts // num_groups
        if num_experts % num_groups or group < 2 or not per_token <= groups_per_token * group <= num_experts:
            raise ValueError(
                f"{per_token} of {num_experts} experts are to come from {groups_per_token} of {num_groups} groups; "
                "choose groups of equal size, of two experts or more, and enough of them."
            )
        self.num_groups = num_groups
        self.groups_per_token = groups_per_token
        self.scale = scale
        self.register_buffer("correction", torch.zeros(num_experts))  # moved by whoever trains, not by a gradient

    def routes(self, logits: Float[Tensor, "batch position experts"]) -> Routes:
        """The chosen experts."""
        experts, shares = route_within_groups(
            logits,
            self.correction.float(),
            self.per_token,
            num_groups=self.num_groups,
            groups_per_token=self.groups_per_token,
            normalized=self.normalized,
        )
        return Routes(experts, shares * self.scale)


class StackedLinear(nn.Module):
    """As many linear layers as there are experts, in one tensor.

    Args:
        count: how many.
        in_features: width of what goes in.
        out_features: width of what comes out.
        bias: whether they add a bias.
    """

    bias: nn.Parameter | None

    def __init__(self, count: int, in_features: int, out_features: int, *, bias: bool = False) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = nn.Parameter(torch.empty(count, out_features, in_features))
        self.register_parameter("bias", nn.Parameter(torch.empty(count, out_features)) if bias else None)
        for parameter in self.parameters():  # as torch's Linear begins
            nn.init.uniform_(parameter, -1 / sqrt(in_features), 1 / sqrt(in_features))

    def forward(self, vectors: Float[Tensor, "token d_in"], which: int) -> Float[Tensor, "token d_out"]:
        """One of them, applied to vectors."""
        return F.linear(vectors, self.weight[which], None if self.bias is None else self.bias[which])


class Experts(nn.Module):
    """Gated feed-forward networks side by side, each for the tokens that are sent to it.

    Args:
        d_model: width of the vectors that come in and go out.
        d_ff: width in between, of each expert.
        num_experts: how many there are.
        activation: applied to the gate.
        bias: whether their layers add a bias.
    """

    def __init__(
        self, d_model: int, d_ff: int, num_experts: int, *, activation: Activation = F.silu, bias: bool = False
    ) -> None:
        super().__init__()
        self.gate = StackedLinear(num_experts, d_model, d_ff, bias=bias)
        self.expand = StackedLinear(num_experts, d_model, d_ff, bias=bias)
        self.contract = StackedLinear(num_experts, d_ff, d_model, bias=bias)
        self.activation = activation

    def forward(
        self, hidden_states: Float[Tensor, "batch position d_model"], routes: Routes
    ) -> Float[Tensor, "batch position d_model"]:
        """Each token's experts, weighted by their shares and summed; experts without a token are not run."""
        vectors = hidden_states.flatten(0, 1)
        experts, shares = (part.flatten(0, 1) for part in routes)  # token chosen
        output = torch.zeros_like(vectors)
        for expert in experts.unique().tolist():
            token, place = (experts == expert).nonzero(as_tuple=True)
            gate, expanded = self.gate(vectors[token], expert), self.expand(vectors[token], expert)
            answer = self.contract(self.gated(gate, expanded), expert)
            output.index_add_(0, token, answer * shares[token, place, None])
        return output.view(hidden_states.shape)

    def gated(self, gate: Float[Tensor, "token d_ff"], expanded: Float[Tensor, "token d_ff"]) -> Tensor:
        """What lies between an expert's layers."""
        return self.activation(gate) * expanded


class MixtureOfExperts(nn.Module):
    """A router, its experts, and perhaps a network that all tokens pass.

    Args:
        router: chooses experts for each token.
        experts: those that are chosen from.
        shared: a feed-forward network for all tokens, whose answer is added (DeepSeek-V3).
        shared_gate: from d_model to 1: its sigmoid says how much of that answer is added (Qwen3-Next); all when left
            out.
    """

    def __init__(
        self,
        router: Router,
        experts: Experts,
        *,
        shared: nn.Module | None = None,
        shared_gate: nn.Linear | None = None,
    ) -> None:
        super().__init__()
        self.router = router
        self.experts = experts
        self.shared = shared
        self.shared_gate = shared_gate

    def forward(
        self, hidden_states: Float[Tensor, "batch position d_model"]
    ) -> Float[Tensor, "batch position d_model"]:
        """Taps `routed`, the experts' sum, and `shared`, what the network for all adds."""
        output = tap(self, "routed", self.experts(hidden_states, self.router(hidden_states)))
        if self.shared is None:
            return output
        shared = self.shared(hidden_states)
        if self.shared_gate is not None:
            shared = self.shared_gate(hidden_states).sigmoid() * shared
        return output + tap(self, "shared", shared)
