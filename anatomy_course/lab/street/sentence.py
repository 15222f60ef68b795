"""A sentence of the street: its words, and where in them the subject, the object, the pronoun and the reason stand.

Both languages write into the same form, so that tags and answers are read off in one way for both.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from anatomy_course.lab.street.text import detokenize


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
