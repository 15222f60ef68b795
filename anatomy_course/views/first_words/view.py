"""The first minute of the course: a sentence of one's own, two small models, and what they make of it.

One model goes on with the sentence, token by token, each with the rivals it had; the other reads it, and all its heads
show where they look. Both are loaded when the reader begins to type; until then the view shows what was recorded. The
widget knows no model: it is given what loads a reader and a writer. Notebook 00.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, runtime_checkable

import numpy as np
import traitlets

from anatomy_course.views._kit.base import buffer_trait, numbers, weight_bytes, word_list
from anatomy_course.views._kit.request import LONGEST_SENTENCE, Asking, usable_sentence

if TYPE_CHECKING:
    import numpy.typing as npt

    from anatomy_course.figures.picture import Picture

MOST_TOKENS = 40
"""Tokens of a sentence whose lines can still be told apart."""
DEFAULT_LABEL = "Type a sentence: two small models answer"
Made = TypeVar("Made", covariant=True)


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


@runtime_checkable
class SentenceReader(Protocol):
    """A model that reads a sentence."""

    def read(self, sentence: str) -> Heads:
        """Where every head looks."""


@runtime_checkable
class SentenceWriter(Protocol):
    """A model that goes on with a sentence."""

    def write(self, sentence: str, token_ids: Sequence[int], more: int) -> Sequence[Written]:
        """These tokens, and up to `more` of the likeliest after them."""


@dataclass(frozen=True)
class Loader(Generic[Made]):
    """A model to be loaded when it is first needed: `name` says what it is and how long that takes."""

    name: str
    load: Callable[[], Made]


class FirstWords(
    Asking, module="first_words/view.js", shares=("_kit/spoken.js", "first_words/text.js", "first_words/heads.js")
):
    """A field for a sentence, what a model writes after it, and the heads of another that reads it.

    Args:
        reader: loads the model that reads.
        writer: loads the model that writes.
        sentence: the recorded sentence.
        heads: what was recorded of the reader.
        written: what was recorded of the writer.
        chosen: layer and head shown large at first.
        word: the word whose lines are drawn at first; all words' if it is none of the tokens.
        label: heading and accessible name.

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
        reader: Loader[SentenceReader],
        writer: Loader[SentenceWriter],
        *,
        sentence: str,
        heads: Heads,
        written: Sequence[Written],
        chosen: tuple[int, int] = (0, 0),
        word: str = "",
        label: str = DEFAULT_LABEL,
    ) -> None:
        self._loaders: dict[str, Loader[Any]] = {"reader": reader, "writer": writer}
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

    def static_twin(self) -> Picture:
        """The text, the likeliest next words, every head as a small map, and the lines of the chosen one."""
        from anatomy_course.figures.two_models import two_models

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
    weights = numbers(heads.weights, "weights", ("layer", "head", "query", "key"))
    if weights.shape[2:] != (len(tokens), len(tokens)):
        raise ValueError(f"The weights have shape {weights.shape} for {len(tokens)} tokens; give one for each pair.")
    return {"tokens": tokens, "weights": weight_bytes(weights), "heads": list(weights.shape[:2])}
