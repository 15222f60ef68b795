"""Notebook 08: from text to ids with pairs that were learned."""

# mypy: disable-error-code="var-annotated, arg-type"
# A solution's lines are as learners read them, without types of their own.

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

import torch

from anatomy_course.judge.definition import Case, Objection
from anatomy_course.judge.effects.plain import PlainDrive, ids_as_tensor, no_ids, not_a, other_ids, shown
from anatomy_course.judge.form import written
from anatomy_utils.training import byte_pairs
from anatomy_utils.training.byte_pairs import merge_pair, split_words, token_bytes


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


Ids = tuple[int, ...]


Merges = dict[tuple[int, int], int]


def cases(generator: torch.Generator) -> Iterator[Case]:
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


def _word_by_word(
    of_word: Callable[[Ids, Merges], Iterable[int]], split: Callable[[str], list[str]] = split_words
) -> Callable[[str, Merges], list[int]]:
    def encode(text: str, merges: Merges) -> list[int]:
        return [each for word in split(text) for each in of_word(tuple(word.encode("utf-8")), merges)]

    return encode


def _by(choose: Callable[[list[tuple[int, int]], Merges], tuple[int, int]]) -> Callable[[Ids, Merges], Ids]:
    """Merges the pair that is chosen among those that are known, until none is."""

    def merged(ids: Ids, merges: Merges) -> Ids:
        while known := [pair for pair in pairwise(ids) if pair in merges]:
            pair = choose(known, merges)
            ids = merge_pair(ids, pair, merges[pair])
        return ids

    return merged


def _lowest(known: list[tuple[int, int]], merges: Merges) -> tuple[int, int]:
    return min(known, key=lambda pair: merges[pair])


def _one_round(ids: Ids, merges: Merges) -> Ids:
    known = [pair for pair in pairwise(ids) if pair in merges]
    return merge_pair(ids, _lowest(known, merges), merges[_lowest(known, merges)]) if known else ids


def _of_bytes(ids: Ids, merges: Merges) -> Ids:
    return _by(_lowest)(ids, {pair: new_id for pair, new_id in merges.items() if max(pair) < 256})


def _longest(ids: Ids, merges: Merges) -> list[int]:
    pieces = token_bytes(merges)
    longest_first = sorted(merges.values(), key=lambda each: -len(pieces[each]))
    rest, found = bytes(ids), []
    while rest:
        found.append(next((each for each in longest_first if rest.startswith(pieces[each])), rest[0]))
        rest = rest[len(pieces[found[-1]]) :]
    return found


def _first_occurrences(ids: Ids, merges: Merges) -> Ids:
    for pair, new_id in merges.items():
        place = next((i for i in range(len(ids)) if ids[i : i + 2] == pair), None)
        ids = ids if place is None else (*ids[:place], new_id, *ids[place + 2 :])
    return ids


def _first_merge_lost(ids: Ids, merges: Merges) -> Ids:
    """What a list of bytes makes of `merge_pair`, which gives back a tuple."""
    return _in_turn(ids, dict(list(merges.items())[1:]))


def _in_turn(ids: Ids, merges: Merges) -> Ids:
    """Each merge once, in the order of learning: a pair that holds a new id was always learned later."""
    for pair, new_id in merges.items():
        ids = merge_pair(ids, pair, new_id)
    return ids


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
    bytes_only: _word_by_word(lambda ids, merges: ids)(text, merges)
        “You return the plain bytes: no merge reaches them.”
    characters: [each for word in split_words(text) for each in _by(_lowest)(tuple(map(ord, word)), merges)]
        “You begin with the numbers of characters, as `ord` gives them, not with the bytes of UTF-8: é has two bytes, an
        emoji four.”
    across_words: list(_by(_lowest)(tuple(text.encode("utf-8")), merges))
        “Some of your pairs reach across two words, as if you merged in the text as a whole.”
    spaces_lost: _word_by_word(_by(_lowest), str.split)(text, merges)
        “The white space between the words is lost: `split_words` keeps it, `text.split()` does not.”
    left_to_right: _word_by_word(_by(lambda known, merges: known[0]))(text, merges)
        “You merge the first known pair from the left. The one that was learned first, with the lowest new id, comes
        first wherever it is.”
    highest_first: _word_by_word(_by(lambda known, merges: max(known, key=lambda pair: merges[pair])))(text, merges)
        “You merge the pair with the highest new id first; the lowest was learned first.”
    smallest_first: _word_by_word(_by(lambda known, merges: min(known)))(text, merges)
        “You merge the pair whose own ids are the smallest; what counts is the new id, which `merges` holds.”
    longest_first: _word_by_word(_longest)(text, merges)
        “You take the longest piece of the vocabulary at each place, as WordPiece does; byte-pair encoding repeats the
        merges in the order of learning.”
    one_round: _word_by_word(_one_round)(text, merges)
        “In each word you merge one pair and stop; others may be known, and the new id may be part of one.”
    of_bytes: _word_by_word(_of_bytes)(text, merges)
        “You merge pairs of bytes only; pairs that hold a merged id are not merged again.”
    first_occurrences: _word_by_word(_first_occurrences)(text, merges)
        “Of each pair you merge only the first occurrence in a word.”
    first_merge_lost: _word_by_word(_first_merge_lost)(text, merges)
        “The merge that was learned first never happens in yours. Is the word a list at first? A part of a list never
        equals a pair, which is a tuple: `tuple(…)`.”
    """,
    also_right="""
    each merge in turn: _word_by_word(_in_turn)(text, merges)
    one occurrence at a time:
        ids = []
        for word in split_words(text):
            parts = list(word.encode("utf-8"))
            while True:
                ranked = [(merges[pair], place) for place, pair in enumerate(pairwise(parts)) if pair in merges]
                if not ranked:
                    break
                new_id, place = min(ranked)
                parts[place : place + 2] = [new_id]
            ids += parts
        return ids
    by the lowest new id: _word_by_word(_by(_lowest))(text, merges)
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
