"""The first minute of notebook 00: the reader's own sentence, continued by SmolLM2 and read by MiniLM's 72 heads.

Nothing is loaded before the reader types: what the view shows first was recorded by `docs/record_first_words.py`.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from anatomy_course.lab.street.vocabulary import Vocabulary
from anatomy_course.views.first_words.view import (
    FirstWords,
    Heads,
    Loader,
    Rival,
    SentenceReader,
    SentenceWriter,
    Written,
)
from anatomy_course.views.token_text import spelling
from anatomy_utils import pretrained
from anatomy_utils.decoding.stepper import Chosen, Stepper
from anatomy_utils.interpret import activations
from anatomy_utils.nn.cache import KeyValueCache
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.zoo.tokenizer import Tokenizer

RECORDED = Path(__file__).with_suffix(".json")
MOST_WRITTEN = 32
RIVALS = 5


def type_a_sentence() -> FirstWords:
    """A field for a sentence; SmolLM2 goes on with it, and MiniLM's heads show where they look.

    It opens with a recorded sentence; the two models are loaded when the reader begins to type.
    """
    kept = json.loads(RECORDED.read_text("utf-8"))
    count = len(kept["tokens"])
    weights = np.frombuffer(base64.b64decode(kept["weights"]), np.uint8) / 255
    return FirstWords(
        Loader("MiniLM, 23 million parameters, about 2 seconds", load_reader),
        Loader("SmolLM2, 135 million parameters, about 7 seconds", load_writer),
        sentence=kept["sentence"],
        heads=Heads(kept["tokens"], weights.reshape(*kept["heads"], count, count)),
        written=[_written(**each) for each in kept["written"]],
        chosen=(kept["chosen"][0], kept["chosen"][1]),
        word=kept["word"],
    )


def load_reader() -> EncoderReader:
    """MiniLM, ready to read."""
    return EncoderReader(*pretrained.load("minilm"))  # type: ignore[arg-type]


def load_writer() -> ModelWriter:
    """SmolLM2, ready to write."""
    return ModelWriter(*pretrained.load("smollm2"))  # type: ignore[arg-type]


def recording(
    reader: SentenceReader, writer: SentenceWriter, sentence: str, word: str, towards: str, more: int
) -> dict[str, Any]:
    """What the view shows at first, as `RECORDED` holds it; the head is the one that looks most from word to word."""
    view = FirstWords(
        Loader("", lambda: reader), Loader("", lambda: writer), sentence=sentence,
        heads=reader.read(sentence), written=writer.write(sentence, [], more),
    )  # fmt: skip
    looks = view.attention()[:, :, view.tokens.index(word), view.tokens.index(towards)]
    written = [
        {**each, "probability": round(each["probability"], 4),
         "rivals": [{**rival, "probability": round(rival["probability"], 4)} for rival in each["rivals"]]}
        for each in view.written
    ]  # fmt: skip
    return {
        "sentence": sentence, "tokens": view.tokens, "heads": view.heads, "word": word,
        "chosen": [int(each) for each in np.unravel_index(int(looks.argmax()), looks.shape)],
        "written": written, "weights": base64.b64encode(view.weights).decode("ascii"),
    }  # fmt: skip


class EncoderReader:
    """An encoder with its tokenizer, as the view asks it."""

    def __init__(self, encoder: Encoder, tokenizer: Tokenizer) -> None:
        self._encoder, self._tokenizer = encoder, tokenizer

    def read(self, sentence: str) -> Heads:
        """Where every head of every layer looks."""
        tokens, seen = activations.read_activations(self._encoder, self._tokenizer, sentence)
        weights = [each[0] for each in seen.matching("layers.*.self_attention.weights").values()]
        return Heads(tokens, torch.stack(weights))


class ModelWriter:
    """A language model with its vocabulary, as the view asks it; it remembers the text that it wrote last."""

    def __init__(self, model: LanguageModel, words: Vocabulary | Tokenizer) -> None:
        self._model, self._spelled = model, spelling(words)
        self._sentence = ""
        self._stepper: Stepper[KeyValueCache] | None = None

    def write(self, sentence: str, token_ids: Sequence[int], more: int) -> list[Written]:
        """These tokens and up to `more` of the likeliest after them, until the text ends or the room does."""
        if len(token_ids) > MOST_WRITTEN:
            raise ValueError(f"{len(token_ids)} tokens were asked for; up to {MOST_WRITTEN} are written.")
        stepper = self._begun(sentence)
        same = 0
        for kept, wanted in zip(stepper.token_ids, token_ids, strict=False):
            if kept != wanted:
                break
            same += 1
        stepper.back(len(stepper.token_ids) - same)
        for token_id in [*token_ids[same:], *[None] * more]:
            if stepper.ended or len(stepper.token_ids) == MOST_WRITTEN:
                break
            stepper.advance(token_id)
        return [self._told(step) for step in stepper.steps]

    def _begun(self, sentence: str) -> Stepper[KeyValueCache]:
        """The text that follows this sentence; another one is begun where there is none yet."""
        if self._stepper is None or sentence != self._sentence:
            ids = self._spelled.ids(sentence)
            self._stepper = Stepper(
                self._model.step, lambda: self._model.start(1, len(ids) + MOST_WRITTEN), torch.tensor([ids]),
                stop_ids=self._spelled.stop_ids, show=RIVALS,
            )  # fmt: skip
            self._sentence = sentence
        return self._stepper

    def _told(self, step: Chosen) -> Written:
        rivals = tuple(Rival(each.token_id, self._spelled.word(each.token_id), each.before) for each in step.candidates)
        own = next(each for each in rivals if each.token_id == step.token_id)
        return Written(step.token_id, own.word, own.probability, step.ended, rivals[:RIVALS])


def _written(rivals: list[dict[str, Any]], **rest: Any) -> Written:
    return Written(**rest, rivals=tuple(Rival(**each) for each in rivals))
