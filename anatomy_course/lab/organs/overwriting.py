"""Overwriting: keys get new values again and again, and a small model must say the latest one. Notebook 08.

Four ways to remember in otherwise equal models of one layer: softmax attention with rotary positions; with a learned
price for each step back in their place (as ALiBi, but learned); a state to which values are added (linear attention);
and the delta rule. As in published layers with a state, each token first reads the one before it, and keys and queries
of a state have length 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_utils.nn.positions import RotaryPositions
from anatomy_utils.training.seeding import seeded
from anatomy_utils.training.threads import threads

Memory = Literal["softmax, rotary", "softmax, nearer first", "only added", "delta rule"]
MEMORIES: tuple[Memory, ...] = get_args(Memory)
SYMBOLS, KEYS = 16, 4
"""How many keys there are and how many values; how many keys a text uses."""


def delta_rule(
    query: Float[Tensor, "*batch position d_key"],
    key: Float[Tensor, "*batch position d_key"],
    value: Float[Tensor, "*batch position d_value"],
    beta: Float[Tensor, "*batch position 1"],
) -> Float[Tensor, "*batch position d_value"]:
    """What each query reads from a state that is empty at first and written by the delta rule at each position.

    Step t writes u_t = β_t (v_t − S_{t−1} k_t) under k_t, and S_{t−1} k_t = Σ_{s<t} (k_s · k_t) u_s. That is one system
    of equations for all positions, so nothing has to run step by step (Yang et al. 2024, arXiv:2406.06484), as it does
    in `functional.delta_rule.gated_delta_rule`.
    """
    overlaps = (beta * (key @ key.mT)).tril(-1) + torch.eye(key.shape[-2])
    written = torch.linalg.solve_triangular(overlaps, beta * value, upper=False)
    return (query @ key.mT).tril() @ written


class SmallReader(nn.Module):
    """Tokens in; at each of the last KEYS positions, the logits of the value of the key there."""

    def __init__(self, memory: Memory, d_model: int = 32, d_key: int = 8) -> None:
        super().__init__()
        self.memory = memory
        self.tokens = nn.Embedding(2 * SYMBOLS, d_model)
        self.with_last = nn.Linear(2 * d_model, d_model)
        self.norm, self.last_norm = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.to_query, self.to_key = (nn.Linear(d_model, d_key, bias=False) for _ in range(2))
        self.to_value, self.to_output = (nn.Linear(d_model, d_model, bias=False) for _ in range(2))
        self.to_beta, self.vocabulary = nn.Linear(d_model, 1), nn.Linear(d_model, SYMBOLS)
        self.step_back, self.rotary = nn.Parameter(torch.tensor(0.1)), RotaryPositions(d_key)

    def forward(self, input_ids: Int[Tensor, "batch position"]) -> Float[Tensor, "batch asked symbol"]:
        """One layer, with a sum around it."""
        states = self.tokens(input_ids)
        states = states + self.with_last(torch.cat([F.pad(states, (0, 0, 1, 0))[..., :-1, :], states], dim=-1))
        states = states + self.to_output(self._remembered(self.norm(states)))
        return self.vocabulary(self.last_norm(states[..., -KEYS:, :]))

    def _remembered(self, states: Tensor) -> Tensor:
        query, key, value = self.to_query(states), self.to_key(states), self.to_value(states)
        if self.memory.startswith("softmax"):
            places = torch.arange(states.shape[-2])
            if self.memory == "softmax, rotary":
                turn = self.rotary(places)
                query, key = (turn(vectors[:, None])[:, 0] for vectors in (query, key))
            scores = query @ key.mT / query.shape[-1] ** 0.5
            if self.memory == "softmax, nearer first":
                scores = scores + self.step_back * (places - places[:, None])
            return scores.masked_fill(places > places[:, None], -torch.inf).softmax(dim=-1) @ value
        query, key, beta = F.normalize(query, dim=-1), F.normalize(key, dim=-1), self.to_beta(states).sigmoid()
        if self.memory == "delta rule":
            return delta_rule(query, key, value, beta)
        return (query @ key.mT).tril() @ (beta * value)


def overwritten(size: int, times: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Texts key value key value …, in which each of KEYS keys gets a value `times` times on average and at least once,
    and then the keys alone: (size, position). And the latest value of each of these keys: (size, KEYS).
    """
    keys = torch.rand(size, SYMBOLS, generator=generator).argsort(-1)[:, :KEYS]
    once = torch.arange(KEYS).expand(size, KEYS)
    which = torch.cat([once, torch.randint(KEYS, (size, KEYS * (times - 1)), generator=generator)], dim=1)
    which = which.gather(1, torch.rand(which.shape, generator=generator).argsort(-1))
    values = torch.randint(SYMBOLS, which.shape, generator=generator)
    places = torch.arange(which.shape[1])
    latest = torch.stack([torch.where(which == key, places, -1).amax(dim=1) for key in range(KEYS)], dim=1)
    pairs = torch.stack([keys.gather(1, which), SYMBOLS + values], dim=2).flatten(1)
    return torch.cat([pairs, keys], dim=1), values.gather(1, latest)


def train_to_overwrite(
    memory: Memory, seeds: Sequence[int] = (0, 1, 2), *, times: Sequence[int] = (1, 2, 4, 8), steps: int = 250
) -> Float[Tensor, "seed times"]:
    """Train one model for each seed, all at once, on keys written 1, 2 and 4 times; the share of right answers.

    Args:
        memory: one of `MEMORIES`.
        seeds: of weights and texts.
        times: how often a key is written in the texts of the test; 8 times never occurs in training.
        steps: of AdamW, with 32 texts for each model.
    """
    generators, models = [torch.Generator().manual_seed(seed) for seed in seeds], []
    for generator in generators:
        with seeded(generator):
            models.append(SmallReader(memory))
    weights, _ = torch.func.stack_module_state(models)  # type: ignore[arg-type]
    run = torch.func.vmap(lambda own, ids: torch.func.functional_call(models[0], own, (ids,)))
    optimizer, peak = torch.optim.AdamW(weights.values(), weight_decay=0.01, fused=True), 0.02

    def texts(size: int, times: int) -> tuple[Tensor, Tensor]:
        inputs, labels = zip(*(overwritten(size, times, generator) for generator in generators), strict=True)
        return torch.stack(inputs), torch.stack(labels)

    with threads(1):
        for step in range(steps):
            for group in optimizer.param_groups:
                group["lr"] = peak * min(1.0, (step + 1) / 50) * max(0.02, 1 - step / steps)
            inputs, labels = texts(32, (1, 2, 4)[step % 3])
            loss = F.cross_entropy(run(weights, inputs).flatten(0, 2), labels.flatten())
            optimizer.zero_grad()
            (len(models) * loss).backward()  # the mean of each model's own loss, not of all
            optimizer.step()
        with torch.no_grad():
            tests = [texts(300, each) for each in times]
            right = [run(weights, inputs).argmax(dim=-1) == labels for inputs, labels in tests]
    return torch.stack([each.float().mean(dim=(1, 2)) for each in right], dim=1)
