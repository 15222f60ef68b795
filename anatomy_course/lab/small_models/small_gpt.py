"""A small GPT that writes sentences of the toy language, judged by its grammar.

Notebook 05 trains it. It never hears of the grammar: it reads sentences and learns to say which word comes next.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from anatomy_course.lab.small_models.encoder_tasks import label_loss
from anatomy_course.lab.small_models.train import OnStep, train_model
from anatomy_course.lab.street.batches import language_modeling
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_course.lab.street.vocabulary import street_vocabulary
from anatomy_utils.decoding.filters import Filters
from anatomy_utils.decoding.generation import generate
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.training.history import History
from anatomy_utils.zoo.gpt2 import Gpt2Config, gpt2, initialize

BATCH, LEARNING_RATE = 64, 8e-3
NUM_LAYERS = 2
LONGEST = 32
"""Tokens after which a text is cut off; the street's longest English sentence has 15."""
UNFILTERED = Filters()


OnModel = Callable[[LanguageModel, int], object]
"""Called with the model and the number of steps done: before the first one, and after each; see `sample_log`."""


def new_small_gpt(generator: torch.Generator) -> LanguageModel:
    """A GPT-2 of 2 layers, 64 features wide, that has learnt nothing yet.

    Args:
        generator: the source of its weights.
    """
    config = Gpt2Config(
        len(street_vocabulary()),
        d_model=64,
        num_layers=NUM_LAYERS,
        num_heads=4,
        max_positions=1 + LONGEST,
        d_ff=256,
        dropout=0.0,
        attention_dropout=0.0,
    )
    model = LanguageModel(gpt2(config), nn.Linear(config.d_model, config.vocab_size, bias=False))
    initialize(model, NUM_LAYERS, generator=generator)
    return model


def train_small_gpt(
    seed: int = 0,
    *,
    steps: int = 1500,
    on_step: OnStep | None = None,
    on_model: OnModel | None = None,
    progress: bool = True,
) -> tuple[LanguageModel, History]:
    """Train a `new_small_gpt`.

    Args:
        seed: of the weights and the sentences.
        steps: of 64 sentences each.
        on_step: see `train.OnStep`.
        on_model: see `OnModel`.
        progress: show a bar.
    """
    generator = torch.Generator().manual_seed(seed)
    model = new_small_gpt(generator)
    if on_model is not None:
        on_model(model, 0)

    def after(history: History) -> object:
        if on_model is not None:
            on_model(model, len(history))
        return None if on_step is None else on_step(history)

    examples = language_modeling(sample_scenes(steps * BATCH, generator, "train"))
    history = train_model(
        model,
        examples,
        label_loss,
        batch_size=BATCH,
        learning_rate=LEARNING_RATE,
        on_step=after,
        progress=progress,
    )
    return model, history


def sample_texts(
    model: LanguageModel, count: int, generator: torch.Generator, *, filters: Filters = UNFILTERED
) -> list[str]:
    """Write texts word by word, each word drawn with its probability, until the model says <eos>.

    `street.share_grammatical` judges them: every form must be right, and the reason must make sense. One wrong
    word of a dozen spoils a sentence, and of the hundreds that do not fit one is drawn now and then.
    `Filters(top_p=0.98)` leaves out the unlikeliest words, which together have a probability below 2 %.

    Args:
        model: from `train_small_gpt`.
        count: how many texts.
        generator: the source of chance.
        filters: what is done to the probabilities before a word is drawn; left out: nothing (temperature 1).
    """
    vocabulary = street_vocabulary()
    start = torch.full((count, 1), vocabulary.bos_id)
    written = generate(
        model.step,
        model.start(count, 1 + LONGEST),
        start,
        max_new_tokens=LONGEST,
        stop_ids=[vocabulary.eos_id],
        filters=filters,
        generator=generator,
    )
    return [vocabulary.text(row) for row in written.rows()]
