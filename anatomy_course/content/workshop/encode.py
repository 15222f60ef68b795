"""Notebook 10: from text to ids with pairs that were learned."""

# mypy: disable-error-code="var-annotated, arg-type"
# A solution's lines are as learners read them, without types of their own.

from collections.abc import Mapping
from typing import Any

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Objection, written
from anatomy_course.judge.effects.plain import PlainDrive, ids_as_tensor, no_ids, not_a, other_ids, shown
from anatomy_utils.training import byte_pairs
from anatomy_utils.training.byte_pairs import merge_pair, split_words


def encode(text: str, merges: dict[tuple[int, int], int]) -> list[int]:
    """merges: pair → new id (256, 257, …), in the order in which they were learned.
    `split_words(text)` and your `merge_pair(ids, pair, new_id)` are there; pairs do not reach across words.
    Returns the ids of all words in one list.
    """
    ids = []
    for word in split_words(text):
        parts = tuple(word.encode("utf-8"))
        while True:
            pairs = [pair for pair in zip(parts, parts[1:]) if pair in merges]
            if not pairs:
                break
            pair = min(pairs, key=merges.get)
            parts = merge_pair(parts, pair, merges[pair])
        ids.extend(parts)
    return ids


def cases(generator: Generator) -> Cases:
    letters = [chr(97 + number) for number in torch.randperm(26, generator=generator)[:5].tolist()]
    a, b, c, d = map(ord, sorted(letters[:4]))  # so that it is known which pair is the smaller one

    def words(count: int) -> str:
        sizes = torch.randint(2, 7, (count,), generator=generator).tolist()
        drawn = [torch.randint(5, (size,), generator=generator).tolist() for size in sizes]
        return " ".join("".join(letters[each] for each in word) for word in drawn)

    spaced = f"{words(1)}:\n        {words(1)}   {words(1)}\n        {words(1)}\n"
    for kind, text, merges in (
        ("pairs that overlap", _text(a, b, c, a, b), {(b, c): 256, (a, b): 257}),
        ("pairs that overlap", _text(c, b, a), {(c, b): 256, (b, a): 257}),
        ("a pair of merged ids", _text(a, b, c), {(b, c): 256, (a, 256): 257, (a, b): 258}),
        (
            "a pair of merged ids",
            _text(a, b, c, d, a, b, a, b),
            {(a, b): 256, (c, d): 257, (256, 257): 258, (257, a): 259},
        ),
        ("an id that repeats", _text(a, a, a, a, a), {(a, a): 256, (256, 256): 257}),
        ("several words", words(6), byte_pairs.train_byte_pairs(words(20), 268)),
        ("white space", spaced, byte_pairs.train_byte_pairs(f"{spaced}{spaced}     ", 264)),
        ("letters of two bytes", "née à Orléans", byte_pairs.train_byte_pairs("née née à à Orléans é", 262)),
        ("an emoji", "a 😀😁!", byte_pairs.train_byte_pairs("😀 😀 😁", 258)),
        ("no pairs at all", f"{_text(a, b, c)} {words(2)}", {}),
        ("an empty text", "", {(a, b): 256}),
    ):
        yield Case({"text": text, "merges": merges}, kind)


def _text(*letters: int) -> str:
    return "".join(map(chr, letters))


def _look(result: Any, wanted: list[int], given: Mapping[str, Any]) -> Objection | None:
    call = f"`encode({shown(given['text'])}, {shown(given['merges'])})`"
    cure = "all ids of the text in one list."
    return not_a(list, result, cure) or no_ids(result) or other_ids(result, wanted, call)


EXERCISE = written(
    encode,
    same_as="anatomy_utils.training.byte_pairs.encode",
    title="From text to ids",
    task="Turn each word into its UTF-8 bytes, and merge pairs in it until none is known: always the one with the "
    "lowest new id first.",
    level="medium, 10 minutes",
    returns="ids: position",
    cases=cases,
    observe=PlainDrive(byte_pairs.encode, ("text", "merges"), _look, ids_as_tensor, {"split_words": split_words}),
    uses="workshop.merge_pair",
    mistakes="""
    bytes_only: list(text.encode("utf-8"))
        “You return the plain bytes: no merge reaches them.”
    characters: word.encode("utf-8") ⇒ map(ord, word)
        “You begin with the numbers of characters, as `ord` gives them, not with the bytes of UTF-8: é has two bytes, an
        emoji four.”
    across_words: split_words(text) ⇒ [text]
        “Some of your pairs reach across two words, as if you merged in the text as a whole.”
    spaces_lost: split_words(text) ⇒ text.split()
        “The white space between the words is lost: `split_words` keeps it, `text.split()` does not.”
    left_to_right: min(pairs, key=merges.get) ⇒ pairs[0]
        “You merge the first known pair from the left. The one that was learned first, with the lowest new id, comes
        first wherever it is.”
    highest_first: min(pairs ⇒ max(pairs
        “You merge the pair with the highest new id first; the lowest was learned first.”
    smallest_first: , key=merges.get ⇒
        “You merge the pair whose own ids are the smallest; what counts is the new id, which `merges` holds.”
    longest_first:
        pieces = byte_pairs.token_bytes(merges)
        longest, ids = sorted(pieces, key=lambda id: -len(pieces[id])), []
        for word in split_words(text):
            rest = word.encode("utf-8")
            while rest:
                ids.append(next(id for id in longest if rest.startswith(pieces[id])))
                rest = rest[len(pieces[ids[-1]]) :]
        return ids
        “You take the longest piece of the vocabulary at each place, as WordPiece does; byte-pair encoding repeats the
        merges in the order of learning.”
    one_round: while True: ⇒ for _ in range(1):
        “In each word you merge one pair and stop; others may be known, and the new id may be part of one.”
    of_bytes: if pair in merges] ⇒ if pair in merges and max(pair) < 256]
        “You merge pairs of bytes only; pairs that hold a merged id are not merged again.”
    first_occurrences:
        parts = tuple(word.encode("utf-8")) ⇒ parts, left = tuple(word.encode("utf-8")), dict(merges)
        if pair in merges ⇒ if pair in left
        parts = merge_pair(parts, pair, merges[pair]) ⇒
            place = list(zip(parts, parts[1:])).index(pair)
            parts = (*parts[:place], left.pop(pair), *parts[place + 2 :])
        “Of each pair you merge only the first occurrence in a word.”
    first_merge_lost: ids = [] ⇒ ids, merges = [], dict([*merges.items()][1:])
        “The merge that was learned first never happens in yours. Is the word a list at first? A part of a list never
        equals a pair, which is a tuple: `tuple(…)`.”
    """,
    also_right="""
    each merge in turn:
        ids = []
        for word in split_words(text):
            parts = tuple(word.encode("utf-8"))
            for pair, new_id in merges.items():
                parts = merge_pair(parts, pair, new_id)
            ids.extend(parts)
        return ids
    one occurrence at a time:
        tuple(word ⇒ list(word
        parts = merge_pair(parts, pair, merges[pair]) ⇒
            place = list(zip(parts, parts[1:])).index(pair)
            parts[place : place + 2] = [merges[pair]]
    by the lowest new id: min(pairs, key=merges.get) ⇒ sorted(pairs, key=lambda pair: merges[pair])[0]
    """,
    hints="""
    - A loop over `split_words(text)`. In it, `parts = tuple(word.encode("utf-8"))` are the bytes, and a second loop
      merges for as long as there is something to merge.
    - `pairs = [pair for pair in zip(parts, parts[1:]) if pair in merges]` are the known pairs of the word as it is now;
      when there is none, the word is done.
    - `pair = min(pairs, key=merges.get)` has the lowest new id; then `parts = merge_pair(parts, pair, merges[pair])`.
      At the end of a word `ids.extend(parts)`.
    """,
    explanation="""
    Encoding repeats what training did, in the same order, so a text comes out as it was in training. Since it begins
    with bytes, there is no unknown word: what was never seen just takes more tokens.
    """,
)
