"""Facts to store: 64 × 64 pairs of words, each with one of 64 answers drawn at random, learned by heart.

There is nothing to understand in them: the share that is right afterwards tells how much a network holds. Notebook 08.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_utils.nn.experts import Experts, MixtureOfExperts, Router
from anatomy_utils.nn.norm import LayerNorm, NormPlaces
from anatomy_utils.tap import edit, watch
from anatomy_utils.training.loop import fit
from anatomy_utils.training.optimizers import adamw
from anatomy_utils.training.schedules import linear_schedule
from anatomy_utils.training.seeding import seeded

WORDS, D_MODEL = 64, 32
"""How many words may be first, second, and the answer; and the width of their vectors."""
EXPERTS, BATCH, LEARNING_RATE = 8, 512, 0.03


def mixture(favored: float = 0.0) -> MixtureOfExperts:
    """8 experts of width 32, one for each token, with fresh weights.

    Its share is the softmax over all experts, not normalized: for one expert a normalized share is always 1, and the
    router would learn nothing.

    Args:
        favored: what the first expert's logit has more than it would have otherwise.
    """
    made = MixtureOfExperts(Router(D_MODEL, EXPERTS, 1, normalized=False, bias=True), Experts(D_MODEL, 32, EXPERTS))
    with torch.no_grad():
        made.router.to_experts.bias.zero_()
        made.router.to_experts.bias[0] = favored
    return made


def balancing_loss(
    logits: Float[Tensor, "batch position experts"], experts: Int[Tensor, "batch position chosen"]
) -> Float[Tensor, ""]:
    """E · Σ fₑ pₑ: 1 where tokens are spread evenly over E experts, E where one has all.

    Fedus et al. 2021, equations 4 to 6 (arXiv:2101.03961).

    Args:
        logits: the router's.
        experts: the chosen ones.
    """
    number = logits.shape[-1]
    share_of_tokens = F.one_hot(experts.flatten(), number).float().mean(0)
    probability = logits.softmax(-1).flatten(0, 1).mean(0)
    return number * (share_of_tokens * probability).sum()


class FactMemory(nn.Module):
    """Two words become one vector, a network adds to it, and the sum is read as a word."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.first, self.second = nn.Embedding(WORDS, D_MODEL), nn.Embedding(WORDS, D_MODEL)
        self.mix, self.network = nn.Linear(2 * D_MODEL, D_MODEL), network
        self.norms, self.norm = NormPlaces(before=LayerNorm(D_MODEL)), LayerNorm(D_MODEL)
        self.answer = nn.Linear(D_MODEL, WORDS)

    def forward(self, facts: Int[Tensor, "batch position"]) -> Float[Tensor, "batch position word"]:
        """The logits of each fact's answer; facts are counted from 0."""
        words = torch.cat([self.first(facts // WORDS), self.second(facts % WORDS)], dim=-1)
        return self.answer(self.norm(self.norms.around(self.mix(words), self.network, nn.Identity())))


class Stored(NamedTuple):
    """What became of a training."""

    right: float
    """The share of all facts that is right."""
    loads: Float[Tensor, " experts"] | None
    """The share of facts that each expert gets; None where there are no experts."""


def store_facts(network: Callable[[], nn.Module], seed: int, *, balance: float = 0.0, steps: int = 200) -> Stored:
    """Learn all facts by heart with AdamW.

    Args:
        network: makes the network in which they are to be stored, from `D_MODEL` to `D_MODEL`.
        seed: of the weights, the facts and the batches.
        balance: how much of the `balancing_loss` is added.
        steps: of 512 facts each.
    """
    generator = torch.Generator().manual_seed(seed)
    answers = torch.randint(WORDS, (WORDS * WORDS,), generator=generator)
    with seeded(generator):
        model = FactMemory(network())
    passed: list[Tensor] = []  # the router's logits, with their gradient

    def keep(logits: Tensor) -> Tensor:
        passed.append(logits)
        return logits

    def loss(model: FactMemory, facts: Tensor) -> Tensor:
        if not balance:
            return F.cross_entropy(model(facts)[0], answers[facts[0]])
        with edit(model, {"network.router.logits": keep}):
            wrong = F.cross_entropy(model(facts)[0], answers[facts[0]])
        routed = passed.pop()
        return wrong + balance * balancing_loss(routed, routed.argmax(-1, keepdim=True))

    batches = [torch.randint(len(answers), (1, BATCH), generator=generator) for _ in range(steps)]
    schedule = linear_schedule(LEARNING_RATE, steps=steps, warmup=steps // 10)
    optimizer = adamw(model, weight_decay=0.0)
    fit(model, batches, loss, learning_rate=schedule, optimizer=optimizer, clip=None, progress=False)
    everything = torch.arange(len(answers))[None]
    with torch.no_grad(), watch(model, "network.router.experts") as seen:
        right = (model(everything)[0].argmax(-1) == answers).float().mean().item()
    chosen = seen.get("network.router.experts")
    return Stored(right, None if chosen is None else chosen.flatten().bincount(minlength=EXPERTS) / len(answers))
