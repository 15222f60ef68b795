"""All scenes of the street: how many there are, each of them in turn, and one drawn by a number.

Only clear scenes count, those in which *it* can stand for one noun alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import TypeVar

from anatomy_course.lab.street.lexicon import ATTRIBUTE
from anatomy_course.lab.street.nouns import NOUNS
from anatomy_course.lab.street.scene import REFERENTS, Scene, clear_reasons
from anatomy_course.lab.street.verbs import VERBS
from anatomy_course.lab.street.word_types import OBJECT_KINDS, Noun, Verb

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


def all_scenes() -> Iterator[Scene]:
    """Every clear scene, in the order of the tables. There are millions: take as many as you need."""
    for bare in bare_scenes():
        for subject_adjective, object_adjective in product(BESIDE, BESIDE):
            yield Scene(
                bare.subject, bare.verb, bare.object, bare.reason, bare.mood, subject_adjective, object_adjective
            )


def count_scenes() -> int:
    """How many clear scenes there are, counted one by one but for the adjectives beside the two nouns."""
    return sum(1 for _ in bare_scenes()) * len(BESIDE) ** 2


def scene_from_number(number: int) -> Scene:
    """Draw a scene: the number's remainders choose one part after the other.

    The order of choices balances what is taught: all topics are equally likely, then all verbs of the topic; *it* is
    the subject half the time; and half of the nouns stand without an adjective.

    Args:
        number: 0 or more. Numbers drawn evenly from 0 to 2⁶³ − 1 give scenes as evenly as that.

    Raises:
        ValueError: the number is negative.

    >>> from anatomy_course.lab.street.english import say_in_english
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
