"""Recurrent baselines: what came before the Transformer, small and trained in seconds.

`train_recurrent_translator` teaches a recurrent encoder–decoder with additive attention to put English into French,
`translate_with_weights` shows where it looked; `train_elmo` teaches two LSTMs to predict the street's words from either
side, `elmo_word_vectors` gives what they make of a word. Notebook 07.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from anatomy_course.lab.small_models.train import BATCH, OnStep, train_model
from anatomy_course.lab.small_models.translator import LONGEST, translation_loss
from anatomy_course.lab.street.batches import Batch, padded, to_translate, translation
from anatomy_course.lab.street.parser import say
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_course.lab.street.text import tokenize
from anatomy_course.lab.street.vocabulary import BOS, EOS, street_vocabulary
from anatomy_utils.decoding.generation import generate
from anatomy_utils.tap import watch
from anatomy_utils.training.history import History
from anatomy_utils.training.losses import IGNORE, cross_entropy
from anatomy_utils.training.seeding import seeded
from anatomy_utils.zoo.elmo import Elmo, ElmoConfig, elmo
from anatomy_utils.zoo.recurrent import RecurrentConfig, RecurrentTranslator

LEARNING_RATE = 2e-2


def train_recurrent_translator(
    seed: int = 0, *, steps: int = 180, on_step: OnStep | None = None, progress: bool = True
) -> tuple[RecurrentTranslator, History]:
    """A recurrent encoder–decoder, 64 features wide, that has learnt to put English into French.

    Arguments as for `train_classifier`.
    """
    generator = torch.Generator().manual_seed(seed)
    with seeded(generator):
        model = RecurrentTranslator(RecurrentConfig(len(street_vocabulary()), 64, 64, 64, 64))
    examples = translation(sample_scenes(steps * BATCH, generator, "train"), "french")
    return model, train_model(
        model, examples, translation_loss, learning_rate=LEARNING_RATE, on_step=on_step, progress=progress
    )


class TranslationWithWeights(NamedTuple):
    """What was read, what was written, and how much each written word looked at each word read; rows sum to 1."""

    read: list[str]
    written: list[str]
    weights: Float[Tensor, "target source"]


@torch.no_grad()
def translate_with_weights(model: RecurrentTranslator, text: str) -> TranslationWithWeights:
    """Put an English sentence into French, and watch where each word looked before it was written.

    Raises:
        ValueError: words that the street does not know.
    """
    input_ids, vocabulary = to_translate(text, "french").input_ids, street_vocabulary()
    start = torch.tensor([[vocabulary.bos_id]])
    with watch(model, "attention.weights") as seen:
        reading: Any = model.start(input_ids)
        written = generate(model.step, reading, start, max_new_tokens=LONGEST, stop_ids=[vocabulary.eos_id]).ids[0, 1:]
    weights = torch.cat(seen.all("attention.weights"))
    return TranslationWithWeights(vocabulary.tokens(input_ids[0]), vocabulary.tokens(written), weights[: len(written)])


def train_elmo(
    seed: int = 0, *, steps: int = 120, on_step: OnStep | None = None, progress: bool = True
) -> tuple[Elmo, History]:
    """An ELMo of two layers, 48 features wide in either direction, that has learnt the street's English.

    Arguments as for `train_classifier`.
    """
    generator = torch.Generator().manual_seed(seed)
    with seeded(generator):
        model = elmo(ElmoConfig(len(street_vocabulary()), d_model=48, d_hidden=48))
    scenes = sample_scenes(steps * BATCH, generator, "train")
    examples = Batch(*padded([[BOS, *say(scene, "english").tokens, EOS] for scene in scenes]))
    return model, train_model(
        model, examples, bidirectional_loss, learning_rate=LEARNING_RATE, on_step=on_step, progress=progress
    )


def bidirectional_loss(model: Elmo, batch: Batch) -> Tensor:
    """The mean of two cross-entropies: of each word behind, from the left, and of each word before, from the right."""
    following, preceding = model.language_model(batch.input_ids, batch.attention_mask)
    words, fills_up = batch.input_ids, batch.attention_mask[:, 1:] == 0
    behind = cross_entropy(following[:, :-1], words[:, 1:].masked_fill(fills_up, IGNORE))
    before = cross_entropy(preceding[:, 1:], words[:, :-1].masked_fill(fills_up, IGNORE))
    return (behind + before) / 2


@torch.no_grad()
def elmo_word_vectors(model: Elmo, text: str, word: str) -> Float[Tensor, "state two_directions d_model"]:
    """What every layer of an ELMo makes of a word in an English sentence: from the left, and from the right.

    Raises:
        ValueError: the word is not in the sentence, or the street does not know one of its words.
    """
    tokens = [BOS, *tokenize(text), EOS]
    if word not in tokens:
        raise ValueError(f"{word!r} is not among the words {' '.join(tokens)}; choose one of them.")
    input_ids = torch.tensor([street_vocabulary().ids(tokens)])
    states = model.language_model.states(input_ids)[:, 0, tokens.index(word)]
    return states.unflatten(-1, (2, -1))
