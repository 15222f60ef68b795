"""What a word of the street is: a noun, an adjective or a verb, each with both languages in one row.

The tables themselves stand in `nouns`, `adjectives` and `verbs`; the world that they describe appears in notebooks 03
(tasks for an encoder), 04 (a small GPT) and 05 (the translator).
"""

from __future__ import annotations

from dataclasses import dataclass

Language = str
"""One of `LANGUAGES`. Another word gets a `ValueError` from `check_language`."""

LANGUAGES = ("english", "french")

SUBJECT_KINDS = ("animal", "machine")
"""What can do something."""

OBJECT_KINDS = ("street", "water", "building", "food", "load")
"""What something can be done to. They are also the topics of the sentences."""

KINDS = SUBJECT_KINDS + OBJECT_KINDS

MOODS = ("didn't", "couldn't", "wouldn't")
"""How a scene may not happen. What did happen has the mood "did"."""


def kinds(names: str) -> frozenset[str]:
    """The kinds that a table names in one string, separated by spaces.

    Raises:
        ValueError: one of them is not a kind.

    >>> sorted(kinds("water street"))
    ['street', 'water']
    """
    chosen = frozenset(names.split())
    if unknown := chosen - set(KINDS):
        raise ValueError(f"Unknown kind {sorted(unknown)}; the kinds are {', '.join(KINDS)}.")
    return chosen


def check_language(language: Language) -> None:
    """Complain about a language that the street does not speak.

    Raises:
        ValueError: naming it, and those that it does.
    """
    if language not in LANGUAGES:
        raise ValueError(f"The street speaks {' and '.join(LANGUAGES)}, not {language!r}.")


@dataclass(frozen=True)
class Noun:
    """Something that acts or is acted upon.

    Attributes:
        english: the word; also the name by which a scene calls it.
        french: the French word.
        gender: "m" or "f", the gender of the French word.
        kind: one of `KINDS`.
    """

    english: str
    french: str
    gender: str
    kind: str


@dataclass(frozen=True)
class Adjective:
    """A property, of a noun ("the old animal") or as a reason ("because it was too tired").

    Attributes:
        english: the word; also the name by which a scene calls it.
        masculine: the French form for a masculine noun.
        feminine: the French form for a feminine noun.
        beside_noun: "before" or "after" where French puts it beside a noun; "" if it is only ever a reason.
        before_vowel: the masculine form before a vowel where it differs (*vieil animal*), else "".
        fits: the kinds of noun that can be too much of it; empty if it is never a reason.
    """

    english: str
    masculine: str
    feminine: str
    beside_noun: str = ""
    before_vowel: str = ""
    fits: frozenset[str] = frozenset()

    @property
    def french_forms(self) -> tuple[str, ...]:
        """All French forms, each once."""
        return tuple(dict.fromkeys(form for form in (self.masculine, self.before_vowel, self.feminine) if form))


@dataclass(frozen=True)
class Verb:
    """Something that happens to an object, or (far more often on this street) does not.

    Attributes:
        english: the base form; also the name by which a scene calls it.
        infinitive: the French infinitive, without *se*.
        participle: the French past participle, masculine; feminine adds -e.
        subjects: kinds of noun that can do it.
        objects: kinds of noun that it can be done to.
        english_preposition: the word between verb and object in English, or "".
        french_preposition: the word between verb and object in French, or "". *De* and *à* melt into *du* and *au*.
        auxiliary: "avoir", or "être" (then the participle agrees with the subject).
        reflexive: French says *s'approcher*.
        past: the English past form of a verb that does happen ("avoided"); "" for a verb that appears with "didn't".
        goal: what the summary says could not be done; "" if that is the verb itself.
    """

    english: str
    infinitive: str
    participle: str
    subjects: frozenset[str]
    objects: frozenset[str]
    english_preposition: str = ""
    french_preposition: str = ""
    auxiliary: str = "avoir"
    reflexive: bool = False
    past: str = ""
    goal: str = ""

    @property
    def moods(self) -> tuple[str, ...]:
        """The moods that this verb can have in a scene."""
        return ("did",) if self.past else MOODS
