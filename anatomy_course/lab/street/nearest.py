"""The sentence of the street that is nearest to one it cannot read: for translators that answer an unknown word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from itertools import product

from anatomy_course.lab.street.adjectives import ADJECTIVES
from anatomy_course.lab.street.lexicon import meanings
from anatomy_course.lab.street.nouns import NOUNS
from anatomy_course.lab.street.scene import Scene
from anatomy_course.lab.street.verbs import VERBS
from anatomy_course.lab.street.word_types import Adjective, Language, Noun, Verb

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
