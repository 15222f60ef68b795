"""An encoder–decoder at work, for notebook 05: a translator to play with, and its data in the figure of 2017."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import torch
from jaxtyping import Float
from torch import Tensor

from anatomy_course.lab.small_models.translator import LONGEST
from anatomy_course.lab.street.adjectives import ADJECTIVES
from anatomy_course.lab.street.batches import Batch, to_translate
from anatomy_course.lab.street.lexicon import (
    english_words,
    french_words,
    nearest_words,
    unknown_words,
    words_of,
)
from anatomy_course.lab.street.minimal_pairs import flips
from anatomy_course.lab.street.nearest import nearest_scene
from anatomy_course.lab.street.nouns import NOUNS
from anatomy_course.lab.street.parser import explain, language_of, readings, say
from anatomy_course.lab.street.scene import Scene
from anatomy_course.lab.street.text import detokenize, tokenize
from anatomy_course.lab.street.verbs import VERBS
from anatomy_course.lab.street.vocabulary import street_vocabulary
from anatomy_course.lab.street.word_types import LANGUAGES, Adjective, Language, Noun, Verb
from anatomy_course.views.translation_flow.view import TranslationFlow
from anatomy_course.views.translation_steps import run_of
from anatomy_course.views.translator.view import MOST_WORDS, Translation, Translator, UnknownWords
from anatomy_utils.decoding.stepper import Stepper
from anatomy_utils.nn.encoder_decoder import EncoderDecoder
from anatomy_utils.tap import watch

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
MOST_FOLLOWED = 31
"""Words of a translation that are followed step by step: one that never ends takes 60 steps then."""
MOST_NAMED = 4
"""Unknown words of a sentence that are named one by one."""
LONGEST_NAMED = 20
"""Characters of them that are shown."""
PRONOUNS = ("il", "elle", "it")
ENDS = (".", "?", "!")
KINDS: dict[str, Sequence[Noun | Verb | Adjective]] = {"nouns": NOUNS, "verbs": VERBS, "adjectives": ADJECTIVES}


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
        layer: whose cross-attention is drawn at first, from 0; the last one when left out.
        head: which of its heads, from 0; their mean when left out.
        written: how many words are written at first, or "all".
        examples: sentences to pick from.

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
    tokens, language, other = _read(sentence)
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


def translation_flow(model: EncoderDecoder, sentence: str = FIRST, *, place: int | str = 0) -> TranslationFlow:
    """The figure of 2017 with the real tensors of one translation, step by step until the end token.

    Args:
        model: from `small_models.translator`.
        sentence: in either language; the other one is written.
        place: the first step shown, from 0, or a part of the figure: "cross_attention" at its first time.

    Raises:
        ValueError: the sentence has words that the street does not know or too many, or there is no such place.
    """
    tokens, _, other = _read(sentence)
    decoded = decode(model, to_translate(detokenize(tokens), other))
    return TranslationFlow(run_of(model, decoded.texts, decoded.written_ids[:MOST_FOLLOWED]), place=place)


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


def _read(sentence: str) -> tuple[list[str], Language, Language]:
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
