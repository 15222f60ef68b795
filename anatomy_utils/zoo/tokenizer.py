"""Tokenization: from text to ids and back, through the `tokenizers` library that published models use.

Models read numbers. A tokenizer cuts a text into pieces of its vocabulary and gives each its number; notebook 01
begins here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from reprlib import repr
from typing import Any

import torch
from jaxtyping import Int
from tokenizers import Tokenizer as RustTokenizer
from tokenizers.processors import TemplateProcessing
from torch import Tensor

from anatomy_utils.zoo.checkpoint import check_file

MOST_BYTES = 50_000_000
"""Of a `tokenizer.json`; the largest published ones have 35 million."""
MOST_GROWTH = 10_000
"""How many times as long a text may become before it is cut into pieces; published ones may double it."""


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
        self._pad_id = pad_id

    @classmethod
    def from_file(
        cls, path: Path, *, pad_left: bool = False, sha256: str | None = None, checked: bool = False, last: str = ""
    ) -> Tokenizer:
        """Read a `tokenizer.json`.

        Args:
            path: of the file.
            pad_left: pad at the head, for texts that are to be continued.
            sha256: its fingerprint, where one is known.
            checked: somebody has seen to it that it does not blow texts up.
            last: a piece of the vocabulary that ends every text, where the file does not say so itself.

        Raises:
            ValueError: as `check_file`, or the file is damaged or blows texts up.
        """
        missing = f"There is no {path.name} in {path.parent}; a model folder needs one beside its weights."
        check_file(path, missing, most=MOST_BYTES, sha256=sha256)
        if not (checked or sha256):
            _check_growth(path)
        try:
            tokenizer = RustTokenizer.from_file(str(path))
        except Exception as error:  # the library raises bare Exception
            raise ValueError(f"{path} is damaged or not a tokenizer file ({error}); fetch it again.") from error
        if last:
            tokenizer.add_special_tokens([last])
            ends = [(last, tokenizer.token_to_id(last))]
            tokenizer.post_processor = TemplateProcessing(single=f"$A {last}", special_tokens=ends)
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

    @property
    def last_id(self) -> int:
        """The largest id that it can give, padding's among them."""
        return max(self._pad_id, *self._tokenizer.get_vocab().values(), 0)

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

    def byte_pairs(self) -> tuple[list[str], list[str]]:
        """Its vocabulary, id → token, and its merges, "left right" in the order of learning.

        Raises:
            ValueError: it merges no pairs.
        """
        model = json.loads(self._tokenizer.to_str())["model"]
        if model["type"] != "BPE":
            raise ValueError(f"This is a {model['type']} tokenizer, which merges no pairs; give one of byte pairs.")
        merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"]]
        return sorted(model["vocab"], key=model["vocab"].get), merges

    def decode(self, ids: Sequence[int] | Int[Tensor, " position"]) -> str:
        """The text that ids stand for, without special tokens.

        Raises:
            ValueError: these are no ids.
        """
        try:
            return self._tokenizer.decode([int(i) for i in ids])
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"Give a list of ids, whole numbers from 0 on, not {repr(ids)}.") from error


def _check_growth(path: Path) -> None:
    """Refuse a file of a few bytes that makes gigabytes of a short text, before the library reads it."""
    try:
        parts = json.loads(path.read_bytes())
        growth = prod(_growth(parts.get(name)) for name in ("normalizer", "pre_tokenizer", "decoder"))
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{path} is damaged or not a tokenizer file ({error}); fetch it again.") from error
    if growth > MOST_GROWTH:
        raise ValueError(f"{path} may make a text more than {MOST_GROWTH:,} times as long; fetch it again.")


def _growth(part: Any) -> int:
    """How many times as long a text may become by a part of a tokenizer, or by several after each other."""
    if isinstance(part, list):
        return prod(map(_growth, part))
    if not isinstance(part, dict):
        return 1
    itself = {"Replace": len(part.get("content", "")) + 1, "ByteLevel": 2, "Precompiled": 2}
    return itself.get(part.get("type", ""), 1) * _growth([value for value in part.values() if isinstance(value, list)])


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
