"""Text to text: the translator's model also sums up and answers, because every task is a text to read and one to write.

Raffel et al. 2020 (arXiv:1910.10683). The first token of the input says what is wanted: <french>, <english>, <summary>
or <answer>. Nothing else tells the tasks apart; the weights are the same. Notebook 06.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

import torch
from torch.nn import functional as F

from anatomy_course.lab.small_models.train import OnStep, train_model
from anatomy_course.lab.small_models.translator import small_transformer, translate, translation_loss
from anatomy_course.lab.street.batches import (
    TextToText,
    answering,
    summarization,
    text_to_text,
    to_translate,
    translation,
)
from anatomy_course.lab.street.lexicon import name_unknown, unknown_words, words_of
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_course.lab.street.scene import Scene
from anatomy_course.lab.street.text import tokenize
from anatomy_course.lab.street.vocabulary import SEP, TASKS, street_vocabulary
from anatomy_utils.nn.encoder_decoder import EncoderDecoder
from anatomy_utils.training.history import History
from anatomy_utils.training.losses import IGNORE

BATCH, LEARNING_RATE = 64, 6e-3
"""Sentences a step and the highest rate: these tasks are learnt in fewer steps with them than the translator's."""


def train_text_to_text(
    seed: int = 0,
    *,
    tasks: Sequence[str] = ("<summary>", "<answer>"),
    steps: int = 500,
    on_step: OnStep | None = None,
    progress: bool = True,
) -> tuple[EncoderDecoder, History]:
    """One model for several tasks: the translator's, with the tasks' sentences in turn.

    Args:
        seed: of the weights, the sentences and the questions.
        tasks: some of `street.vocabulary.TASKS`, each with as many sentences as the others.
        steps: of 64 sentences each.
        on_step: see `train.OnStep`.
        progress: show a bar.
    """
    generator = torch.Generator().manual_seed(seed)
    model = small_transformer(generator)
    scenes = sample_scenes(steps * BATCH, generator, "train")
    each = [task_examples(task, scenes[number :: len(tasks)], generator) for number, task in enumerate(tasks)]
    history = train_model(
        model, interleave(each), translation_loss, batch_size=BATCH, learning_rate=LEARNING_RATE,
        on_step=on_step, progress=progress,
    )  # fmt: skip
    return model, history


def task_examples(task: str, scenes: Sequence[Scene], generator: torch.Generator) -> TextToText:
    """Scenes as texts of one task. The generator draws the questions to be answered.

    Raises:
        ValueError: there is no such task.
    """
    match task:
        case "<french>" | "<english>":
            return translation(scenes, task.strip("<>"))
        case "<summary>":
            return summarization(scenes)
        case "<answer>":
            return answering(scenes, generator)
    raise ValueError(f"The tasks are {', '.join(TASKS)}; there is no {task!r}.")


def interleave(batches: Sequence[TextToText]) -> TextToText:
    """The first text of each batch, then the second of each, and so on; the last ones that are not in all are left out.

    Batches of different widths are padded to the widest.
    """
    filling = {"input_ids": street_vocabulary().pad_id, "decoder_input_ids": street_vocabulary().pad_id}
    count, merged = min(map(len, batches)), {}
    for field in fields(TextToText):
        parts = [getattr(batch, field.name)[:count] for batch in batches]
        width = max(part.shape[1] for part in parts)
        empty = filling.get(field.name, IGNORE if field.name == "labels" else 0)
        padded = [F.pad(part, (0, width - part.shape[1]), value=empty) for part in parts]
        merged[field.name] = torch.stack(padded, dim=1).flatten(0, 1)
    return TextToText(**merged)


def text_to_text_exact_match(model: EncoderDecoder, batch: TextToText) -> float:
    """The share of texts, from 0 to 1, that the model writes right to the last word."""
    vocabulary = street_vocabulary()
    right = [vocabulary.text(labels[labels != IGNORE]) for labels in batch.labels]
    return sum(map(str.__eq__, translate(model, batch), right)) / len(batch)


def write_for_task(model: EncoderDecoder, task: str, text: str, question: str = "") -> str:
    """What the model makes of a sentence that you type.

    Args:
        model: from `train_text_to_text`; of a task that it has not learnt it makes nonsense.
        task: one of `street.vocabulary.TASKS`.
        text: a sentence of the street, in English unless it is to be translated into English.
        question: about the sentence, for "<answer>".

    Raises:
        ValueError: no such task, or words that the street does not know.
    """
    if task in ("<french>", "<english>"):
        return translate(model, to_translate(text, task.strip("<>")))[0]
    if task not in TASKS:
        raise ValueError(f"The tasks are {', '.join(TASKS)}; there is no {task!r}.")
    asked = [*tokenize(question), SEP] if task == "<answer>" else []
    words = [*asked, *tokenize(text)]
    if unknown := unknown_words([word for word in words if word != SEP], words_of("english")):
        raise ValueError(name_unknown(unknown, words_of("english")))
    return translate(model, text_to_text([[task, *words]], [()]))[0]
