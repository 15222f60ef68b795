"""The translator: a sentence is typed and written in the other language, word by word, with its alignment drawn.

Each written word shows where cross-attention looked in the source, and the likeliest rivals. One adjective can be
swapped for another that turns *it* to the other noun, and the words that change are marked. Notebook 06. The class
knows no model: it is given `compute`, a function from a sentence to a `Translation`; what is computed already can be
read in the browser without a kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import traitlets
from jaxtyping import Float
from torch import Tensor

from anatomy_course.figures import plots
from anatomy_course.figures.picture import Picture
from anatomy_course.lab.small_models.translator import LONGEST
from anatomy_course.lab.street.batches import Batch, to_translate
from anatomy_course.lab.street.inventory import flips
from anatomy_course.lab.street.lexicon import english_words, french_words, nearest_words, unknown_words, words_of
from anatomy_course.lab.street.parser import explain, language_of, nearest_scene, readings, say
from anatomy_course.lab.street.scene import Scene
from anatomy_course.lab.street.text import detokenize, tokenize
from anatomy_course.lab.street.vocabulary import street_vocabulary
from anatomy_course.lab.street.words import ADJECTIVES, LANGUAGES, NOUNS, VERBS, Adjective, Language, Noun, Verb
from anatomy_course.views._kit.base import buffer_trait, weight_bytes
from anatomy_course.views._kit.checks import OneOf, Whole, numbers, word_list
from anatomy_course.views._kit.request import Asking, usable_sentence
from anatomy_utils.decoding.stepper import Stepper
from anatomy_utils.nn.encoder_decoder import EncoderDecoder
from anatomy_utils.tap import watch

MOST_WORDS = 32
MEAN = -1
"""The head that stands for the mean of all heads."""
END = "<eos>"
FIRST = "The animal didn't cross the street because it was too tired."
EXAMPLES = (
    FIRST,
    "The car couldn't enter the garage because it was too narrow.",
    "The dog avoided the river because it was too cold.",
    "La souris n'a pas traversé le pont parce qu'il était trop long.",
    "L'animal n'a pas traversé la rue parce qu'elle était trop large.",
)
"""Sentences to pick from, in both languages."""
RIVALS = 3
MOST_NAMED = 4
"""Unknown words of a sentence that are named one by one."""
LONGEST_NAMED = 20
"""Characters of them that are shown."""
PRONOUNS = ("il", "elle", "it")
ENDS = (".", "?", "!")
KINDS: dict[str, Sequence[Noun | Verb | Adjective]] = {"nouns": NOUNS, "verbs": VERBS, "adjectives": ADJECTIVES}


@dataclass(frozen=True)
class Translation:
    """What a model makes of one sentence."""

    source: Sequence[str]
    """The words that the encoder read; the first one says which language to write."""
    written: Sequence[str]
    """The words that the decoder wrote; the last one is "<eos>" unless it was cut off."""
    candidates: Sequence[Sequence[tuple[str, Any]]]
    """For each written word the likeliest words at its place, each with its probability."""
    weights: Any
    """(layer, head, written, source): where cross-attention looked when it wrote each word."""
    text: str
    """What was written, as a sentence."""
    direction: str = ""
    """From which language into which."""
    accepted: Sequence[str] = ()
    """The right translations; none where nobody can say."""
    remark: str = ""
    """What is odd about the sentence itself."""
    correction: str = ""
    """A sentence that may have been meant instead."""
    swaps: Sequence[tuple[str, str]] = ()
    """Reasons that turn *it* to the other noun, each with the sentence in which it replaces the reason."""
    reason: int | None = None
    """Which source word is the reason."""
    pronouns: Sequence[int] = ()
    """Which written words are pronouns."""


class UnknownWords(ValueError):  # noqa: N818
    """A sentence with words that the model has never seen.

    Attributes:
        nearest: unknown word → [(known word, the sentence with it instead)], nearest first.
        readable: the nearest sentence of known words alone, or "".
    """

    def __init__(self, sentence: str, nearest: Mapping[str, Sequence[tuple[str, str]]], readable: str = "") -> None:
        super().__init__(sentence)
        self.nearest, self.readable = nearest, readable


class Translator(Asking):
    """Type a sentence, have it translated word by word, see each word's alignment and rivals, swap the reason.

    Args:
        compute: sentence → `Translation`. Of a `ValueError` that it raises the sentence is shown; an `UnknownWords`
            also offers known words.
        sentence: the first sentence.
        examples: sentences to pick from.
        known: language → kind of words → the words that may be used.
        layer, head: whose cross-attention is drawn at first, from 0; the last one and the mean of its heads if None.
        written: how many words are written at first, or "all".

    Raises:
        ValueError: `compute` refuses the first sentence, or an argument is out of range.
    """

    drawn_height = 694
    sentence = traitlets.Unicode().tag(sync=True)
    """The sentence that was translated last."""
    direction = traitlets.Unicode().tag(sync=True)
    examples = traitlets.List(traitlets.Unicode()).tag(sync=True)
    known = traitlets.Dict().tag(sync=True)
    source = traitlets.List(traitlets.Unicode()).tag(sync=True)
    written = traitlets.List(traitlets.Unicode()).tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
    candidates = traitlets.List().tag(sync=True)
    """[{word, probability}] for each written word, likeliest first."""
    weights = buffer_trait()
    """(layer, head, written, source), one byte each."""
    shape = traitlets.List(traitlets.Int()).tag(sync=True)
    """Of `weights`."""
    verdict = traitlets.Dict().tag(sync=True)
    """`right` (true, false or none) and `told`, a sentence about the whole translation."""
    remark = traitlets.Unicode().tag(sync=True)
    correction = traitlets.Unicode().tag(sync=True)
    swaps = traitlets.List().tag(sync=True)
    """[{reason, sentence}]."""
    reason = traitlets.Int(-1).tag(sync=True)
    pronouns = traitlets.List(traitlets.Int()).tag(sync=True)
    refused = traitlets.List().tag(sync=True)
    """[{word, nearest: [{word, sentence}]}] of the unknown words of the sentence asked for last."""
    refusal = traitlets.Unicode().tag(sync=True)
    readable = traitlets.Unicode().tag(sync=True)
    """After a refusal the nearest sentence that can be read, or ""."""
    revealed = Whole("shape.2", past=1).tag(sync=True)
    """How many written words are shown."""
    current = Whole("shape.2").tag(sync=True)
    """The written word whose alignment and rivals are shown."""
    layer = Whole("shape.0").tag(sync=True)
    head = Whole("shape.1", low=MEAN).tag(sync=True)
    view = OneOf("lines matrix").tag(sync=True)

    def __init__(
        self,
        compute: Callable[[str], Translation],
        sentence: str = "The animal didn't cross the street because it was too tired.",
        *,
        examples: Sequence[str] = (),
        known: Mapping[str, Mapping[str, Sequence[str]]] | None = None,
        layer: int | None = None,
        head: int | None = None,
        written: int | str = "all",
        label: str = "A translator at work",
    ) -> None:
        self._compute = compute
        first = _traits(compute(usable_sentence(sentence)))
        layers, _, count, _ = first["shape"]
        layer = layers - 1 if layer is None else layer
        head = MEAN if head is None else head
        revealed = count if written == "all" else written
        if not isinstance(revealed, int) or not 0 <= revealed <= count:
            raise ValueError(f"written is {written!r}; expected 0 to {count}, the words of this translation, or 'all'.")
        super().__init__(
            **first, sentence=sentence, examples=list(examples), layer=layer, head=head, revealed=revealed,
            current=_place_of_pronoun(first) if revealed == count else max(revealed - 1, 0), label=label,
            question={"sentence": sentence},
            known={language: {kind: list(words) for kind, words in kinds.items()}
                   for language, kinds in (known or {}).items()},
        )  # fmt: skip

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """The translation of another sentence."""
        sentence = usable_sentence(question.get("sentence"))
        try:
            told = _traits(self._compute(sentence))
        except UnknownWords as unknown:
            return {"refused": _offers(unknown), "refusal": str(unknown), "readable": unknown.readable}
        whole = self.revealed == len(self.written)
        layers, heads = told["shape"][:2]
        return told | {
            "sentence": sentence,
            "revealed": len(told["written"]) if whole else 0, "current": _place_of_pronoun(told) if whole else 0,
            "layer": min(self.layer, layers - 1), "head": min(self.head, heads - 1), "refused": [], "refusal": "",
        }  # fmt: skip

    def alignment(self) -> npt.NDArray[np.float64]:
        """Where each written word looked, as drawn: the chosen layer's head, or its heads' mean, (written, source)."""
        heads = np.frombuffer(self.weights, np.uint8).reshape(self.shape)[self.layer] / 255
        return heads.mean(axis=0) if self.head == MEAN else heads[self.head]

    def still_picture(self) -> Picture:
        """The alignment of the whole translation."""
        weights = self.alignment()
        head = "mean of heads" if self.head == MEAN else f"head {self.head}"
        most = ", ".join(
            f"{word} at {self.source[int(row.argmax())]} {row.max():.2f}"
            for word, row in zip(self.written, weights, strict=True)
        )
        return plots.heatmap(
            weights, self.written, self.source, title=f"Cross-attention, layer {self.layer}, {head}",
            axes=("written", "source"), values=False,
            alt=f"“{self.sentence}” became “{self.text}” Where each written word looked most, layer {self.layer}, "
            f"{head}: {most}.",
        )  # fmt: skip


def _place_of_pronoun(told: dict[str, Any]) -> int:
    """The written word to look at first: the pronoun, or the last one."""
    return int(told["pronouns"][0] if told["pronouns"] else len(told["written"]) - 1)


def _offers(unknown: UnknownWords) -> list[dict[str, Any]]:
    return [
        {"word": word, "nearest": [{"word": near, "sentence": sentence} for near, sentence in offers]}
        for word, offers in unknown.nearest.items()
    ]


def _traits(translation: Translation) -> dict[str, Any]:
    """What the page needs to know of a translation, or one sentence saying what does not fit."""
    source = word_list(translation.source, "source", at_most=MOST_WORDS)
    written = word_list(translation.written, "written", at_most=MOST_WORDS)
    sizes = {"written": len(written), "source": len(source)}
    weights = numbers(translation.weights, "weights", "layer head written source", **sizes)
    if len(translation.candidates) != len(written):
        raise ValueError(
            f"There are candidates for {len(translation.candidates)} words, but {len(written)} were written; "
            "give a list for each."
        )
    return {
        "source": source, "written": written, "text": translation.text, "direction": translation.direction,
        "candidates": [[{"word": word, "probability": float(part)} for word, part in each]
                       for each in translation.candidates],
        "weights": weight_bytes(weights), "shape": list(weights.shape), "verdict": _verdict(translation),
        "remark": translation.remark, "correction": translation.correction,
        "swaps": [{"reason": reason, "sentence": sentence} for reason, sentence in translation.swaps],
        "reason": -1 if translation.reason is None else translation.reason, "pronouns": list(translation.pronouns),
    }  # fmt: skip


def _verdict(translation: Translation) -> dict[str, Any]:
    if translation.written[-1] != END:
        return {"right": False, "told": f"It found no end: after {len(translation.written)} words it was stopped."}
    if not translation.accepted:
        return {"right": None, "told": ""}
    if translation.text in translation.accepted:
        return {"right": True, "told": "Right to the last word."}
    return {"right": False, "told": f"The right translation is: {' or: '.join(translation.accepted)}"}


@dataclass(frozen=True)
class Decoded:
    """One greedy translation and what was seen on the way.

    Attributes:
        texts: the source as the model read it, a batch of one.
        written_ids: all tokens that were written, the end token included.
        candidates: for each of them the likeliest tokens at its place, with their probabilities.
        weights: where cross-attention looked when it wrote each of them.
    """

    texts: Batch
    written_ids: tuple[int, ...]
    candidates: tuple[tuple[tuple[str, float], ...], ...]
    weights: Float[Tensor, "layer head written source"]


def decode(model: EncoderDecoder, texts: Batch) -> Decoded:
    """Write one translation, always the likeliest token, until the end token or `LONGEST` tokens.

    Args:
        model: from `small_models.translator`.
        texts: one text, from `street.batches.to_translate`.
    """
    vocabulary = street_vocabulary()
    names = [f"decoder.layers.{i}.cross_attention.weights" for i in range(len(model.decoder.layers))]
    with torch.no_grad(), watch(model, *names) as seen:
        stepper = Stepper(
            model.step, lambda: model.start(texts.input_ids, 1 + LONGEST), torch.tensor([[vocabulary.bos_id]]),
            stop_ids=[vocabulary.eos_id], show=RIVALS,
        )  # fmt: skip
        while not stepper.ended and len(stepper.steps) < LONGEST:
            stepper.advance()
    candidates = tuple(
        tuple((vocabulary.words[rival.token_id], rival.before) for rival in step.candidates) for step in stepper.steps
    )
    weights = torch.stack([torch.cat([step[0] for step in seen.all(name)], dim=1) for name in names])
    return Decoded(texts, stepper.token_ids, candidates, weights)


def translator(
    model: EncoderDecoder,
    sentence: str = FIRST,
    *,
    layer: int | None = None,
    head: int | None = None,
    written: int | str = "all",
    examples: Sequence[str] = EXAMPLES,
) -> Translator:
    """A translator of the street to play with: it writes word by word and shows where it looked.

    Args:
        model: from `small_models.translator`.
        sentence: translated at first; whichever language it is in, the other one is written.
        layer, head, written, examples: see `Translator`.

    Raises:
        ValueError: the sentence has words that the street does not know, or a number is out of range.
    """
    return Translator(
        lambda text: translation_of(model, text), sentence, examples=examples, known=known_words(), layer=layer,
        head=head, written=written,
    )  # fmt: skip


def translation_of(model: EncoderDecoder, sentence: str) -> Translation:
    """A sentence, its translation, and what the street says about either.

    Raises:
        ValueError: words that the street does not know (an `UnknownWords`), or too many words.
    """
    tokens, language, other = read_sentence(sentence)
    if len(tokens) >= MOST_WORDS:
        raise ValueError(
            f"The sentence has {len(tokens)} words and signs; there is room for {MOST_WORDS - 1}: shorten it."
        )
    decoded = decode(model, to_translate(detokenize(tokens), other))
    written = street_vocabulary().tokens(decoded.written_ids)
    found = readings(tokens, language)
    scene = found[0] if len(found) == 1 else None
    remark, correction = _remark(tokens, language, found)
    return Translation(
        source=[f"<{other}>", *tokens],
        written=written,
        candidates=decoded.candidates,
        weights=decoded.weights,
        text=street_vocabulary().text(decoded.written_ids),
        direction=f"{language.capitalize()} → {other.capitalize()}",
        accepted=list(dict.fromkeys(str(say(each, other)) for each in found)),
        remark=remark,
        correction=correction,
        swaps=[(_reason(each, language), str(say(each, language))) for each in flips(scene)] if scene else [],
        reason=len(tokens) - 1 if scene else None,  # the word before the full stop, after the language to write
        pronouns=[place for place, word in enumerate(written) if word in PRONOUNS],
    )


@cache
def known_words() -> dict[str, dict[str, list[str]]]:
    """Language → kind of words → the words that a sentence of the street can be made of, in one form each."""
    forms = {"English": english_words, "French": french_words}
    model_sentence = Scene("animal", "cross", "street", "tired")
    return {
        language: {"sentences like": [str(say(model_sentence, language.lower()))]}
        | {kind: [form(word)[0] for word in table] for kind, table in KINDS.items()}
        for language, form in forms.items()
    }


def read_sentence(sentence: str) -> tuple[list[str], Language, Language]:
    """The tokens of a sentence, its language and the other one; a forgotten full stop is added."""
    tokens, language = tokenize(sentence), language_of(sentence)
    tokens += [] if tokens and tokens[-1] in ENDS else ["."]
    _refuse_unknown(tokens, language)
    return tokens, language, next(other for other in LANGUAGES if other != language)


def _refuse_unknown(tokens: Sequence[str], language: Language) -> None:
    """Raises an `UnknownWords` that offers a sentence to read instead, and the nearest known words, each in its own."""
    known = words_of(language)
    unknown = unknown_words(tokens, known)
    if not unknown:
        return
    named = unknown[:MOST_NAMED]
    nearest = {
        word: [(near, detokenize([near if token == word else token for token in tokens])) for near in found]
        for word in named
        if (found := nearest_words(word, known) if word[0].isalpha() else [])
    }
    words = ", ".join(f"“{word if len(word) <= LONGEST_NAMED else word[: LONGEST_NAMED - 1] + '…'}”" for word in named)
    more = f", nor {len(unknown) - len(named)} more" if len(unknown) > len(named) else ""
    readable = str(say(nearest_scene(tokens, language), language))
    raise UnknownWords(f"The street does not know {words}{more}.", nearest, readable)


def _remark(tokens: Sequence[str], language: Language, found: Sequence[Scene]) -> tuple[str, str]:
    """What is odd about a sentence of known words, and the sentence that may have been meant."""
    if len(found) == 1:
        return "", ""
    said = explain(tokens, language)
    if found:
        return said, ""
    remark, _, correction = said.partition(" It would say: ")
    return f"Not a sentence of the street, so anything may come out. {remark}", correction


def _reason(scene: Scene, language: Language) -> str:
    return say(scene, language).tokens[-2]
