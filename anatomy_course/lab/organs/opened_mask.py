"""The opened mask: a body that has learned to write is made to read both sides, and tags what *it* means.

Whether a position may look ahead is an argument of the stack, not a weight. So the mask of a decoder can be opened,
and a few steps of masked words show the weights what they see now (BehnamGhader et al. 2024, arXiv:2404.05961).
Starting point are the twins of `filling`; each cure learns the same few labeled sentences. Notebook 08.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from functools import partial
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from anatomy_course.lab.organs.filling import BATCH, as_rows, filling_loss, short_sentences
from anatomy_course.lab.small_models.encoder_tasks import D_MODEL, label_loss
from anatomy_course.lab.small_models.train import train_batches
from anatomy_course.lab.street.batches import tagging
from anatomy_course.lab.street.labels import TAGS
from anatomy_course.lab.street.vocabulary import street_vocabulary
from anatomy_utils.functional import masks
from anatomy_utils.nn.heads import TokenHead, WithHead
from anatomy_utils.training.seeding import seeded

LABELED, STEPS, ADAPTING, LEARNING_RATE = 200, 100, 60, 4e-3
"""Sentences with tags; steps on them; steps of masked words; the highest rate of both."""


class Opened(nn.Module):
    """A decoder's body with its mask open. The weights are its own.

    Args:
        decoder: shared, not copied.

    Raises:
        ValueError: a layer has a window, which looks back only.
    """

    def __init__(self, decoder: nn.Module) -> None:
        super().__init__()
        self.decoder: Any = decoder
        layers: Any = self.decoder.layers
        if any(layer.window is not None for layer in layers):
            raise ValueError("A layer with a window stays causal; give a decoder whose layers have none.")

    def forward(
        self, input_ids: Int[Tensor, "batch position"], attention_mask: Int[Tensor, "batch position"] | None = None
    ) -> Float[Tensor, "batch position d_model"]:
        """As the decoder, but each position sees the whole text."""
        mask = None if attention_mask is None else masks.padding(attention_mask)
        return self.decoder.run_layers(self.decoder.embeddings(input_ids), mask, causal=False)


def adapted(writer: WithHead, seed: int, *, steps: int = ADAPTING) -> WithHead:
    """A copy of a writer with its mask open that has guessed masked words for a few steps.

    Args:
        writer: from `filling.train_twins`; stays as it is.
        seed: of the sentences and the masks.
        steps: of 32 sentences each.
    """
    generator = torch.Generator().manual_seed(seed)
    copy = deepcopy(writer)
    opened = WithHead(Opened(copy.body), copy.head)
    texts = as_rows(short_sentences(steps * BATCH, generator)).split(BATCH)
    loss = partial(filling_loss, generator=generator)
    train_batches(opened, texts, loss, learning_rate=LEARNING_RATE, progress=False)
    return opened


def train_tagger(body: nn.Module, seed: int, *, steps: int = STEPS, learning_rate: float = LEARNING_RATE) -> WithHead:
    """A copy of a body that has learned to tag a few labeled sentences, the same ones for the same seed.

    Args:
        body: stays as it is.
        seed: of the sentences, their order and the head.
        steps: of 32 sentences each.
        learning_rate: the highest one.
    """
    generator = torch.Generator().manual_seed(1000 + seed)
    examples = tagging(short_sentences(LABELED, generator))
    with seeded(generator):
        model = WithHead(deepcopy(body), TokenHead(D_MODEL, len(TAGS)))
    batches = [examples[torch.randperm(LABELED, generator=generator)[:BATCH]] for _ in range(steps)]
    train_batches(model, batches, label_loss, learning_rate=learning_rate, progress=False)
    return model


@torch.no_grad()
def right_tags(model: nn.Module, *, count: int = 400) -> tuple[float, float]:
    """The share of right tags in unseen sentences, from 0 to 1: of *it*, and of all other words.

    Args:
        model: from `train_tagger`, or with its body in another shape.
        count: how many sentences.
    """
    test = tagging(short_sentences(count, torch.Generator().manual_seed(9), "test"))
    tags = model(test.input_ids, test.attention_mask).argmax(-1)
    right, pronoun = tags == test.labels, test.input_ids == street_vocabulary().ids(["it"])[0]
    others = (test.labels >= 0) & ~pronoun
    return right[pronoun].float().mean().item(), right[others].float().mean().item()


def cures(twins: Mapping[str, WithHead], opened: WithHead, seed: int) -> dict[str, WithHead]:
    """Taggers that have learned from the same sentences, each with another body.

    Args:
        twins: from `filling.train_twins`.
        opened: their writer, `adapted`.
        seed: of the sentences.
    """
    writer, filler = twins["writer"], twins["filler"]
    closed = train_tagger(writer.body, seed)
    return {
        "a writer, as it is": closed,
        "its mask opened in use only": WithHead(Opened(closed.body), closed.head),
        "opened before it learns tags": train_tagger(Opened(writer.body), seed),
        "opened, masked words, then tags": train_tagger(opened.body, seed),
        "an encoder from the start": train_tagger(filler.body, seed),
    }
