"""The layer journey: which words a word is near to, layer by layer, in a real encoder.

Before the first layer a word has one vector wherever it stands; on the way up its sentence pulls it towards others. The
class knows no model: it is given `compute`, a function from sentences to a `WordStates`. Notebook 03.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import traitlets
from jaxtyping import Float
from torch import Tensor

from anatomy_course.figures import plots
from anatomy_course.figures.picture import Picture
from anatomy_course.views._kit.base import buffer_trait
from anatomy_course.views._kit.checks import numbers, word_list
from anatomy_course.views._kit.request import Asking, usable_sentence
from anatomy_utils.interpret import activations
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.zoo.tokenizer import Tokenizer

MOST_WORDS = 160
MOST_FOLLOWED = 6
STEPS = 32767
"""A similarity from −1 to 1 travels as a whole number from −32767 to 32767."""
JOURNEY = (
    "An apple fell from the tree into the grass.",
    "She ate a banana, a pear and an orange.",
    "Apple released a new phone for developers.",
    "Microsoft and Google sell software and computers.",
    "Time flies like an arrow.",
    "Fruit flies like a banana.",
    "Bees and other insects buzz around the garden.",
    "The plane flies over the city.",
    "He moves fast and runs home.",
)
"""Sentences in which *apple* and *flies* mean different things, and words that go with either meaning."""


@dataclass(frozen=True)
class WordStates:
    """What the layers make of the words of some sentences."""

    sentences: Sequence[Sequence[str]]
    """The words of each sentence."""
    states: Any
    """(layer, word, d_model): the vectors of all words, sentence after sentence; layer 0 is before any context."""


class NearestWords(Asking):
    """Choose a word in a sentence; see its nearest neighbors after every layer, and follow some of them as curves.

    Args:
        compute: sentences → `WordStates`. A `ValueError` it raises is shown as its one sentence.
        sentences: the sentences at first.
        word, sentence: the word chosen at first, and the number of its sentence, from 1.
        follow: words whose similarity to the chosen one is drawn at first: "pear", or "flies 6" for that of sentence 6.

    Raises:
        ValueError: `compute` refuses the sentences, a word is not there, or there are too many.
    """

    sentences = traitlets.List(traitlets.List(traitlets.Unicode())).tag(sync=True)
    given = traitlets.Int().tag(sync=True)
    """How many of them were there at first; the reader's own come after them and can be taken out."""
    layers = traitlets.Int().tag(sync=True)
    """Rows of similarities, the one before any context included."""
    similarities = buffer_trait()
    """Cosines (layer, word, word) as int16, from −32767 to 32767."""
    chosen = traitlets.Int(0).tag(sync=True)
    """The chosen word's place among the words of all sentences."""
    followed = traitlets.List(traitlets.Int()).tag(sync=True)
    others = traitlets.Bool(False).tag(sync=True)
    """Whether neighbors from the chosen word's own sentence are left out."""

    def __init__(
        self,
        compute: Callable[[list[str]], WordStates],
        sentences: Sequence[str],
        *,
        word: str,
        sentence: int = 1,
        follow: Sequence[str] = (),
        label: str = "A word's journey through the layers",
    ) -> None:
        self._compute = compute
        self._texts = [usable_sentence(text) for text in sentences]
        listed, similarities = _checked(compute(self._texts))
        words = _places(listed)
        if (word, sentence) not in words:
            raise ValueError(
                f"There is no word {word!r} in sentence {sentence}; its words are {_said(listed, sentence)}."
            )
        super().__init__(
            **_traits(listed, similarities), given=len(listed), chosen=words.index((word, sentence)),
            followed=[_find(name, words) for name in follow][:MOST_FOLLOWED], label=label, question={"sentence": ""},
        )  # fmt: skip

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """The similarities with one more sentence, or without the one numbered `out` (from 1)."""
        if question.get("out"):
            return self._without(question["out"])
        texts = [*self._texts, usable_sentence(question.get("sentence"))]
        listed, similarities = _checked(self._compute(texts))
        self._texts = texts
        before, new = {word for words in listed[:-1] for word in words}, listed[-1]
        known = next((i for i, word in enumerate(new) if word in before and len(word) > 3), len(new) - 1)
        return {**_traits(listed, similarities), "chosen": sum(map(len, listed[:-1])) + known}

    def _without(self, number: Any) -> dict[str, Any]:
        """Whatever is chosen or followed in the other sentences stays so."""
        if number not in range(self.given + 1, len(self._texts) + 1):
            raise ValueError(f"Sentence {number} cannot be taken out; only your own ones can.")
        texts = [text for i, text in enumerate(self._texts, start=1) if i != number]
        listed, similarities = _checked(self._compute(texts))
        places = [i for i, (_, sentence) in enumerate(_places(self.sentences)) if sentence != number]
        self._texts, moved = texts, {old: new for new, old in enumerate(places)}
        followed = [moved[i] for i in self.followed if i in moved]
        return {**_traits(listed, similarities), "chosen": moved.get(self.chosen, 0), "followed": followed}

    @property
    def words(self) -> list[str]:
        """All words with the number of their sentence: "apple 1"."""
        return [f"{word} {number}" for word, number in _places(self.sentences)]

    def cosines(self, word: str) -> npt.NDArray[np.float64]:
        """Of a word ("apple 1") with every word, as the browser has them: (layer, word)."""
        table = np.frombuffer(self.similarities, "<i2").reshape(self.layers, len(self.words), -1)
        return table[:, _find(word, _places(self.sentences))] / STEPS

    def neighbors(self, word: str, layer: int, count: int = 5) -> list[tuple[str, float]]:
        """The nearest words at a layer, nearest first, with their cosines."""
        cosines, names = self.cosines(word)[layer], self.words
        order = [i for i in np.argsort(-cosines, kind="stable") if i != _find(word, _places(self.sentences))]
        return [(names[i], float(cosines[i])) for i in order[:count]]

    def still_picture(self) -> Picture:
        """The followed words' similarities over the layers; the nearest of the last layer where none is followed."""
        names = self.words
        word = names[self.chosen]
        shown = [names[i] for i in self.followed] or [name for name, _ in self.neighbors(word, self.layers - 1)]
        cosines = self.cosines(word)
        series = {name: cosines[:, names.index(name)] for name in shown[:MOST_FOLLOWED]}
        nearest = ", ".join(f"{name} {cosine:.2f}" for name, cosine in self.neighbors(word, self.layers - 1, 3))
        return plots.lines(
            np.arange(self.layers), series, xlabel="layer (0: before any context)", ylabel=f"cosine with “{word}”",
            title=self.label,
            alt=f"Cosine similarity of “{word}” with {', '.join(shown)} over {self.layers - 1} layers. "
            f"Nearest after the last layer: {nearest}.",
        )  # fmt: skip


def _checked(journey: WordStates) -> tuple[list[list[str]], npt.NDArray[Any]]:
    """The words of each sentence and the cosines of all, (layer, word, word); or one sentence saying what is wrong."""
    listed = [word_list(words, "a sentence's words") for words in journey.sentences]
    count = sum(map(len, listed))
    if count > MOST_WORDS:
        raise ValueError(
            f"The sentences have {count} words together; at most {MOST_WORDS} fit: shorten yours, or take one out."
        )
    states = numbers(journey.states, "states", "layer word d_model", word=count)
    unit = states / np.maximum(np.linalg.norm(states, axis=-1, keepdims=True), 1e-12)
    return listed, unit @ unit.swapaxes(-1, -2)


def _traits(listed: list[list[str]], similarities: npt.NDArray[Any]) -> dict[str, Any]:
    whole = np.rint(np.clip(similarities, -1, 1) * STEPS).astype("<i2")
    return {"sentences": listed, "layers": len(similarities), "similarities": whole.tobytes()}


def _places(sentences: Sequence[Sequence[str]]) -> list[tuple[str, int]]:
    return [(word, number) for number, words in enumerate(sentences, start=1) for word in words]


def _find(name: str, words: list[tuple[str, int]]) -> int:
    """The place of "pear" (its first) or of "flies 6"."""
    word, _, number = name.rpartition(" ")
    wanted = (word, int(number)) if word and number.isdigit() else (name, None)
    for place, (each, sentence) in enumerate(words):
        if each == wanted[0] and wanted[1] in (None, sentence):
            return place
    raise ValueError(f"There is no word {name!r} in the sentences; write 'pear', or 'flies 6' for that of sentence 6.")


def _said(listed: list[list[str]], sentence: int) -> str:
    return ", ".join(listed[sentence - 1]) if 1 <= sentence <= len(listed) else f"those of sentences 1 to {len(listed)}"


def nearest_words(
    encoder: Encoder,
    tokenizer: Tokenizer,
    sentences: Sequence[str] = JOURNEY,
    *,
    word: str = "apple",
    sentence: int = 3,
    follow: Sequence[str] = ("apple 1", "pear", "fruit", "microsoft", "google"),
) -> NearestWords:
    """The nearest neighbors of a word after every layer, among the words of these sentences and the reader's own.

    Layer 0 is the bare row of the embedding table. Punctuation and the tokenizer's special tokens are left out.
    """
    known: dict[str, tuple[list[str], Tensor]] = {}

    def read(text: str) -> tuple[list[str], Float[Tensor, "layer word d_model"]]:
        tokens, seen = activations.read_activations(encoder, tokenizer, text)
        kept = [i for i, token in enumerate(tokens) if token.strip("#").isalnum()]
        if not kept:
            raise ValueError("The sentence has no word, only signs; type at least one word.")
        after = [seen[f"layers.{i}.output"] for i in range(len(encoder.layers))]
        states = torch.stack([seen["embeddings.tokens"], *after])[:, 0, kept]
        return [tokens[i] for i in kept], states

    def compute(texts: list[str]) -> WordStates:
        known.update({text: read(text) for text in texts if text not in known})
        found = [known[text] for text in texts]
        return WordStates([words for words, _ in found], torch.cat([states for _, states in found], dim=1).numpy())

    if isinstance(sentences, str) or not isinstance(sentences, Iterable):
        raise ValueError(f"Give a list of sentences, not {sentences!r:.60}.")
    return NearestWords(compute, list(sentences), word=word, sentence=sentence, follow=follow)
