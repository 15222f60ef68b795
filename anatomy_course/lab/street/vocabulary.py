"""Words as numbers: each word of the street has an id, and so have the marks that a model needs around them.

One vocabulary holds both languages, so that one model can do every task.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import SupportsInt

from anatomy_course.lab.street.lexicon import name_unknown, unknown_words, words_of
from anatomy_course.lab.street.text import detokenize
from anatomy_course.lab.street.words import LANGUAGES

PAD, BOS, EOS, UNK, SEP, MASK = SPECIAL_TOKENS = ("<pad>", "<bos>", "<eos>", "<unk>", "<sep>", "<mask>")
"""Padding, begin and end of a text, unknown word, between two texts, hidden word."""

TASKS = ("<english>", "<french>", "<summary>", "<answer>")
"""The first token of an encoder–decoder's input says what to write: a translation, a summary or an answer."""


class Vocabulary:
    """The words that a model knows, numbered from 0; the special tokens and the tasks come first.

    >>> vocabulary = Vocabulary(["the", "street"])
    >>> vocabulary.ids(["<bos>", "the", "street"]), len(vocabulary)
    ([1, 10, 11], 12)
    """

    def __init__(self, words: Iterable[str]) -> None:
        self.words = tuple(dict.fromkeys([*SPECIAL_TOKENS, *TASKS, *words]))
        self._ids = {word: number for number, word in enumerate(self.words)}
        self.pad_id, self.bos_id, self.eos_id, self.unk_id = (self._ids[word] for word in (PAD, BOS, EOS, UNK))

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return word in self._ids

    def ids(self, tokens: Sequence[str]) -> list[int]:
        """The numbers of words.

        Raises:
            ValueError: a word is not in the vocabulary; each such word is named, with the words nearest to it.
        """
        try:
            return [self._ids[token] for token in tokens]
        except KeyError:
            raise ValueError(name_unknown(unknown_words(tokens, self.words), self.words)) from None

    def tokens(self, ids: Iterable[SupportsInt]) -> list[str]:
        """The words of numbers.

        Raises:
            ValueError: a number is not below the size of the vocabulary.
        """
        numbers = [int(number) for number in ids]
        if numbers and not (min(numbers) >= 0 and max(numbers) < len(self)):
            raise ValueError(f"Ids go from 0 to {len(self) - 1}; these go from {min(numbers)} to {max(numbers)}.")
        return [self.words[number] for number in numbers]

    def text(self, ids: Iterable[SupportsInt]) -> str:
        """The sentence that ids spell: up to the first <eos>, without <bos> and <pad>.

        >>> Vocabulary(["the", "street"]).text([1, 10, 11, 2, 0])
        'The street'
        """
        tokens = self.tokens(ids)
        tokens = tokens[: tokens.index(EOS)] if EOS in tokens else tokens
        return detokenize([token for token in tokens if token not in (BOS, PAD)])


@cache
def street_vocabulary() -> Vocabulary:
    """The vocabulary of both languages: special tokens, tasks, English words, then the French words not yet there."""
    return Vocabulary(word for language in LANGUAGES for word in words_of(language))
