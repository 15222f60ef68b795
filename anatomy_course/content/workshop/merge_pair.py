"""Notebook 08: one id in the place of a pair, the second half of byte-pair encoding."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch

from anatomy_course.judge.definition import Case, Objection
from anatomy_course.judge.effects.plain import PlainDrive, ids_as_tensor, no_ids, not_a, other_ids
from anatomy_course.judge.form import written
from anatomy_utils.training import byte_pairs


def merge_pair(ids: tuple[int, ...], pair: tuple[int, int], new_id: int) -> tuple[int, ...]:
    """ids: a word. Returns a shorter word in which each occurrence of pair has become the one id new_id.
    An id belongs to one occurrence at most: merging (1, 1) in (1, 1, 1) leaves the last 1 alone.
    """
    merged = []
    place = 0
    while place < len(ids):
        if ids[place : place + 2] == pair:
            merged.append(new_id)
            place += 2
        else:
            merged.append(ids[place])
            place += 1
    return tuple(merged)


Ids = tuple[int, ...]


def cases(generator: torch.Generator) -> Iterator[Case]:
    a, b, c = (1 + torch.randperm(200, generator=generator)[:3]).tolist()
    new = 256 + int(torch.randint(99, (1,), generator=generator))
    letters = torch.tensor([a, b, c])[torch.randint(3, (13,), generator=generator)].tolist()
    for kind, ids, pair in (
        ("the pair twice", (c, a, b, a, b, c), (a, b)),
        ("the pair at the end", (a, b, c, a, b), (a, b)),
        ("each id of the pair alone", (b, a, c, a, c, b, a, b, a), (a, b)),
        ("an id that repeats", (a, a, a, c, a, a, a, b), (a, a)),
        ("an id that repeats", (b, a, a, a, a, a), (a, a)),
        ("merged ids", (new - 1, b, c, new - 1, new - 1, b), (new - 1, b)),
        ("ids whose digits hold the pair", (115, 101, 15, 10, 215, 10), (15, 10)),
        ("a long word", (*letters, a, b, b, c), (a, b)),
        ("a word without the pair", (c, b, 0, a), (a, b)),
        ("a word of one id", (a,), (a, b)),
        ("a word that is the pair", (a, b), (a, b)),
        ("id 0 in the pair", (0, b, 0, b, 0), (0, b)),
        ("id 0 in the pair", (b, 0, c, b), (b, 0)),
    ):
        yield Case({"ids": ids, "pair": pair, "new_id": new}, kind)


def _with(step: Callable[[Ids, int, tuple[int, int]], bool], put: str = "new", skip: int = 2) -> Callable[..., Ids]:
    """The loop with one thing done differently.

    Args:
        step: whether to merge at a place.
        put: what to write there.
        skip: how far to go on from there.
    """

    def merge(ids: Ids, pair: tuple[int, int], new_id: int) -> Ids:
        written: list[int] = []
        place = 0
        while place < len(ids):
            here = step(ids, place, pair)
            first, second = ids[place], ids[min(place + 1, len(ids) - 1)]
            puts = {"new": [new_id], "nothing": [], "after": [first, new_id], "inserted": [first, second, new_id]}
            written += puts[put] if here else [first]
            place += skip if here else 1
        return tuple(written)

    return merge


def _here(ids: Ids, place: int, pair: tuple[int, int]) -> bool:
    return ids[place : place + 2] == pair


def _recursive(ids: Ids, pair: tuple[int, int], new_id: int) -> Ids:
    if len(ids) < 2:
        return ids
    if ids[:2] == pair:
        return (new_id, *_recursive(ids[2:], pair, new_id))
    return (ids[0], *_recursive(ids[1:], pair, new_id))


def _look(result: Any, wanted: Ids, given: Mapping[str, Any]) -> Objection | None:
    call = f"`merge_pair({given['ids']}, {given['pair']}, {given['new_id']})`"
    cure = "words are keys of a dict, and `tuple(…)` makes one from a list."
    return not_a(tuple, result, cure) or no_ids(result) or other_ids(result, wanted, call)


EXERCISE = written(
    merge_pair,
    same_as="anatomy_utils.training.byte_pairs.merge_pair",
    title="Merge a pair",
    task="Go from left to right and put new_id in the place of both ids, wherever the pair occurs.",
    level="easy, 6 minutes",
    returns="ids: position",
    cases=cases,
    observe=PlainDrive(byte_pairs.merge_pair, ("ids", "pair", "new_id"), _look, ids_as_tensor),
    mistakes="""
    second_kept: _with(_here, skip=1)(ids, pair, new_id)
        “You write the new id and go on by one: the second id of the pair is read again.”
    only_first:
        place = next((place for place in range(len(ids)) if _here(ids, place, pair)), None)
        return ids if place is None else (*ids[:place], new_id, *ids[place + 2 :])
        “You merge the first occurrence and leave all later ones as they were.”
    never: _with(lambda ids, place, pair: False)(ids, pair, new_id)
        “Nothing is merged in what you return: is your test for the pair ever True? A slice of a list is never equal to
        a tuple.”
    overlapping:
        begins = [ids[place : place + 2] == pair for place in range(len(ids))]
        second = [False, *begins]
        return tuple(
            new_id if begin else each
            for each, begin, after in zip(ids, begins, second, strict=False)
            if begin or not after
        )
        “Right, but for an id that repeats: in (1, 1, 1) you merge the middle one twice, with both of its neighbors. An
        id belongs to one occurrence at most.”
    last_lost:
        merged = byte_pairs.merge_pair(ids, pair, new_id)
        return merged if ids[-2:] == pair and merged[-1] == new_id else merged[:-1]
        “The last id of a word is lost where it is part of no pair: a loop over pairs never reaches it by itself.”
    from_the_right: byte_pairs.merge_pair(ids[::-1], pair[::-1], new_id)[::-1]
        “Right, but for an id that repeats: as if you began at the right end, (1, 1, 1) becomes (1, new) in place of
        (new, 1).”
    first_of_a_run:
        found = [place for place in range(len(ids)) if _here(ids, place, pair)]
        return _with(lambda ids, place, pair: place in found and place - 1 not in found)(ids, pair, new_id)
        “Right, but for an id that repeats: where four of it or more are in a row, only the first two are merged; (1, 1,
        1, 1) holds two pairs.”
    removed: _with(_here, put="nothing")(ids, pair, new_id)
        “You take the pairs out and write nothing in their place.”
    either_order: _with(lambda ids, place, pair: ids[place : place + 2] in (pair, pair[::-1]))(ids, pair, new_id)
        “You also merge the pair the wrong way round: (2, 1) is not (1, 2).”
    any_second: _with(lambda ids, place, pair: ids[place] == pair[0])(ids, pair, new_id)
        “You merge wherever the first id of the pair is, whatever comes after it.”
    each_member: _with(lambda ids, place, pair: ids[place] in pair, skip=1)(ids, pair, new_id)
        “You put the new id in the place of each single id of the pair; it replaces two neighbors at once.”
    one_lost: _with(_here, skip=3)(ids, pair, new_id)
        “After each merged pair an id is lost: you go on by three in place of two.”
    as_text:
        text = " ".join(map(str, ids)).replace(f"{pair[0]} {pair[1]}", str(new_id))
        return tuple(map(int, text.split()))
        “You join the ids as text, and look for the pair there: it is also found inside longer numbers, as 15 10 is in
        215 10. Compare ids, not digits.”
    apart:
        text = f" {' '.join(map(str, ids))} ".replace(f" {pair[0]} {pair[1]} ", f" {new_id} ")
        return tuple(map(int, text.split()))
        “Where two occurrences follow right after each other, you merge only the first. In a text, `replace` does so if
        both need the space between them.”
    first_kept: _with(_here, put="after")(ids, pair, new_id)
        “You replace the second id of each pair, and leave the first.”
    inserted: _with(_here, put="inserted")(ids, pair, new_id)
        “You write the new id after each pair, and the pair is still there.”
    """,
    also_right="""
    recursive: _recursive(ids, pair, new_id)
    with a stack:
        written: list[int] = []
        open_first = False  # whether the last one written may begin the pair
        for each in ids:
            if open_first and written[-1] == pair[0] and each == pair[1]:
                written[-1] = new_id
                open_first = False
            else:
                written.append(each)
                open_first = True
        return tuple(written)
    from a list:
        left, written = list(ids), []
        while left:
            if len(left) > 1 and (left[0], left[1]) == pair:
                written.append(new_id)
                left = left[2:]
            else:
                written.append(left.pop(0))
        return tuple(written)
    """,
    hints="""
    - A `while` loop with a place that goes on by two after a merge and by one otherwise; a `for` loop cannot skip.
    - `ids[place : place + 2] == pair` is True where the pair begins, and simply False at the last id.
    - Collect in a list, with `append`; at the end `return tuple(merged)`.
    """,
    explanation="""
    Count, merge the most frequent pair, count again: that is all of the training. Each merge adds one id to the
    vocabulary and makes the text shorter.
    """,
)
