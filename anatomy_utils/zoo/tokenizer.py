"""Tokenization: from text to ids and back, through the `tokenizers` library that published models use.

Models read numbers. A tokenizer cuts a text into pieces of its vocabulary and gives each its number; notebook 01
begins here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr

import torch
from jaxtyping import Int
from tokenizers import Tokenizer as RustTokenizer
from torch import Tensor


@dataclass(frozen=True)
class TokenBatch:
    """Several texts as numbers of one rectangular shape.

    Attributes:
        input_ids: (batch, position), padded at the end; for decoders, whose texts are to be continued, at the head.
        attention_mask: (batch, position), 1 = real token, 0 = padding.
        segment_ids: (batch, position), 0 for a first text and 1 for a second.
        tokens: the pieces of each text as the vocabulary writes them, padding included.
    """

    input_ids: Int[Tensor, "batch position"]
    attention_mask: Int[Tensor, "batch position"]
    segment_ids: Int[Tensor, "batch position"]
    tokens: list[list[str]]

    def position(self, token: str, row: int = 0) -> int:
        """Where a token stands for the first time in one of the texts.

        Raises:
            ValueError: the text has no such token; its tokens are listed.
        """
        if token not in self.tokens[row]:
            raise ValueError(f"There is no token {token!r} in {self.tokens[row]}.")
        return self.tokens[row].index(token)


class Tokenizer:
    """A published tokenizer, without the length limits and padding that its file may carry."""

    def __init__(
        self, tokenizer: RustTokenizer, *, pad_id: int = 0, pad_token: str = "[PAD]", pad_left: bool = False
    ) -> None:
        tokenizer.no_truncation()
        direction = "left" if pad_left else "right"
        tokenizer.enable_padding(direction=direction, pad_id=pad_id, pad_token=pad_token)
        self._tokenizer = tokenizer

    @classmethod
    def from_file(cls, path: Path, *, pad_left: bool = False) -> Tokenizer:
        """Read a `tokenizer.json`.

        Args:
            path: of the file.
            pad_left: pad at the head, for texts that are to be continued.

        Raises:
            ValueError: the file is missing or damaged.
        """
        if not path.is_file():
            raise ValueError(f"There is no {path.name} in {path.parent}; a model folder needs one beside its weights.")
        try:
            tokenizer = RustTokenizer.from_file(str(path))
        except Exception as error:  # the library raises bare Exception
            raise ValueError(f"{path} is damaged or not a tokenizer file ({error}); fetch it again.") from error
        padding = tokenizer.padding or {}
        pad_id, pad_token = padding.get("pad_id", 0), padding.get("pad_token", "[PAD]")
        return cls(tokenizer, pad_id=pad_id, pad_token=pad_token, pad_left=pad_left)

    def save(self, path: Path) -> None:
        """Write a `tokenizer.json` that `from_file` reads."""
        self._tokenizer.save(str(path))

    @property
    def vocab_size(self) -> int:
        """How many pieces the vocabulary has."""
        return self._tokenizer.get_vocab_size()

    def piece(self, token_id: int) -> str:
        """A token as the vocabulary writes it, special tokens too.

        Raises:
            ValueError: the vocabulary has no such id.
        """
        if not 0 <= token_id < self.vocab_size:
            raise ValueError(f"Token {token_id} is outside the vocabulary, whose ids run to {self.vocab_size - 1}.")
        return str(self._tokenizer.id_to_token(token_id))

    def id_of(self, piece: str) -> int | None:
        """The id of a piece as the vocabulary writes it; None where it has no such piece."""
        found: int | None = self._tokenizer.token_to_id(piece)
        return found

    def __call__(self, texts: str | Sequence[str], *, max_length: int | None = None) -> TokenBatch:
        """Encode one text or several; shorter ones are padded.

        Args:
            texts: one text, or a list of them.
            max_length: the most tokens that a text may have, special ones included; what is beyond is cut off at the
                end. No limit when left out.

        Raises:
            ValueError: no text was given, or something that is not text, `max_length` leaves no room for a token, or
                the vocabulary is damaged.
        """
        texts = _listed(texts)
        if max_length is not None:
            self._limit(max_length)
        try:
            encodings = self._tokenizer.encode_batch(texts)
        except Exception as error:  # the library raises bare Exception
            raise ValueError(
                f"This tokenizer cannot read the text ({error}); fetch its tokenizer.json again."
            ) from error
        finally:
            self._tokenizer.no_truncation()
        return TokenBatch(
            input_ids=torch.tensor([encoding.ids for encoding in encodings]),
            attention_mask=torch.tensor([encoding.attention_mask for encoding in encodings]),
            segment_ids=torch.tensor([encoding.type_ids for encoding in encodings]),
            tokens=[encoding.tokens for encoding in encodings],
        )

    def _limit(self, max_length: int) -> None:
        special = self._tokenizer.num_special_tokens_to_add(False)
        if not isinstance(max_length, int) or not special < max_length < 2**31:
            raise ValueError(
                f"max_length is {repr(max_length)}, but a whole number above {special} is expected, "
                f"since each text gets {special} special tokens."
            )
        self._tokenizer.enable_truncation(max_length)

    def decode(self, ids: Sequence[int] | Int[Tensor, " position"]) -> str:
        """The text that ids stand for, without special tokens.

        Raises:
            ValueError: these are no ids.
        """
        try:
            return self._tokenizer.decode([int(i) for i in ids])
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"Give a list of ids, whole numbers from 0 on, not {repr(ids)}.") from error


def _listed(texts: object) -> list[str]:
    """One text or several as a list.

    Raises:
        ValueError: there is none, or something that is not text.
    """
    listed = [texts] if isinstance(texts, str) else list(texts) if isinstance(texts, Iterable) else []
    if not listed or isinstance(texts, bytes | dict):
        raise ValueError(f"Give a text or a list of texts, not {repr(texts)}.")
    for number, text in enumerate(listed):
        if not isinstance(text, str):
            raise ValueError(f"Give a text or a list of texts; number {number} of these is {repr(text)}.")
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ValueError(
                f"Text {number} holds half of a character at {error.start} ({text[error.start]!r}, a lone surrogate), "
                "which no vocabulary has; leave it out."
            ) from error
    return listed
