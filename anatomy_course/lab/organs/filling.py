"""Writing by filling in: a body that learns to guess hidden words at every rate, and a causal twin that goes on.

A diffusion language model (Nie et al. 2025, arXiv:2502.09992) is BERT's question with a rate that is drawn anew for
each text, from a few hidden words to all. Both bodies here have the same parts, numbers and sentences; only the mask
and the question differ. The sentences are about streets and waters, filled up with <eos> to one length. Notebook 08.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_course.lab.debugging.colleague.causal_tagger import colleagues_body
from anatomy_course.lab.small_models.encoder_tasks import D_MODEL, small_encoder
from anatomy_course.lab.small_models.train import train_batches
from anatomy_course.lab.street.parser import say
from anatomy_course.lab.street.sampling import draw_scenes
from anatomy_course.lab.street.scene import Scene
from anatomy_course.lab.street.vocabulary import EOS, MASK, street_vocabulary
from anatomy_utils.nn.heads import MaskedLanguageHead, WithHead
from anatomy_utils.nn.norm import LayerNorm
from anatomy_utils.training.losses import IGNORE, cross_entropy
from anatomy_utils.training.seeding import seeded
from anatomy_utils.training.threads import threads

TOPICS = ("street", "water")
LENGTH = 15
"""Words of the longest sentence; shorter ones end with <eos>."""
BATCH, STEPS, LEARNING_RATE = 32, 300, 6e-3
MASK_ID, BOS_ID = street_vocabulary().ids([MASK])[0], street_vocabulary().bos_id


def short_sentences(count: int, generator: torch.Generator, split: str = "train") -> list[Scene]:
    """Scenes about streets and waters.

    Args:
        count: how many.
        generator: draws them.
        split: "train" or "test".
    """
    return list(islice((scene for scene in draw_scenes(generator, split) if scene.topic in TOPICS), count))


def as_rows(scenes: Sequence[Scene]) -> Int[Tensor, "batch position"]:
    """The ids of the scenes' English sentences, each filled up with <eos> to `LENGTH` words."""
    texts = [say(scene, "english").tokens for scene in scenes]
    return torch.tensor([street_vocabulary().ids([*text, *[EOS] * (LENGTH - len(text))]) for text in texts])


def new_body(kind: str) -> WithHead:
    """A body of two layers, 64 wide, with a head that says words; weights are drawn from torch's global source.

    Args:
        kind: "filler" for an encoder, "writer" for its causal twin.
    """
    body: Any = small_encoder() if kind == "filler" else colleagues_body()
    return WithHead(body, MaskedLanguageHead(body.embeddings.tokens, LayerNorm(D_MODEL)))


def filling_loss(model: nn.Module, texts: Int[Tensor, "batch position"], generator: torch.Generator) -> Tensor:
    """Cross-entropy of the words behind masks; each text has its own rate, drawn evenly from 0 to 1."""
    rates = torch.rand(len(texts), 1, generator=generator)
    hidden = torch.rand(texts.shape, generator=generator) < rates
    logits = model(texts.masked_fill(hidden, MASK_ID))
    return cross_entropy(logits, texts.masked_fill(~hidden, IGNORE))


def writing_loss(model: nn.Module, texts: Int[Tensor, "batch position"]) -> Tensor:
    """Cross-entropy of every next word; each text is read behind <bos>."""
    return cross_entropy(model(F.pad(texts[:, :-1], (1, 0), value=BOS_ID)), texts)


def train_twins(seed: int, *, steps: int = STEPS) -> dict[str, WithHead]:
    """A filler and a writer that have read the same sentences.

    Args:
        seed: of the weights, the sentences and the masks.
        steps: of 32 sentences each.
    """
    models = {}
    for kind in ("filler", "writer"):
        generator = torch.Generator().manual_seed(seed)
        texts = as_rows(short_sentences(steps * BATCH, generator))
        with seeded(generator):
            models[kind] = new_body(kind)
        loss = partial(filling_loss, generator=generator) if kind == "filler" else writing_loss
        train_batches(models[kind], texts.split(BATCH), loss, learning_rate=LEARNING_RATE, progress=False)
    return models


class Guesses:
    """A filler's guesses: a word for each place, drawn with its probability, and how sure it is of it.

    Args:
        model: from `train_twins`.
        seed: of the words that are drawn.
        shuffled: say random numbers in place of how sure it is.
    """

    def __init__(self, model: nn.Module, seed: int, *, shuffled: bool = False) -> None:
        self.model, self.shuffled = model, shuffled
        self.generator = torch.Generator().manual_seed(seed)

    @threads(1)  # so small that sharing the work costs more than it brings
    @torch.no_grad()
    def __call__(
        self, ids: Int[Tensor, "batch position"]
    ) -> tuple[Int[Tensor, "batch position"], Float[Tensor, "batch position"]]:
        """The words, and numbers from 0 to 1."""
        logits = self.model(ids)
        logits[..., MASK_ID] = -math.inf
        words, sure = drawn(logits, self.generator)
        return words, torch.rand(sure.shape, generator=self.generator) if self.shuffled else sure


def drawn(logits: Float[Tensor, "*place word"], generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """For each place a word, drawn with its probability, and that probability."""
    chances = logits.softmax(-1)
    words = torch.multinomial(chances.flatten(0, -2), 1, generator=generator).view(chances.shape[:-1])
    return words, chances.gather(-1, words[..., None])[..., 0]


@threads(1)
@torch.no_grad()
def write_on(model: nn.Module, count: int, seed: int) -> Int[Tensor, "batch position"]:
    """What a writer writes, word after word, each drawn with its probability: the ids of `count` texts."""
    generator = torch.Generator().manual_seed(seed)
    ids = torch.full((count, 1), BOS_ID)
    for _ in range(LENGTH):
        ids = torch.cat([ids, drawn(model(ids)[:, -1:], generator)[0]], dim=1)
    return ids[:, 1:]
