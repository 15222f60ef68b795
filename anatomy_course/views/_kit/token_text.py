"""Spelling: what a page needs to show token ids as words, whichever vocabulary they come from.

A language model's vocabulary is either the street's list of words or a published tokenizer's pieces. Both are asked the
same four things here. A piece may begin with a space, and two pieces that differ in nothing else are two tokens, so
`word` makes white space visible: " lunch" is shown as "␣lunch".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Protocol, runtime_checkable

from anatomy_course.lab.street.text import detokenize, tokenize
from anatomy_course.lab.street.vocabulary import BOS, Vocabulary
from anatomy_utils.interpret.activations import one_text
from anatomy_utils.zoo.tokenizer import Tokenizer

ENDS = ("<|im_end|>", "<|endoftext|>", "</s>", "<eos>")
"""Special tokens with which published models end a text; a vocabulary has some of them."""
VISIBLE = {" ": "␣", "\n": "↵", "\t": "⇥"}


@runtime_checkable
class Spelling(Protocol):
    """From text to ids and back, and how a single token looks."""

    @property
    def stop_ids(self) -> list[int]:
        """The tokens that end a text."""

    def ids(self, text: str) -> list[int]:
        """The text as a model reads it that is to go on writing.

        Raises:
            ValueError: a word is unknown, or there is nothing to read.
        """

    def word(self, token_id: int) -> str:
        """One token, with its white space visible."""

    def text(self, token_ids: Sequence[int]) -> str:
        """What the tokens say together, without special tokens."""


def spelling(words: Vocabulary | Tokenizer) -> Spelling:
    """How this vocabulary is read and written.

    >>> from anatomy_course.lab.street import Vocabulary
    >>> street = spelling(Vocabulary(["the", "street"]))
    >>> street.ids("The street"), street.word(11), street.text([10, 11]), street.stop_ids
    ([1, 10, 11], 'street', 'The street', [2])
    """
    return _Words(words) if isinstance(words, Vocabulary) else _Pieces(words)


@cache
def _bytes_of_letters() -> dict[str, int]:
    """How a byte-level vocabulary writes each byte (Radford et al. 2019, section 2.2): printable ones as themselves."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + i): byte for i, byte in enumerate(others)}


def byte_text(piece: str) -> str:
    """A piece that is a part of a letter's bytes, as its bytes; any other piece as it is.

    >>> byte_text("ĠðŁ"), byte_text("<|im_end|>")
    (' ⟨F0 9F⟩', '<|im_end|>')
    """
    letters = _bytes_of_letters()
    if not all(letter in letters for letter in piece) or all(letters[letter] < 128 for letter in piece):
        return piece
    raw = bytes(letters[letter] for letter in piece)
    plain = raw.decode("ascii", "surrogateescape")
    return re.sub(r"[\udc80-\udcff]+", lambda found: f"⟨{_hex(found[0])}⟩", plain)


def _hex(escaped: str) -> str:
    return " ".join(f"{ord(letter) - 0xDC00:02X}" for letter in escaped)


def readable(text: str) -> str:
    """A token with its white space and its invisible characters as signs.

    >>> readable(" a\\n"), readable("\\u200d")
    ('␣a↵', '⟨U+200D⟩')
    """
    return "".join(_sign(letter) for letter in text)


def _sign(letter: str) -> str:
    if letter in VISIBLE:
        return VISIBLE[letter]
    return letter if letter.isprintable() else f"⟨U+{ord(letter):04X}⟩"


class _Words:
    """The street: whole words, with <bos> in front of every text."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self.stop_ids = [vocabulary.eos_id]

    def ids(self, text: str) -> list[int]:
        return self._vocabulary.ids([BOS, *tokenize(text)])

    def word(self, token_id: int) -> str:
        return self._vocabulary.tokens([token_id])[0]

    def text(self, token_ids: Sequence[int]) -> str:
        special = {self._vocabulary.pad_id, self._vocabulary.bos_id, self._vocabulary.eos_id}
        return detokenize(self._vocabulary.tokens(each for each in token_ids if each not in special))


class _Pieces:
    """A published tokenizer: pieces of words, spaces included; nothing stands in front of a text."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self.stop_ids = [found for name in ENDS if (found := tokenizer.id_of(name)) is not None]

    def ids(self, text: str) -> list[int]:
        found: list[int] = self._tokenizer(one_text(text)).input_ids[0].tolist()
        return found

    def word(self, token_id: int) -> str:
        text = self._tokenizer.decode([token_id])
        if not text or "\ufffd" in text:  # a special token, or a part of a letter's bytes
            text = byte_text(self._tokenizer.piece(token_id))
        return readable(text)

    def text(self, token_ids: Sequence[int]) -> str:
        return self._tokenizer.decode(token_ids)
