"""Saying a scene: the old animal didn't cross the street …, le vieil animal n'a pas traversé la rue …

French needs agreement and elision: *le* becomes *l'* before a vowel, *de le* becomes *du*, *vieux* becomes *vieil* or
*vieille*. The pronoun and the last adjective agree with what *it* stands for, so nobody writes the French sentence
without knowing that. Tenses: passé composé for what did or did not happen, imparfait for being unable or unwilling,
imparfait for the reason. The rules know no noun of the street by name, but for the h that counts as a consonant.
"""

from __future__ import annotations

from anatomy_course.lab.street.lexicon import ADJECTIVE, NOUN, VERB
from anatomy_course.lab.street.scene import Scene
from anatomy_course.lab.street.text import Sentence, Span, Writer
from anatomy_course.lab.street.words import CONSONANT_H, Adjective, Noun, Verb

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


def say_in_english(scene: Scene) -> Sentence:
    """The one English sentence for a scene.

    >>> str(say_in_english(Scene("animal", "cross", "street", "tired", subject_adjective="old")))
    "The old animal didn't cross the street because it was too tired."
    >>> str(say_in_english(Scene("dog", "avoid", "lake", "deep")))
    'The dog avoided the lake because it was too deep.'
    """
    verb = VERB[scene.verb]
    writer = Writer()
    writer.add(["the"])
    subject = writer.add(_noun_phrase(scene.subject, scene.subject_adjective))
    writer.add([verb.past] if verb.past else [scene.mood, verb.english])
    writer.add([verb.english_preposition, "the"] if verb.english_preposition else ["the"])
    object = writer.add(_noun_phrase(scene.object, scene.object_adjective))
    writer.add(["because"])
    clause = writer.add(["it", "was", "too", scene.reason])
    writer.add(["."])
    return Sentence(tuple(writer.tokens), subject, object, clause)


def _noun_phrase(noun: str, adjective: str) -> list[str]:
    return [adjective, noun] if adjective else [noun]


IMPERFECT = {"couldn't": "pouvait", "wouldn't": "voulait"}


def say_in_french(scene: Scene) -> Sentence:
    """The one French sentence for a scene.

    >>> str(say_in_french(Scene("animal", "cross", "street", "tired")))
    "L'animal n'a pas traversé la rue parce qu'il était trop fatigué."
    >>> str(say_in_french(Scene("animal", "cross", "street", "wide")))
    "L'animal n'a pas traversé la rue parce qu'elle était trop large."
    """
    verb, subject_noun, object_noun = VERB[scene.verb], NOUN[scene.subject], NOUN[scene.object]
    writer = Writer()
    subject = _add_noun(writer, subject_noun, scene.subject_adjective)
    writer.add(_verb(verb, scene.mood, subject_noun.gender))
    object = _add_noun(writer, object_noun, scene.object_adjective, verb.french_preposition)
    pronoun = "il" if scene.referent_noun.gender == "m" else "elle"
    writer.add(["parce", elide("que", pronoun)])
    clause = writer.add([pronoun, "était", "trop", agree(ADJECTIVE[scene.reason], scene.referent_noun.gender)])
    writer.add(["."])
    return Sentence(tuple(writer.tokens), subject, object, clause)


def _add_noun(writer: Writer, noun: Noun, adjective: str, preposition: str = "") -> Span:
    phrase = noun_phrase(noun, ADJECTIVE[adjective] if adjective else None)
    writer.add(article(noun.gender, phrase[0], preposition))
    return writer.add(phrase)


def _verb(verb: Verb, mood: str, subject_gender: str) -> list[str]:
    """*n'a pas traversé, ne s'est pas approchée de, ne pouvait pas traverser, a évité*."""
    if mood in IMPERFECT:
        reflexive = [elide("se", verb.infinitive)] if verb.reflexive else []
        return ["ne", IMPERFECT[mood], "pas", *reflexive, verb.infinitive]
    auxiliary = "a" if verb.auxiliary == "avoir" else "est"
    participle = verb.participle + ("e" if verb.auxiliary == "être" and subject_gender == "f" else "")
    conjugated = [elide("se", auxiliary), auxiliary] if verb.reflexive else [auxiliary]
    if mood == "did":
        return [*conjugated, participle]
    return [elide("ne", conjugated[0]), *conjugated, "pas", participle]
