"""French agreement and elision: which form a word takes beside its neighbors.

*Le* becomes *l'* before a vowel, *de le* becomes *du*, *vieux* becomes *vieil* or *vieille*. The rules know no noun of
the street by name, but for the h that counts as a consonant.
"""

from __future__ import annotations

from anatomy_course.lab.street.nouns import CONSONANT_H
from anatomy_course.lab.street.word_types import Adjective, Noun

VOWELS = "aàâeéèêiîïoôuùûœæ"


def begins_with_vowel(word: str) -> bool:
    """Whether a word makes the one before it lose its vowel.

    >>> [begins_with_vowel(word) for word in ("animal", "étang", "œuf", "hôtel", "hérisson", "rue")]
    [True, True, True, True, False, False]
    """
    return word[0] in VOWELS or (word[0] == "h" and word not in CONSONANT_H)


def elide(word: str, following: str) -> str:
    """Shorten *le, la, ne, de, se, que* before a vowel.

    >>> elide("ne", "a"), elide("ne", "pouvait"), elide("que", "elle")
    ("n'", 'ne', "qu'")
    """
    return word[:-1] + "'" if begins_with_vowel(following) else word


def article(gender: str, following: str, preposition: str = "") -> list[str]:
    """The definite article before a word, with the preposition before it, melted together where French does so.

    >>> article("m", "pont", "de"), article("m", "hôtel", "de"), article("f", "gare", "à"), article("m", "sac", "dans")
    (['du'], ['de', "l'"], ['à', 'la'], ['dans', 'le'])
    """
    word = elide("le" if gender == "m" else "la", following)
    if word == "le" and preposition in ("de", "à"):
        return ["du" if preposition == "de" else "au"]
    return [preposition, word] if preposition else [word]


def agree(adjective: Adjective, gender: str, following: str = "") -> str:
    """The form of an adjective for a noun's gender, and for the word that follows if it stands before its noun.

    Args:
        adjective: a row of the table.
        gender: "m" or "f".
        following: the noun, if the adjective stands before it.
    """
    if gender == "f":
        return adjective.feminine
    if adjective.before_vowel and following and begins_with_vowel(following):
        return adjective.before_vowel
    return adjective.masculine


def noun_phrase(noun: Noun, adjective: Adjective | None) -> list[str]:
    """A noun with its adjective on the side where French puts it, without the article.

    >>> from anatomy_course.lab.street.lexicon import ADJECTIVE, NOUN
    >>> noun_phrase(NOUN["animal"], ADJECTIVE["old"]), noun_phrase(NOUN["street"], ADJECTIVE["white"])
    (['vieil', 'animal'], ['rue', 'blanche'])
    """
    if adjective is None:
        return [noun.french]
    if adjective.beside_noun == "before":
        return [agree(adjective, noun.gender, noun.french), noun.french]
    return [noun.french, agree(adjective, noun.gender)]
