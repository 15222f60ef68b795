"""Notebook 10: from ids back to text."""

from collections.abc import Mapping
from typing import Any

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Objection, Tensor, written
from anatomy_course.judge.effects.plain import PlainDrive, not_a, shown
from anatomy_utils.training import byte_pairs
from anatomy_utils.training.byte_pairs import encode, train_byte_pairs


def decode(ids: list[int], merges: dict[tuple[int, int], int]) -> str:
    """merges: pair → new id, in the order in which they were learned. Ids below 256 are bytes.
    A model may write half a character, so `errors="replace"`.
    """
    pieces = {i: bytes([i]) for i in range(256)}
    for (left, right), new_id in merges.items():
        pieces[new_id] = pieces[left] + pieces[right]
    return b"".join(pieces[i] for i in ids).decode("utf-8", errors="replace")


Merges = dict[tuple[int, int], int]


def cases(generator: Generator) -> Cases:
    a, b, c, d = (97 + number for number in torch.randperm(26, generator=generator)[:4].tolist())
    deep: Merges = {(a, b): 256, (256, c): 257, (d, 257): 258, (258, 256): 259}
    animals = "🐈🐕🐟🦉"[int(torch.randint(4, (1,), generator=generator))]
    learned = train_byte_pairs("née née à à Orléans é Orléans", 264)
    for kind, ids, merges in (
        ("bytes", [a, b, 32, c], {(a, b): 256}),
        ("a merged pair", [256, c, 256, b], {(a, b): 256}),
        ("merged ids in merged ids", [259, 32, 258, d, 257], deep),
        ("letters of two bytes", encode("née à Orléans", learned), learned),
        ("a character of several tokens", [a, *animals.encode(), b], {(a, b): 256}),
        ("half a character", [b, *animals.encode()[:3], a, 0xC3], {(a, b): 256}),
        ("white space at both ends", [10, 32, 256, 32, 10], {(a, b): 256}),
        ("no ids", [], {(a, b): 256}),
    ):
        yield Case({"ids": ids, "merges": merges}, kind)


def _look(result: Any, wanted: str, given: Mapping[str, Any]) -> Objection | None:
    cure = '`bytes(…).decode("utf-8", errors="replace")` makes one of bytes.'
    if objection := not_a(str, result, cure):
        return objection
    if result == wanted:
        return None
    call = f"`decode({shown(given['ids'])}, {shown(given['merges'])})`"
    return Objection("value", f"{call} should return {shown(wanted)}; yours returns {shown(result)}.", result)


def _as_tensor(text: str) -> Tensor:
    return torch.tensor([ord(character) for character in text], dtype=torch.long)


EXERCISE = written(
    decode,
    same_as="anatomy_utils.training.byte_pairs.decode",
    title="From ids to text",
    task="Put the bytes of all ids one after the other and read them as UTF-8; bytes that do not form a whole "
    "character become the replacement character, �.",
    level="medium, 7 minutes",
    returns="text: character",
    cases=cases,
    observe=PlainDrive(byte_pairs.decode, ("ids", "merges"), _look, _as_tensor),
    mistakes="""
    each_alone:
        b"".join(pieces[i] for i in ids).decode("utf-8", errors="replace") ⇒
            "".join(pieces[i].decode("utf-8", errors="replace") for i in ids)
        “You decode each id by itself: the bytes of a character may be in several tokens, so join all bytes first.”
    one_character_per_byte: "utf-8", errors="replace" ⇒ "latin-1"
        “You make one character of each byte: é comes out as Ã©. UTF-8 writes some characters with several bytes.”
    one_level: pieces[left] + pieces[right] ⇒ bytes(each for each in (left, right) if each < 256)
        “Your merged ids come out as if they were taken apart only once; a part of a pair may itself be a merged id.”
    zeros: bytes([i]) ⇒ bytes(i)
        “Your text is made of the byte 0 alone: `bytes(97)` is 97 zeros, and `bytes([97])` is the byte 97.”
    turned: pieces[left] + pieces[right] ⇒ pieces[right] + pieces[left]
        “The two parts of each pair are the wrong way round.”
    only_bytes: pieces[left] + pieces[right] ⇒ b""
        “Ids of 256 and more leave nothing in your text; only the single bytes are there.”
    broken_left_out: "replace" ⇒ "ignore"
        “Bytes that do not form a whole character vanish from your text; `errors="replace"` shows where they were.”
    spaces_between: b"" ⇒ b" "
        “You put a space between the tokens; the tokens hold the text's own spaces.”
    """,
    also_right="""
    merges taken back:
        for pair, new_id in reversed(merges.items()):
            ids = [part for each in ids for part in (pair if each == new_id else (each,))]
        return bytes(ids).decode("utf-8", errors="replace")
    byte by byte: b"".join(pieces[i] for i in ids) ⇒ bytes(each for i in ids for each in pieces[i])
    recursive:
        pair_of = {new_id: pair for pair, new_id in merges.items()}
        def piece(each: int) -> bytes:
            return b"".join(map(piece, pair_of[each])) if each in pair_of else bytes([each])
        return b"".join(map(piece, ids)).decode("utf-8", "replace")
    """,
    hints="""
    - First a dict from each id to its bytes; then join the bytes of all ids; then decode once.
    - `pieces = {i: bytes([i]) for i in range(256)}`. The merges come in the order of learning, so when a pair is
      reached, both of its parts are in the dict already: `pieces[left] + pieces[right]`.
    - `b"".join(pieces[i] for i in ids)` puts bytes one after the other, and `.decode("utf-8", errors="replace")` reads
      them.
    """,
    explanation="""
    Decoding needs no order and no choice: each id has its bytes. Any text comes back as it was, emoji included, because
    the bytes were there from the start.
    """,
)
