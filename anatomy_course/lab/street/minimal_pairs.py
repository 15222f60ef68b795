"""Minimal pairs: two scenes that differ in one adjective, which turns *it* from one noun to the other.

"… because it was too tired." ↔ "… because it was too wide." Where the two nouns differ in gender, the French pronoun
changes between *il* and *elle*: a translator that gets both right has understood. Notebook 05 searches for the heads
that do it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from anatomy_course.lab.street.lexicon import NOUN
from anatomy_course.lab.street.scene import REFERENTS, Scene, clear_reasons


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
