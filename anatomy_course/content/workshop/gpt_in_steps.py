"""A GPT in steps, and its starts: what the right and wrong versions of the exercise are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_course.content.workshop.block import _Block

SPREAD = 0.02
LAST_MAPS = ("attention.output.weight", "feed_forward.output.weight")
"""Of each block: what they give is added to the path from bottom to top."""
LARGE = (61, 37, 32, 3, 2)
"""A GPT's sizes at which every matrix has about a thousand weights."""


class BareGPT(nn.Module):
    """The parts of a GPT with the weights that torch gives them.

    Args:
        vocabulary_size: number of tokens.
        length: number of positions.
        d_model: length of a vector.
        num_layers: number of blocks.
        num_heads: divides d_model.
    """

    def __init__(self, vocabulary_size: int, length: int, d_model: int, num_layers: int, num_heads: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocabulary_size, d_model)
        self.positions = nn.Embedding(length, d_model)
        self.blocks = nn.ModuleList(_Block(d_model, num_heads, 4 * d_model) for _ in range(num_layers))
        self.norm = nn.LayerNorm(d_model)

    def forward(self, input_ids: Tensor) -> Tensor:
        """(batch, position) → logits (batch, position, vocabulary)."""
        positions = torch.arange(input_ids.shape[1], device=input_ids.device)
        hidden_states = self.tokens(input_ids) + self.positions(positions)
        for block in self.blocks:
            hidden_states = block(hidden_states)
        return F.linear(self.norm(hidden_states), self.tokens.weight)


def start(
    model: nn.Module,
    spread: float = SPREAD,
    last: float = SPREAD,
    kinds: tuple[type[nn.Module], ...] = (nn.Linear, nn.Embedding),
    biases: bool = True,
) -> None:
    """Give a GPT new weights.

    Args:
        model: whose weights.
        spread: standard deviation of the weights.
        last: that of the last maps of each block.
        kinds: parts that are started.
        biases: whether biases are set to 0.
    """
    for name, parameter in model.named_parameters():
        part = model.get_submodule(name.rpartition(".")[0])
        if isinstance(part, kinds) and name.endswith("weight"):
            nn.init.normal_(parameter, std=last if name.endswith(LAST_MAPS) else spread)
        elif isinstance(part, nn.Linear) and biases:
            nn.init.zeros_(parameter)


def started(spreads: Callable[[int], Mapping[str, Any]] | None) -> type[BareGPT]:
    """A GPT that starts otherwise.

    Args:
        spreads: number of blocks → what `start` is given; None for weights as torch makes them.
    """

    class _Started(BareGPT):
        def __init__(self, *sizes: int) -> None:
            super().__init__(*sizes)
            if spreads:
                start(self, **spreads(len(self.blocks)))

    return _Started


def as_wanted(num_layers: int) -> dict[str, Any]:
    """The right spreads."""
    return {"spread": SPREAD, "last": SPREAD / (2 * num_layers) ** 0.5}


def wanted_spread(name: str) -> tuple[float, str]:
    """A parameter's wanted standard deviation in a GPT of the sizes `LARGE`, and how a sentence says it."""
    if name.endswith("bias"):
        return 0.0, "0"
    if name.endswith("norm.weight"):
        return 1.0, "1"
    if name.endswith(LAST_MAPS):
        return as_wanted(LARGE[3])["last"], "0.02 / √(2 · num_layers)"
    return SPREAD, "0.02"


class StartedGPT(BareGPT):
    """A GPT with the right start."""

    def __init__(self, *sizes: int) -> None:
        super().__init__(*sizes)
        start(self, **as_wanted(len(self.blocks)))


class GPTInSteps(StartedGPT):
    """A GPT in steps, each of which a child may do otherwise."""

    def forward(self, input_ids: Tensor) -> Tensor:
        return self.logits(self.through(self.embed(input_ids)))

    def embed(self, input_ids: Tensor) -> Tensor:
        return self.tokens(input_ids) + self.positions.weight[: input_ids.shape[1]]

    def through(self, states: Tensor) -> Tensor:
        return through(self.blocks, states)

    def logits(self, states: Tensor) -> Tensor:
        return self.norm(states) @ self.tokens.weight.T


def through(blocks: Iterable[nn.Module], states: Tensor) -> Tensor:
    """One block after the other."""
    for block in blocks:
        states = block(states)
    return states


def normed_each(model: BareGPT, states: Tensor) -> Tensor:
    """One block after the other, with the last norm after each."""
    for block in model.blocks:
        states = model.norm(block(states))
    return states


class UntiedGPT(StartedGPT):
    """With a second table for the logits."""

    def __init__(self, *sizes: int) -> None:
        super().__init__(*sizes)
        self.output = nn.Linear(self.tokens.embedding_dim, self.tokens.num_embeddings, bias=False)

    def forward(self, input_ids: Tensor) -> Tensor:
        states = self.tokens(input_ids) + self.positions(torch.arange(input_ids.shape[1]))
        return self.output(self.norm(through(self.blocks, states)))


class GPTWithTwoNames(UntiedGPT):
    """With one table under two names."""

    def __init__(self, *sizes: int) -> None:
        super().__init__(*sizes)
        self.output.weight = self.tokens.weight


class GPTOfOneBlock(StartedGPT):
    """With one block, used again and again."""

    def __init__(self, *sizes: int) -> None:
        super().__init__(*sizes)
        self.blocks = nn.ModuleList([self.blocks[0]] * len(self.blocks))


class GPTWithoutNorm(StartedGPT):
    """Without the last norm."""

    def __init__(self, *sizes: int) -> None:
        super().__init__(*sizes)
        del self.norm


class GPTScaledAfterwards(BareGPT):
    """With the last maps made smaller after all have been drawn alike."""

    def __init__(self, *sizes: int) -> None:
        super().__init__(*sizes)
        self.apply(_start_one)
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                parameter.div_((2 * len(self.blocks)) ** 0.5 if name.endswith(LAST_MAPS) else 1)


def _start_one(part: nn.Module) -> None:
    if isinstance(part, nn.Linear | nn.Embedding):
        part.weight.data = torch.randn(part.weight.shape) * SPREAD
    if isinstance(part, nn.Linear):
        part.bias.data.zero_()
