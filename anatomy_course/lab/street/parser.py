"""Reading a sentence back: which scene, or scenes, does it describe? And if none, what is wrong with it?

The reader collects the words that carry meaning, guesses the scene from them, and says that scene again. The sentence
belongs to the street exactly if it comes out word for word. So the grammar is written only once, where sentences are
made, and every wrong agreement, order or elision is caught. Notebook 05 judges a GPT's sentences with it. A translator
answers an unknown word with the nearest sentence that can be read, `nearest_scene`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import product, takewhile

from anatomy_course.lab.street.grammar import IMPERFECT, say_in_english, say_in_french
from anatomy_course.lab.street.lexicon import ADJECTIVE, NOUN, meanings, name_unknown, unknown_words, words_of
from anatomy_course.lab.street.scene import Scene, referents
from anatomy_course.lab.street.text import Sentence, detokenize, tokenize
from anatomy_course.lab.street.words import (
    ADJECTIVES,
    LANGUAGES,
    MOODS,
    NOUNS,
    VERBS,
    Adjective,
    Language,
    Noun,
    Verb,
    check_language,
)

Text = str | Sequence[str]
"""A sentence as text, or cut into words already."""


def say(scene: Scene, language: Language) -> Sentence:
    """The one sentence for a scene in a language.

    Raises:
        ValueError: another language is asked for.
    """
    check_language(language)
    return say_in_english(scene) if language == "english" else say_in_french(scene)


def readings(sentence: Text, language: Language) -> list[Scene]:
    """All scenes that a sentence can describe.

    Returns:
        Nothing for what is not a sentence of the street; two scenes where *it* (or *il*, *elle*) can be either noun.

    >>> [scene.referent for scene in readings("The bus didn't enter the garage because it was too old.", "english")]
    ['subject', 'object']
    >>> [scene.referent for scene in readings("Le bus a quitté la gare parce qu'elle était trop vieille.", "french")]
    ['object']
    """
    tokens = tuple(_tokens(sentence))
    return [scene for scene in _guesses(tokens, language) if say(scene, language).tokens == tokens]


def parse(sentence: Text, language: Language) -> Scene:
    """The scene that a sentence describes.

    Raises:
        ValueError: the sentence is not one of the street's, or has two readings; `explain` says it in words.
    """
    found = readings(sentence, language)
    if len(found) != 1:
        raise ValueError(explain(sentence, language))
    return found[0]


def is_grammatical(sentence: Text, language: Language = "english") -> bool:
    """Whether a sentence belongs to the street's language: every form right, and a reason that makes sense."""
    return bool(readings(sentence, language))


def share_grammatical(sentences: Iterable[Text], language: Language = "english") -> float:
    """The share of sentences, from 0 to 1, that are grammatical.

    Raises:
        ValueError: there are no sentences.
    """
    judged = [is_grammatical(sentence, language) for sentence in sentences]
    if not judged:
        raise ValueError("There are no sentences to judge; pass at least one.")
    return sum(judged) / len(judged)


def language_of(text: str) -> Language:
    """The language that knows more of the words; English if both know as many."""
    tokens = tokenize(text)
    return max(LANGUAGES, key=lambda language: -len(unknown_words(tokens, words_of(language))))


def explain(sentence: Text, language: Language) -> str:
    """One friendly sentence about what the street makes of a text: unknown words, the first wrong word, or the reading.

    >>> explain("L'animal n'a pas traversé le rue parce qu'il était trop fatigué.", "french")
    "After “L'animal n'a pas traversé” the street expects 'la', not 'le'. It would say: L'animal n'a pas traversé la rue parce qu'il était trop fatigué."
    """  # noqa: E501
    tokens = tuple(_tokens(sentence))
    if unknown := unknown_words(tokens, words_of(language)):
        return name_unknown(unknown, words_of(language))
    guesses = _guesses(tokens, language)
    found = [scene for scene in guesses if say(scene, language).tokens == tokens]
    if len(found) > 1:
        nouns = f"the {found[0].subject} or the {found[0].object}"
        return f"This has two readings: what is too {found[0].reason} may be {nouns}."
    if found:
        referent = found[0].referent_noun.english
        return f"This is a sentence of the street; what is too {found[0].reason} is the {referent}."
    if guesses:
        return _first_difference(tokens, [say(scene, language) for scene in guesses])
    parts = _collect(tokens, language)
    return parts if isinstance(parts, str) else _misfit(parts)


def _tokens(sentence: Text) -> Sequence[str]:
    return tokenize(sentence) if isinstance(sentence, str) else sentence


def _guesses(tokens: Sequence[str], language: Language) -> list[Scene]:
    """The scenes whose words these could be, whether or not they are said rightly."""
    parts = _collect(tokens, language)
    if isinstance(parts, str):
        return []
    subject, _, object, reason, *_ = parts
    try:
        possible = referents(NOUN[subject], NOUN[object], ADJECTIVE[reason])
        return [Scene(*[*parts, referent]) for referent in possible]
    except ValueError:
        return []


def _misfit(parts: Sequence[str]) -> str:
    """Why these parts make no scene."""
    try:
        Scene(*parts)
    except ValueError as error:
        return str(error)
    return "This is a scene of the street."


def _collect(tokens: Sequence[str], language: Language) -> list[str] | str:
    """A scene's parts but for its referent, or what is amiss.

    Two nouns, one verb, the reason at the end, and at most one adjective on either side of the verb.
    """
    known = meanings(language)
    found = [known[token] for token in tokens if token in known]
    nouns = [word for word in found if isinstance(word, Noun)]
    verbs = [word for word in found if isinstance(word, Verb)]
    if len(nouns) != 2 or len(verbs) != 1:
        return f"A sentence of the street has two nouns and one verb; this one has {len(nouns)} and {len(verbs)}."
    if not isinstance(found[-1], Adjective):
        return "A sentence of the street ends with a reason, as in “because it was too tired”."
    at = found.index(verbs[0])
    before = [word.english for word in found[:at] if isinstance(word, Adjective)]
    after = [word.english for word in found[at:-1] if isinstance(word, Adjective)]
    if len(before) > 1 or len(after) > 1:
        return "On the street a noun has at most one adjective."
    carrying = (nouns[0], verbs[0], nouns[1], found[-1])
    return [*(word.english for word in carrying), _mood(tokens, language), "".join(before), "".join(after)]


def _mood(tokens: Sequence[str], language: Language) -> str:
    if language == "english":
        return next((mood for mood in MOODS if mood in tokens), "did")
    for mood, form in IMPERFECT.items():
        if form in tokens:
            return mood
    return "didn't" if "pas" in tokens else "did"


def _first_difference(tokens: Sequence[str], expected: Sequence[Sentence]) -> str:
    def agreeing(sentence: Sentence) -> int:
        return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(tokens, sentence.tokens, strict=False))))

    nearest = max(expected, key=agreeing)
    place = agreeing(nearest)
    after = f"After “{detokenize(tokens[:place])}” the" if place else "At the beginning the"
    wanted = repr(nearest.tokens[place]) if place < len(nearest.tokens) else "nothing more"
    given = repr(tokens[place]) if place < len(tokens) else "the end"
    return f"{after} street expects {wanted}, not {given}. It would say: {nearest}"


LIKE = 0.75
"""How much of two spellings must agree for one to be taken for the other, from 0 to 1."""
USUAL = Scene("animal", "cross", "street", "tired")


def nearest_scene(tokens: Sequence[str], language: Language) -> Scene:
    """A scene with as many words of a text as go together, in their order; the usual ones in place of the others.

    >>> nearest_scene("the dog crossed the big brigde".split(), "english")
    Scene(subject='dog', verb='cross', object='bridge', reason='big', mood="didn't", subject_adjective='', object_adjective='', referent='subject')
    """  # noqa: E501
    known = meanings(language)
    found = [known[near] for token in tokens for near in _like(token, known)]
    nouns, verbs, reasons = (
        [word.english for word in found if isinstance(word, kind)] for kind in (Noun, Verb, Adjective)
    )
    every_noun, every_verb, every_reason = ([word.english for word in table] for table in (NOUNS, VERBS, ADJECTIVES))
    choices = product(
        [*nouns[:1], USUAL.subject, *every_noun],
        [*verbs, USUAL.verb, *every_verb],
        [*nouns[1:], USUAL.object, *nouns[:1], *every_noun],
        [*reversed(reasons), USUAL.reason, *every_reason],
    )
    return next(_valid(choices))


def _like(token: str, known: dict[str, Noun | Verb | Adjective]) -> list[str]:
    return [token] if token in known else get_close_matches(token, known, n=1, cutoff=LIKE)


def _valid(choices: Iterator[tuple[str, str, str, str]]) -> Iterator[Scene]:
    for subject, verb, place, reason in choices:
        if subject == place:
            continue
        try:
            yield Scene(subject, verb, place, reason)
        except ValueError:
            continue
