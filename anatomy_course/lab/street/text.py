"""Words and text: "L'animal n'a …" ↔ l' animal n' a …; and a sentence of the street, whose parts are known.

Words are written small; the first letter of a sentence becomes a capital again on the way back. A French word that lost
its vowel keeps its apostrophe and stands alone (l', n', s', qu'); English *didn't* is one word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

_WORD = re.compile(r"<\w+>|\w+n't\b|\w+'|\w+|[^\w\s]")


def tokenize(text: str) -> list[str]:
    """Cut a sentence of either language into words and punctuation marks, all in small letters.

    >>> tokenize("L’animal n'a pas traversé la rue.")
    ["l'", 'animal', "n'", 'a', 'pas', 'traversé', 'la', 'rue', '.']
    >>> tokenize("It didn't.")
    ['it', "didn't", '.']

    Raises:
        ValueError: it is no text.
    """
    if not isinstance(text, str):
        raise ValueError(f"Give one sentence, such as 'the cat sleeps.', not {text!r:.60}.")
    text = unicodedata.normalize("NFC", text).replace("’", "'").lower()
    return _WORD.findall(text)


def detokenize(tokens: Sequence[str]) -> str:
    """Write words as a sentence: spaces, apostrophes and the capital letter where they belong.

    >>> detokenize(["l'", "animal", "n'", "a", "pas", "mangé", "."])
    "L'animal n'a pas mangé."
    """
    text = ""
    for token in tokens:
        closes_up = not text or text.endswith("'") or token in (".", "?", "!", ",")
        text += token if closes_up else " " + token
    return text[:1].upper() + text[1:]


class Span(NamedTuple):
    """Neighboring words of a sentence, from `start` up to but not including `stop`, as in a Python slice."""

    start: int
    stop: int


@dataclass(frozen=True)
class Sentence:
    """What is said, and where its parts are.

    Attributes:
        tokens: words and punctuation, as `text.tokenize` cuts them.
        subject: the subject's noun with its adjective, without the article.
        object: the same of the object.
        clause: the reason from the pronoun to its adjective ("it was too tired"). The pronoun is its first word.
    """

    tokens: tuple[str, ...]
    subject: Span
    object: Span
    clause: Span

    def __str__(self) -> str:
        return detokenize(self.tokens)

    def words(self, span: Span) -> tuple[str, ...]:
        """The words of a span."""
        return self.tokens[span.start : span.stop]


class Writer:
    """Collects the words of a sentence and remembers where a part of it began."""

    def __init__(self) -> None:
        self.tokens: list[str] = []

    def add(self, words: Iterable[str]) -> Span:
        """Write words, and say where they stand."""
        start = len(self.tokens)
        self.tokens.extend(words)
        return Span(start, len(self.tokens))
