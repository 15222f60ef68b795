"""A scene: what happens on the street, before it is said in any language.

"The animal didn't cross the street because it was too tired." is Scene("animal", "cross", "street", "tired"). What *it*
stands for is not said by the words but follows from what can be tired: the *referent*. Notebook 06's translator has to
find it, for French says *il* of the animal and *elle* of the street.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from anatomy_course.lab.street.lexicon import ADJECTIVE, ATTRIBUTE, NOUN, VERB, look_up
from anatomy_course.lab.street.words import ADJECTIVES, Adjective, Noun

Referent = str
"""One of `REFERENTS`: the noun that *it* stands for."""

REFERENTS = ("subject", "object")


def referents(subject: Noun, object: Noun, reason: Adjective) -> tuple[Referent, ...]:
    """What *it* can stand for: whichever of the two nouns can be too much of the adjective. None, one or both.

    >>> referents(NOUN["animal"], NOUN["street"], ADJECTIVE["wide"])
    ('object',)
    >>> referents(NOUN["bus"], NOUN["garage"], ADJECTIVE["old"])
    ('subject', 'object')
    """
    found: list[Referent] = []
    if subject.kind in reason.fits:
        found.append("subject")
    if object.kind in reason.fits:
        found.append("object")
    return tuple(found)


@cache
def clear_reasons(subject_kind: str, object_kind: str, referent: Referent) -> tuple[Adjective, ...]:
    """The reasons that say without doubt that *it* is the subject (or the object), for two kinds of noun."""
    meant, other = (subject_kind, object_kind) if referent == "subject" else (object_kind, subject_kind)
    return tuple(reason for reason in ADJECTIVES if meant in reason.fits and other not in reason.fits)


@dataclass(frozen=True)
class Scene:
    """One thing that did or did not happen, and why. All words are named in English.

    Attributes:
        subject: who would have done it.
        verb: what.
        object: to whom or where.
        reason: the adjective after "because it was too".
        mood: "didn't" (if left empty), "couldn't" or "wouldn't"; "did" for a verb like *avoid*, which did happen.
        subject_adjective: beside the subject, or "".
        object_adjective: beside the object, or "".
        referent: what *it* stands for, "subject" or "object". May be left empty where only one of them fits.

    Raises:
        ValueError: an unknown word, a noun that the verb does not go with, a mood that the verb does not have, or a
            reason that fits neither noun, or both while `referent` is empty.

    >>> Scene("animal", "cross", "street", "tired").referent
    'subject'
    """

    subject: str
    verb: str
    object: str
    reason: str
    mood: str = ""
    subject_adjective: str = ""
    object_adjective: str = ""
    referent: str = ""

    def __post_init__(self) -> None:
        self._check_words()
        if not self.mood:
            super().__setattr__("mood", VERB[self.verb].moods[0])
        if self.mood not in VERB[self.verb].moods:
            raise ValueError(f"{self.verb!r} has the moods {VERB[self.verb].moods}, not {self.mood!r}.")
        possible = self.possible_referents
        if not self.referent and len(possible) == 1:
            super().__setattr__("referent", possible[0])
        if self.referent not in possible:
            raise ValueError(self._no_such_referent())

    @property
    def possible_referents(self) -> tuple[Referent, ...]:
        """What *it* could stand for, going by the English sentence alone."""
        return referents(NOUN[self.subject], NOUN[self.object], ADJECTIVE[self.reason])

    @property
    def is_ambiguous(self) -> bool:
        """Whether the English sentence has a second reading. The street does not teach from such scenes."""
        return len(self.possible_referents) > 1

    @property
    def referent_noun(self) -> Noun:
        """The noun that *it* stands for."""
        return NOUN[self.subject if self.referent == "subject" else self.object]

    @property
    def topic(self) -> str:
        """What the scene is about: the kind of its object, one of `words.OBJECT_KINDS`."""
        return NOUN[self.object].kind

    def _check_words(self) -> None:
        look_up(NOUN, self.subject, "noun")
        look_up(NOUN, self.object, "noun")
        look_up(VERB, self.verb, "verb")
        look_up(ADJECTIVE, self.reason, "adjective")
        verb = VERB[self.verb]
        for role, name, allowed in (("subject", self.subject, verb.subjects), ("object", self.object, verb.objects)):
            if NOUN[name].kind not in allowed:
                suiting = " or ".join(map(repr, sorted(allowed)))
                raise ValueError(
                    f"{name!r} cannot be the {role} of {self.verb!r}; this verb's {role} must be a noun of the kind "
                    f"{suiting}."
                )
        for name in (self.subject_adjective, self.object_adjective):
            if name:
                look_up(ATTRIBUTE, name, "adjective beside a noun")

    def _no_such_referent(self) -> str:
        nouns = f"the {self.subject} and the {self.object}"
        match self.possible_referents:
            case ():
                return f"Neither {nouns.replace(' and ', ' nor ')} can be too {self.reason}; choose another reason."
            case (only,):
                return f"Of {nouns}, only the {only} can be too {self.reason}; referent={self.referent!r} does not fit."
            case _:
                return f'Both of {nouns} can be too {self.reason}; say which with referent="subject" or "object".'
