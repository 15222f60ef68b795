"""The first minute of the course: a sentence of one's own, two small models, and what they make of it.

One model goes on with the sentence, token by token, each with the rivals it had; the other reads it, and all its heads
show where they look. Both are loaded when the reader begins to type; until then the view shows what was recorded. The
class knows no model: it is given what loads a reader and a writer. Notebook 00.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import traitlets

from anatomy_course.figures.picture import Picture
from anatomy_course.figures.two_models import two_models
from anatomy_course.lab.street.vocabulary import Vocabulary
from anatomy_course.views._kit.base import buffer_trait, weight_bytes
from anatomy_course.views._kit.checks import numbers, word_list
from anatomy_course.views._kit.request import LONGEST_SENTENCE, Asking, usable_sentence
from anatomy_course.views._kit.token_text import spelling
from anatomy_course.views._kit.writing import stepper_of
from anatomy_utils import pretrained
from anatomy_utils.decoding.stepper import Chosen, Stepper
from anatomy_utils.interpret import activations
from anatomy_utils.nn.cache import KeyValueCache
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.zoo.tokenizer import Tokenizer

MOST_TOKENS = 40
"""Tokens of a sentence whose lines can still be told apart."""
RECORDED = Path(__file__).with_name("recorded.json")
MOST_WRITTEN = 32
RIVALS = 5


@dataclass(frozen=True)
class Rival:
    """A token that might have come, with its probability."""

    token_id: int
    word: str
    probability: float


@dataclass(frozen=True)
class Written:
    """A token that was written, with its probability and the likeliest rivals, itself among them."""

    token_id: int
    word: str
    probability: float
    ends: bool
    rivals: tuple[Rival, ...]


@dataclass(frozen=True)
class Heads:
    """What the heads of a model look at: its tokens, and weights of shape (layer, head, query, key)."""

    tokens: Sequence[str]
    weights: Any


@dataclass(frozen=True)
class Loader:
    """A model to be loaded when it is first needed: `name` says what it is and how long that takes."""

    name: str
    load: Callable[[], Any]


class FirstWords(Asking):
    """A field for a sentence, what a model writes after it, and the heads of another that reads it.

    Args:
        reader: loads an `EncoderReader`.
        writer: loads a `ModelWriter`.
        sentence, heads, written: what was recorded of both.
        chosen: layer and head shown large at first.
        word: the word whose lines are drawn at first; all words' if it is none of the tokens.

    Raises:
        ValueError: the recorded weights do not fit their tokens.
    """

    sentence = traitlets.Unicode().tag(sync=True)
    """The sentence that was read last."""
    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    weights = buffer_trait()
    """Every head's weights as one byte each, layer by layer, head by head, query by query."""
    heads = traitlets.List(traitlets.Int()).tag(sync=True)
    """How many layers there are, and heads in each."""
    written = traitlets.List(traitlets.Dict()).tag(sync=True)
    chosen = traitlets.List(traitlets.Int()).tag(sync=True)
    word = traitlets.Unicode().tag(sync=True)
    loading = traitlets.Unicode().tag(sync=True)
    """What is being loaded and how long it takes; empty when nothing is."""
    ready = traitlets.Bool(False).tag(sync=True)
    """Whether both models are loaded."""
    recorded = traitlets.Bool(True).tag(sync=True)
    """Whether what is shown comes from the recording."""
    longest = traitlets.Int(LONGEST_SENTENCE).tag(sync=True)

    def __init__(
        self,
        reader: Loader,
        writer: Loader,
        *,
        sentence: str,
        heads: Heads,
        written: Sequence[Written],
        chosen: tuple[int, int] = (0, 0),
        word: str = "",
        label: str = "Type a sentence: two small models answer",
    ) -> None:
        self._loaders = {"reader": reader, "writer": writer}
        self._models: dict[str, Any] = {}
        self._shown = list(chosen)
        super().__init__(
            **_read(heads), sentence=sentence, written=[asdict(each) for each in written], chosen=list(chosen),
            word=word, label=label, question={"do": "nothing"},
        )  # fmt: skip

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """Do what was asked: load, read or write."""
        do = question.get("do")
        if do == "load":
            self._model("reader")
            self._model("writer")
            return {"ready": True}
        if do not in ("read", "write"):
            raise ValueError(f"This view was asked to {do!r}; it can load, read and write.")
        sentence = " ".join(usable_sentence(question.get("sentence", "")).split())
        told: dict[str, Any] = {"recorded": False}
        if sentence != self.sentence:
            told |= {**self._looked(self._model("reader").read(sentence)), "sentence": sentence, "written": []}
        elif do == "read":
            return {}
        if do == "write":
            token_ids = [int(each) for each in question.get("token_ids", [])]
            written = self._model("writer").write(sentence, token_ids, int(question.get("more", 1)))
            told |= {"written": [asdict(each) for each in written], "ready": True}
        return told

    def _looked(self, heads: Heads) -> dict[str, Any]:
        """The traits of another sentence; the head shown is one worth seeing, unless the reader chose one."""
        found = striking(heads)
        if self.chosen != self._shown or found is None:
            return {**_read(heads), "word": ""}
        *self._shown, query = found
        return {**_read(heads), "chosen": self._shown, "word": heads.tokens[query]}

    def _model(self, role: str) -> Any:
        """The reader or the writer, loaded once; the page hears of it before it begins."""
        if role not in self._models:
            self.loading = self._loaders[role].name
            try:
                self._models[role] = self._loaders[role].load()
            finally:
                self.loading = ""
        return self._models[role]

    def text(self) -> str:
        """The sentence with what was written after it."""
        return self.sentence + "".join(each["word"] for each in self.written).replace("␣", " ").replace("↵", "\n")

    def attention(self) -> npt.NDArray[np.float64]:
        """Every head's weights, (layer, head, query, key), as the page has them."""
        count = len(self.tokens)
        return (np.frombuffer(self.weights, np.uint8) / 255).reshape(*self.heads, count, count)

    def still_picture(self) -> Picture:
        """The text, the likeliest next words, every head as a small map, and the lines of the chosen one."""
        weights, rivals = self.attention(), self.written[0]["rivals"] if self.written else []
        likeliest = [(each["word"].strip("␣"), each["probability"]) for each in rivals]
        layer, head = self.chosen
        query = self.tokens.index(self.word) if self.word in self.tokens else None
        count = weights.shape[0] * weights.shape[1]
        alt = f"Where each of MiniLM's {count} heads looks while it reads “{self.sentence}”."
        if query is not None:
            towards = int(weights[layer, head, query].argmax())
            alt += f" In layer {layer}, head {head}, “{self.word}” looks most at “{self.tokens[towards]}”."
        if likeliest:
            told = ", ".join(f"{word} {probability:.0%}" for word, probability in likeliest)
            alt = f"SmolLM2 completed the sentence: “{self.text()}” Its choice for the first new word: {told}. {alt}"
        return two_models(
            self.sentence, self.text()[len(self.sentence) :], likeliest, self.tokens, weights,
            chosen=(layer, head), query=query, title=f"{self.label} (recorded)", alt=alt,
        )  # fmt: skip


def striking(heads: Heads) -> tuple[int, int, int] | None:
    """The layer, head and query of the strongest look from one word to another not beside it; None without one."""
    places = np.arange(len(heads.tokens))
    word = np.array([text.isalpha() and heads.tokens.index(text) == i for i, text in enumerate(heads.tokens)], bool)
    apart = np.abs(places[:, None] - places) > 1
    far = np.where(word[:, None] & word & apart, np.asarray(heads.weights, dtype=float), 0.0)
    if not far.any():
        return None
    layer, head, query, _ = np.unravel_index(int(far.argmax()), far.shape)
    return int(layer), int(head), int(query)


def _read(heads: Heads) -> dict[str, Any]:
    """The traits that show what the heads look at."""
    tokens = list(heads.tokens)
    if len(tokens) > MOST_TOKENS:
        raise ValueError(
            f"For MiniLM that sentence makes {len(tokens)} pieces; the drawing has room for {MOST_TOKENS}: shorten it."
        )
    tokens = word_list(tokens, "tokens", at_most=MOST_TOKENS)
    weights = numbers(heads.weights, "weights", "layer head query key", query=len(tokens), key=len(tokens))
    return {"tokens": tokens, "weights": weight_bytes(weights), "heads": list(weights.shape[:2])}


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
    reader: EncoderReader, writer: ModelWriter, sentence: str, word: str, towards: str, more: int
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
            self._stepper = stepper_of(self._model, self._spelled, ids, MOST_WRITTEN, RIVALS)
            self._sentence = sentence
        return self._stepper

    def _told(self, step: Chosen) -> Written:
        rivals = tuple(Rival(each.token_id, self._spelled.word(each.token_id), each.before) for each in step.candidates)
        own = next(each for each in rivals if each.token_id == step.token_id)
        return Written(step.token_id, own.word, own.probability, step.ended, rivals[:RIVALS])


def _written(rivals: list[dict[str, Any]], **rest: Any) -> Written:
    return Written(**rest, rivals=tuple(Rival(**each) for each in rivals))
