"""Saying a scene in English: the old animal didn't cross the street because it was too tired."""

from __future__ import annotations

from anatomy_course.lab.street.lexicon import VERB
from anatomy_course.lab.street.scene import Scene
from anatomy_course.lab.street.sentence import Sentence, Writer


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
