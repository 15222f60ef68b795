"""Finding words: by the name that a scene uses, and by any form that occurs in a sentence.

Everything here is computed from the three tables in `words`.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache

from anatomy_course.lab.street.words import ADJECTIVES, NOUNS, VERBS, Adjective, Language, Noun, Verb, check_language

NOUN = {noun.english: noun for noun in NOUNS}
ADJECTIVE = {adjective.english: adjective for adjective in ADJECTIVES}
VERB = {verb.english: verb for verb in VERBS}

ATTRIBUTE = {adjective.english: adjective for adjective in ADJECTIVES if adjective.beside_noun}
"""The adjectives that may stand beside a noun."""

GLUE: dict[Language, str] = {
    "english": "the did didn't couldn't wouldn't because it was too to . ? what why",
    "french": "le la l' du au de à dans ne n' pas a est se s' pouvait voulait parce qu' il elle était trop .",
}
"""The words of each language that hold a sentence together. The last words of the English list ask questions."""


def english_words(word: Noun | Adjective | Verb) -> tuple[str, ...]:
    """The English words of one row of a table.

    >>> english_words(VERB["avoid"])
    ('avoid', 'avoided')
    """
    if isinstance(word, Verb):
        return (word.english, word.past) if word.past else (word.english,)
    return (word.english,)


def french_words(word: Noun | Adjective | Verb) -> tuple[str, ...]:
    """All French forms of one row of a table.

    >>> french_words(ADJECTIVE["old"])
    ('vieux', 'vieil', 'vieille')
    >>> french_words(VERB["enter"])
    ('entrer', 'entré', 'entrée')
    """
    if isinstance(word, Noun):
        return (word.french,)
    if isinstance(word, Adjective):
        return word.french_forms
    participles = (word.participle, word.participle + "e") if word.auxiliary == "être" else (word.participle,)
    return (word.infinitive, *participles)


@cache
def meanings(language: Language) -> dict[str, Noun | Adjective | Verb]:
    """Every form of every noun, adjective and verb of a language, and the row of the table that it comes from."""
    check_language(language)
    forms = english_words if language == "english" else french_words
    return {form: word for word in (*NOUNS, *ADJECTIVES, *VERBS) for form in forms(word)}


@cache
def words_of(language: Language) -> tuple[str, ...]:
    """All words of a language, punctuation included, each once and always in the same order.

    >>> words_of("english")[:3], words_of("french")[:3]
    (('the', 'did', "didn't"), ('le', 'la', "l'"))
    """
    check_language(language)
    goals = [part for verb in VERBS for part in verb.goal.split()] if language == "english" else []
    prepositions = [verb.english_preposition for verb in VERBS if verb.english_preposition and language == "english"]
    return tuple(dict.fromkeys([*GLUE[language].split(), *meanings(language), *prepositions, *goals]))


def unknown_words(tokens: Iterable[str], known: Iterable[str]) -> list[str]:
    """The tokens that are not among the known words, each once, in order."""
    known = frozenset(known)
    return list(dict.fromkeys(token for token in tokens if token not in known))


def name_unknown(unknown: Iterable[str], known: Iterable[str]) -> str:
    """Name the words that the street does not know, each with the words nearest to it in spelling.

    >>> name_unknown(["stret"], words_of("english"))
    "The street does not know 'stret' (nearest words: 'street', 'stream', 'strange')."
    """
    known = list(known)

    def named(word: str) -> str:
        if not word.isprintable():
            return " ".join(f"the invisible character U+{ord(letter):04X}" for letter in word)
        return f"{word!r} (nearest words: {_nearest(word, known)})" if word[0].isalpha() else repr(word)

    return f"The street does not know {', '.join(map(named, unknown))}."


def look_up(table: dict[str, Noun] | dict[str, Adjective] | dict[str, Verb], name: str, role: str) -> None:
    """Complain if a table has no such word.

    Raises:
        ValueError: naming the word, its role and the nearest words of that table.
    """
    if name not in table:
        raise ValueError(f"The street knows no {role} {name!r}; try {_nearest(name, table)}.")


def nearest_words(word: str, known: Iterable[str]) -> list[str]:
    """The three known words that are spelt most like a word.

    >>> nearest_words("stret", ["street", "stream", "strange", "dog"])
    ['street', 'stream', 'strange']
    """
    return get_close_matches(word, [match for match in known if match[0].isalpha()], n=3, cutoff=0.0)


def _nearest(word: str, known: Iterable[str]) -> str:
    return ", ".join(map(repr, nearest_words(word, known)))
