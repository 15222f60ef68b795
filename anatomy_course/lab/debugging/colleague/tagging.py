"""Train a tagger that has a suspicious function inside, and count its right tags."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

from anatomy_course.lab.small_models.encoder_tasks import label_loss
from anatomy_course.lab.street.batches import shuffled, tagging
from anatomy_course.lab.street.labels import TAGS
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_course.lab.street.vocabulary import street_vocabulary
from anatomy_utils.training.history import History
from anatomy_utils.training.loop import fit
from anatomy_utils.training.losses import IGNORE

BATCH = 64
"""Sentences in a step of training."""


@dataclass(frozen=True)
class TaggingTrial:
    """How a tagger learned.

    Attributes:
        history: the loss of each step.
        all_words: the share of right tags among all words of unseen sentences.
        beginnings: the same among words with which an entity begins.
        pronouns: the same among *it* alone, whose tag is the kind of what it stands for.
        guess: the share of *it* that has the most common of its tags: what always guessing that one would get.
    """

    history: History
    all_words: float
    beginnings: float
    pronouns: float
    guess: float


def train_and_test_tagger(
    build: Callable[[torch.Generator], nn.Module],
    sentences: tuple[int, int],
    *,
    steps: int,
    learning_rate: float,
    seed: int,
) -> TaggingTrial:
    """Train a tagger on the toy language, and test it on unseen sentences.

    Args:
        build: generator → model of (input_ids, attention_mask) that gives logits (batch position tags).
        sentences: how many there are to train and to test on.
        steps: of `BATCH` sentences each.
        learning_rate: of every step.
        seed: of the model, the sentences and their order.
    """
    generator = torch.Generator().manual_seed(seed)
    train, test = (
        tagging(sample_scenes(count, generator, split))
        for count, split in zip(sentences, ("train", "test"), strict=True)
    )
    model = build(generator)
    batches = list(shuffled(train, BATCH, generator))
    history = fit(model, batches, label_loss, steps=steps, learning_rate=learning_rate, progress=False)
    with torch.no_grad():
        parts = [test[start : start + BATCH] for start in range(0, len(test), BATCH)]
        answers = torch.cat([model(part.input_ids, part.attention_mask).argmax(-1) for part in parts])
    right, real = answers == test.labels, test.labels != IGNORE
    begins = torch.tensor([tag.startswith("B") for tag in TAGS])[test.labels.clamp(min=0)] & real
    pronoun = test.input_ids == street_vocabulary().ids(["it"])[0]
    all_words, beginnings, pronouns = (right[words].float().mean().item() for words in (real, begins, pronoun))
    guess = test.labels[pronoun].bincount().max().item() / int(pronoun.sum())
    return TaggingTrial(history, all_words, beginnings, pronouns, guess)
