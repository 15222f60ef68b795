"""Saying a scene in French: l'animal n'a pas traversé la rue parce qu'il était trop fatigué.

The pronoun and the last adjective agree with what *it* stands for, so nobody writes this sentence without knowing that.
Tenses: passé composé for what did or did not happen, imparfait for being unable or unwilling, imparfait for the reason.
"""

from __future__ import annotations

from anatomy_course.lab.street.agreement import agree, article, elide, noun_phrase
from anatomy_course.lab.street.lexicon import ADJECTIVE, NOUN, VERB
from anatomy_course.lab.street.scene import Scene
from anatomy_course.lab.street.sentence import Sentence, Span, Writer
from anatomy_course.lab.street.word_types import Noun, Verb

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
