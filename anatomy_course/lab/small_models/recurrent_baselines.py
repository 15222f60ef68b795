"""A recurrent baseline: what came before the Transformer, small and trained in seconds.

`train_elmo` teaches two LSTMs to predict the street's words from either side, `elmo_word_vectors` gives what they make
of a word. Notebook 07.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from anatomy_course.lab.small_models.train import BATCH, OnStep, train_model
from anatomy_course.lab.street.batches import Batch, padded
from anatomy_course.lab.street.parser import say
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_course.lab.street.text import tokenize
from anatomy_course.lab.street.vocabulary import BOS, EOS, street_vocabulary
from anatomy_utils.training.history import History
from anatomy_utils.training.losses import IGNORE, cross_entropy
from anatomy_utils.training.seeding import seeded
from anatomy_utils.zoo.elmo import Elmo, ElmoConfig, elmo

LEARNING_RATE = 2e-2


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
