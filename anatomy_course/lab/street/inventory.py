"""All scenes: how many, each in turn, one drawn by a number; their minimal pairs, and which the test keeps.

Only clear scenes count, those in which *it* can stand for one noun alone.

A minimal pair is two scenes that differ in one adjective, which turns *it* from one noun to the other: "… because it
was too tired." ↔ "… because it was too wide." Where the two nouns differ in gender, the French pronoun changes between
*il* and *elle*: a translator that gets both right has understood. Notebook 06 searches for the heads that do it.

All scenes with the same pair of nouns fall on the same side of the split. So no combination of subject, object and
reason of the test was seen in training, not even the two nouns together; each noun by itself was. The scene of the
course's first sentence, animal and street, is always in the test.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import TypeVar
from zlib import crc32

from anatomy_course.lab.street.lexicon import ATTRIBUTE, NOUN
from anatomy_course.lab.street.scene import REFERENTS, Scene, clear_reasons
from anatomy_course.lab.street.words import NOUNS, OBJECT_KINDS, VERBS, Noun, Verb

Choice = TypeVar("Choice")

BESIDE = ("", *ATTRIBUTE)
"""What may stand beside a noun: nothing, or one of the adjectives."""


@cache
def verbs_for(object_kind: str) -> tuple[Verb, ...]:
    """The verbs that go with a kind of object."""
    return tuple(verb for verb in VERBS if object_kind in verb.objects)


@cache
def nouns_of(kinds: frozenset[str]) -> tuple[Noun, ...]:
    """The nouns of some kinds, in the table's order."""
    return tuple(noun for noun in NOUNS if noun.kind in kinds)


def bare_scenes() -> Iterator[Scene]:
    """Every clear scene whose nouns stand without adjectives, in the order of the tables."""
    for verb in VERBS:
        for subject, object in product(nouns_of(verb.subjects), nouns_of(verb.objects)):
            for referent in REFERENTS:
                for reason, mood in product(clear_reasons(subject.kind, object.kind, referent), verb.moods):
                    yield Scene(subject.english, verb.english, object.english, reason.english, mood)


def scene_from_number(number: int) -> Scene:
    """Draw a scene: the number's remainders choose one part after the other.

    The order of choices balances what is taught: all topics are equally likely, then all verbs of the topic; *it* is
    the subject half the time; and half of the nouns stand without an adjective.

    Args:
        number: 0 or more. Numbers drawn evenly from 0 to 2⁶³ − 1 give scenes as evenly as that.

    Raises:
        ValueError: the number is negative.

    >>> from anatomy_course.lab.street.grammar import say_in_english
    >>> str(say_in_english(scene_from_number(0)))
    "The animal didn't cross the street because it was too small."
    """
    if number < 0:
        raise ValueError(f"A scene's number is 0 or more, not {number}.")
    chooser = _Chooser(number)
    kind = chooser.choose(OBJECT_KINDS)
    verb = chooser.choose(verbs_for(kind))
    mood = chooser.choose(verb.moods)
    object = chooser.choose(nouns_of(frozenset([kind])))
    subject = chooser.choose(nouns_of(verb.subjects))
    referent = chooser.choose(REFERENTS)
    reason = chooser.choose(clear_reasons(subject.kind, kind, referent))
    beside = [chooser.choose(BESIDE[1:]) if chooser.choose([False, True]) else "" for _ in REFERENTS]
    return Scene(subject.english, verb.english, object.english, reason.english, mood, beside[0], beside[1])


class _Chooser:
    """Takes one choice after the other out of a large number."""

    def __init__(self, number: int) -> None:
        self.number = number

    def choose(self, choices: Sequence[Choice]) -> Choice:
        self.number, place = divmod(self.number, len(choices))
        return choices[place]


def pronoun(scene: Scene) -> str:
    """The French pronoun for what *it* stands for: "il" or "elle"."""
    return "il" if scene.referent_noun.gender == "m" else "elle"


@dataclass(frozen=True)
class MinimalPair:
    """Two scenes, alike but for the reason.

    Attributes:
        about_subject: the scene in which *it* is the subject.
        about_object: the scene in which *it* is the object.
    """

    about_subject: Scene
    about_object: Scene

    @property
    def pronouns(self) -> tuple[str, str]:
        """The French pronouns of the two scenes."""
        return pronoun(self.about_subject), pronoun(self.about_object)

    @property
    def different_gender(self) -> bool:
        """Whether French has to use two different pronouns."""
        return len(set(self.pronouns)) == 2


def flips(scene: Scene) -> list[Scene]:
    """All scenes that form a minimal pair with this one, in the order of the adjectives' table.

    >>> [other.reason for other in flips(Scene("animal", "cross", "street", "tired"))][:3]
    ['wide', 'long', 'narrow']
    """
    other = REFERENTS[1 - REFERENTS.index(scene.referent)]
    reasons = clear_reasons(NOUN[scene.subject].kind, NOUN[scene.object].kind, other)
    return [replace(scene, reason=reason.english, referent=other) for reason in reasons]


def pair_with(scene: Scene, number: int) -> MinimalPair:
    """The pair of a scene and one of its `flips`, chosen by a number of 0 or more."""
    choices = flips(scene)
    other = choices[number % len(choices)]
    return MinimalPair(scene, other) if scene.referent == "subject" else MinimalPair(other, scene)


Split = str
"""One of `SPLITS`."""

SPLITS = ("train", "validation", "test")

KEPT_FOR_TEST = ("animal", "street")


def split_of(scene: Scene) -> Split:
    """The side on which a scene falls: about a tenth of the pairs each for validation and test, the rest for training.

    >>> split_of(Scene("animal", "cross", "street", "tired"))
    'test'
    """
    nouns = (scene.subject, scene.object)
    if nouns == KEPT_FOR_TEST:
        return "test"
    # A checksum scatters the pairs; unlike Python's own hash it is the same on every machine and in every run.
    match crc32(" ".join(nouns).encode()) % 10:
        case 0:
            return "test"
        case 1:
            return "validation"
    return "train"
