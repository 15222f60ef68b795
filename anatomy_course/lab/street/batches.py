"""Scenes as tensors, one function for each task.

Each function turns a list of scenes into one `Batch`; `batch[rows]` takes some of its rows, and `shuffled` goes
through it once in random order. Notebooks 03 to 06 train on what stands here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import TypeVar

import torch
from jaxtyping import Int
from torch import Tensor

from anatomy_course.lab.street.labels import CLASSES, QUESTIONS, TAGS, SceneQuestion, ask, class_of, summary, tags
from anatomy_course.lab.street.lexicon import name_unknown, unknown_words, words_of
from anatomy_course.lab.street.parser import say
from anatomy_course.lab.street.scene import Scene
from anatomy_course.lab.street.text import tokenize
from anatomy_course.lab.street.vocabulary import BOS, EOS, SEP, street_vocabulary
from anatomy_course.lab.street.words import Language
from anatomy_utils.training.losses import IGNORE

AnyBatch = TypeVar("AnyBatch", bound="Batch")


@dataclass(frozen=True)
class Batch:
    """Input and what the model should make of it.

    Attributes:
        input_ids: (batch, position), padded at the end.
        attention_mask: (batch, position), 1 = real token, 0 = padding.
    """

    input_ids: Int[Tensor, "batch position"]
    attention_mask: Int[Tensor, "batch position"]

    def __len__(self) -> int:
        return self.input_ids.shape[0]

    def __getitem__(self: AnyBatch, rows: slice | list[int] | Tensor) -> AnyBatch:
        """Some of the rows, padded as the whole."""
        return replace(self, **{field.name: getattr(self, field.name)[rows] for field in fields(self)})

    def to(self: AnyBatch, device: torch.device | str) -> AnyBatch:
        """The same on another device."""
        return replace(self, **{field.name: getattr(self, field.name).to(device) for field in fields(self)})


@dataclass(frozen=True)
class Labeled(Batch):
    """Input with a label for each text, or for each of its positions.

    Attributes:
        labels: (batch) or (batch, position); `IGNORE` where there is nothing to say.
    """

    labels: Int[Tensor, "batch *label"]


@dataclass(frozen=True)
class Pointed(Batch):
    """A question and a text, and where in it the answer stands.

    Attributes:
        start_positions: (batch), the answer's first position in `input_ids`.
        end_positions: (batch), its last.
    """

    start_positions: Int[Tensor, " batch"]
    end_positions: Int[Tensor, " batch"]


@dataclass(frozen=True)
class TextToText(Batch):
    """A text to read and a text to write.

    Attributes:
        decoder_input_ids: (batch, target), what the decoder has written so far: <bos> and the text.
        decoder_attention_mask: (batch, target), 1 = real token, 0 = padding.
        labels: (batch, target), what it should write next: the text and <eos>, then `IGNORE`.
    """

    decoder_input_ids: Int[Tensor, "batch target"]
    decoder_attention_mask: Int[Tensor, "batch target"]
    labels: Int[Tensor, "batch target"]


def classification(scenes: Sequence[Scene], label: str = "topic", language: Language = "english") -> Labeled:
    """Sentences and their class, a number that counts through `labels.CLASSES[label]`. The first token is <bos>."""
    texts = [[BOS, *say(scene, language).tokens] for scene in scenes]
    classes = [CLASSES[label].index(class_of(scene, label)) for scene in scenes]
    return Labeled(*padded(texts), torch.tensor(classes))


def tagging(scenes: Sequence[Scene], language: Language = "english") -> Labeled:
    """Sentences and a tag for each word, a number that counts through `labels.TAGS`.

    The first token is <bos>, which has no tag.
    """
    sentences = [say(scene, language) for scene in scenes]
    numbers = [
        [IGNORE, *(TAGS.index(tag) for tag in tags(scene, sentence))]
        for scene, sentence in zip(scenes, sentences, strict=True)
    ]
    return Labeled(*padded([[BOS, *sentence.tokens] for sentence in sentences]), _pad(numbers, IGNORE))


def question_answering(scenes: Sequence[Scene], generator: torch.Generator) -> Pointed:
    """One question about each scene, drawn at random, and where its answer stands: <bos> question <sep> sentence."""
    texts, starts, ends = [], [], []
    for scene, question in zip(scenes, _draw_questions(scenes, generator), strict=True):
        text = [BOS, *question.tokens, SEP]
        starts.append(len(text) + question.answer.start)
        ends.append(len(text) + question.answer.stop - 1)
        texts.append([*text, *say(scene, "english").tokens])
    return Pointed(*padded(texts), torch.tensor(starts), torch.tensor(ends))


def language_modeling(scenes: Sequence[Scene], language: Language = "english") -> Labeled:
    """Sentences for a model that writes: <bos> and the sentence to read, the sentence and <eos> to predict.

    `labels` are shifted already: position i holds the token that follows `input_ids` at position i.
    """
    sentences = [say(scene, language).tokens for scene in scenes]
    return Labeled(*padded([[BOS, *tokens] for tokens in sentences]), _targets(sentences))


def translation(scenes: Sequence[Scene], to: Language) -> TextToText:
    """From one language into the other. The input begins with the language to write, <french> or <english>."""
    source: Language = "english" if to == "french" else "french"
    inputs = [[f"<{to}>", *say(scene, source).tokens] for scene in scenes]
    return text_to_text(inputs, [say(scene, to).tokens for scene in scenes])


def summarization(scenes: Sequence[Scene]) -> TextToText:
    """From a sentence to its short summary. The input begins with <summary>."""
    inputs = [["<summary>", *say(scene, "english").tokens] for scene in scenes]
    return text_to_text(inputs, [summary(scene) for scene in scenes])


def answering(scenes: Sequence[Scene], generator: torch.Generator) -> TextToText:
    """One question about each scene, drawn at random, and its answer as a text: <answer> question <sep> sentence."""
    questions = _draw_questions(scenes, generator)
    inputs = [
        ["<answer>", *question.tokens, SEP, *say(scene, "english").tokens]
        for scene, question in zip(scenes, questions, strict=True)
    ]
    return text_to_text(inputs, [question.answer_tokens for question in questions])


def text_to_text(inputs: Sequence[Sequence[str]], targets: Sequence[Sequence[str]]) -> TextToText:
    """Any texts to read and texts to write, cut into words of the street."""
    decoder_inputs = padded([[BOS, *target] for target in targets])
    labels = _targets(targets)
    return TextToText(*padded(inputs), *decoder_inputs, labels)


def to_translate(text: str, to: Language) -> Batch:
    """A sentence that somebody typed, as the translator's input.

    Raises:
        ValueError: words that the street's other language does not know; each is named, with the words nearest to it.
    """
    source: Language = "english" if to == "french" else "french"
    tokens = tokenize(text)
    if unknown := unknown_words(tokens, words_of(source)):
        raise ValueError(name_unknown(unknown, words_of(source)))
    return Batch(*padded([[f"<{to}>", *tokens]]))


def in_batches(batch: AnyBatch, batch_size: int) -> list[AnyBatch]:
    """All rows in their order, some at a time; the last few that do not fill a batch are left out."""
    return [batch[start : start + batch_size] for start in range(0, len(batch) - batch_size + 1, batch_size)]


def shuffled(batch: AnyBatch, batch_size: int, generator: torch.Generator) -> Iterator[AnyBatch]:
    """Go through all rows once, in random order, some at a time; the last few that do not fill a batch are left out."""
    order = torch.randperm(len(batch), generator=generator)
    for start in range(0, len(batch) - batch_size + 1, batch_size):
        yield batch[order[start : start + batch_size]]


def _draw_questions(scenes: Sequence[Scene], generator: torch.Generator) -> list[SceneQuestion]:
    numbers = torch.randint(len(QUESTIONS), (len(scenes),), generator=generator).tolist()
    return [ask(scene, QUESTIONS[number]) for scene, number in zip(scenes, numbers, strict=True)]


def padded(texts: Sequence[Sequence[str]]) -> tuple[Tensor, Tensor]:
    """The ids of texts cut into words, padded to one width, and the mask that tells them from padding."""
    ids = [street_vocabulary().ids(text) for text in texts]
    return _pad(ids, street_vocabulary().pad_id), _pad([[1] * len(row) for row in ids], 0)


def _targets(texts: Sequence[Sequence[str]]) -> Tensor:
    """What to write: the ids of each text and <eos>."""
    return _pad([street_vocabulary().ids([*text, EOS]) for text in texts], IGNORE)


def _pad(rows: Sequence[Sequence[int]], filling: int) -> Tensor:
    if not rows:
        raise ValueError("There are no scenes to make a batch of; pass at least one.")
    width = max(map(len, rows))
    return torch.tensor([[*row, *[filling] * (width - len(row))] for row in rows])
