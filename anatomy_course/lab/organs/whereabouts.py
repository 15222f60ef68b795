"""Where is it? Things and their places are told at the beginning of a text, and asked for later on.

A text of 128 tokens: six tokens that each tell where a thing is, then chatter, and in it six questions, one for each
thing. Nearby questions are more frequent, so that a layer with a window has something to learn from. Notebook 08 lets
stacks with and without windows answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import Decoder, DecoderLayer
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.norm import NormPlaces, RMSNorm
from anatomy_utils.nn.positions import RotaryPositions
from anatomy_utils.training.loop import fit
from anatomy_utils.training.losses import cross_entropy
from anatomy_utils.training.schedules import linear_schedule
from anatomy_utils.training.seeding import seeded

THINGS, PLACES, CHATTER, LENGTH = 6, 6, 8, 128
"""How many different ones there are, and how many tokens a text has."""
ASKED = THINGS + PLACES + CHATTER
"""The id that makes a question of a thing."""
D_MODEL, BATCH, LEARNING_RATE, TESTED = 32, 6, 0.01, 200
STEP = 15
"""A layer whose window is 16 sees itself and 15 tokens before it."""


class Texts(NamedTuple):
    """Texts, and their questions in the order of what was told."""

    words: Int[Tensor, "text position 2"]
    """Two ids a token, whose vectors are added: a thing and its place, a thing and `ASKED`, or chatter twice."""
    asked_at: Int[Tensor, "text question"]
    place: Int[Tensor, "text question"]
    """The right answers."""

    @property
    def distance(self) -> Int[Tensor, "text question"]:
        """How many tokens after the answer each question comes."""
        return self.asked_at - torch.arange(THINGS)


def texts(count: int, generator: torch.Generator) -> Texts:
    """The next texts.

    >>> [tuple(part.shape) for part in texts(3, torch.Generator().manual_seed(0))]
    [(3, 128, 2), (3, 6), (3, 6)]
    """
    later = LENGTH - THINGS
    thing = torch.rand(count, THINGS, generator=generator).argsort(1)
    place = torch.randint(PLACES, (count, THINGS), generator=generator)
    chatter = THINGS + PLACES + torch.randint(CHATTER, (count, later), generator=generator)
    first, second = torch.cat([thing, chatter], 1), torch.cat([THINGS + place, chatter], 1)
    waiting = -torch.rand(count, later, generator=generator).log() * torch.arange(4, later + 4)
    nearest = waiting.argsort(1)[:, :THINGS]  # each place is drawn with a probability like 1 / its distance
    asked_at = THINGS + nearest.gather(1, torch.rand(count, THINGS, generator=generator).argsort(1))
    first, second = first.scatter(1, asked_at, thing), second.scatter(1, asked_at, ASKED)
    return Texts(torch.stack([first, second], -1), asked_at, place)


class Answerer(nn.Module):
    """A decoder of one layer for each window, and a linear layer that names a place."""

    def __init__(self, windows: Sequence[int | None]) -> None:
        super().__init__()
        words, layers = Embeddings(ASKED + 1, D_MODEL), [_layer(window) for window in windows]
        self.decoder = Decoder(words, layers, norm=RMSNorm(D_MODEL), rotary=RotaryPositions(D_MODEL))
        self.name = nn.Linear(D_MODEL, PLACES)

    def forward(self, batch: Texts) -> Float[Tensor, "text question place"]:
        """The logits of the place that each question asks for."""
        states = self.decoder.run_layers(self.decoder.embeddings.tokens(batch.words).sum(2))
        return self.name(states.gather(1, batch.asked_at[..., None].expand(-1, -1, D_MODEL)))


def _layer(window: int | None) -> DecoderLayer:
    attention_norms, network_norms = (NormPlaces(before=RMSNorm(D_MODEL)) for _ in range(2))
    attention, network = MultiHeadAttention(D_MODEL, 1, bias=False), FeedForward(D_MODEL, D_MODEL)
    return DecoderLayer(
        attention, network, self_attention_norms=attention_norms, feed_forward_norms=network_norms, window=window
    )


def recall(windows: Sequence[int | None], seed: int, *, steps: int = 90) -> list[float]:
    """Train a stack, and ask it on new texts.

    Args:
        windows: of each layer, its own token included; None sees everything before it.
        seed: of weights and texts.
        steps: of 6 texts each.

    Returns:
        The share of right answers by distance: 1 to 15 tokens, 16 to 30, 31 to 45, and so on, up to 120.
    """
    generator = torch.Generator().manual_seed(seed)
    with seeded(generator):
        model = Answerer(windows)
    batches = [texts(BATCH, generator) for _ in range(steps)]
    schedule = linear_schedule(LEARNING_RATE, steps=steps, warmup=steps // 6)
    fit(model, batches, lambda model, batch: cross_entropy(model(batch), batch.place), learning_rate=schedule,
        progress=False)  # fmt: skip
    test = texts(TESTED, generator)
    with torch.no_grad():
        right = (model(test).argmax(-1) == test.place).float()
    far = (test.distance - 1) // STEP
    return [right[far == number].mean().item() for number in range(LENGTH // STEP)]
