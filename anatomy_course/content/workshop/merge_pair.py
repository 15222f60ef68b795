"""Notebook 10: one id in the place of a pair, the second half of byte-pair encoding."""

from collections.abc import Mapping
from typing import Any

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Objection, written
from anatomy_course.judge.effects.plain import PlainDrive, ids_as_tensor, no_ids, not_a, other_ids
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


def cases(generator: Generator) -> Cases:
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


def _look(result: Any, wanted: tuple[int, ...], given: Mapping[str, Any]) -> Objection | None:
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
    second_kept: place += 2 ⇒ place += 1
        “You write the new id and go on by one: the second id of the pair is read again.”
    only_first: == pair ⇒ == pair and new_id not in merged
        “You merge the first occurrence and leave all later ones as they were.”
    never: == pair ⇒ == list(pair)
        “Nothing is merged in what you return: is your test for the pair ever True? A slice of a list is never equal to
        a tuple.”
    overlapping:
        place += 2 ⇒ place += 1
        else: ⇒
            elif place and ids[place - 1 : place + 1] == pair:
                place += 1
            else:
        “Right, but for an id that repeats: in (1, 1, 1) you merge the middle one twice, with both of its neighbors. An
        id belongs to one occurrence at most.”
    last_lost: len(ids): ⇒ len(ids) - 1:
        “The last id of a word is lost where it is part of no pair: a loop over pairs never reaches it by itself.”
    from_the_right:
        merged = [] ⇒ merged, ids, pair = [], ids[::-1], pair[::-1]
        tuple(merged) ⇒ tuple(merged[::-1])
        “Right, but for an id that repeats: as if you began at the right end, (1, 1, 1) becomes (1, new) in place of
        (new, 1).”
    first_of_a_run: == pair: ⇒ == pair and ids[max(0, place - 1) : place + 1] != pair:
        “Right, but for an id that repeats: where four of it or more are in a row, only the first two are merged; (1, 1,
        1, 1) holds two pairs.”
    removed: merged.append(new_id) ⇒ pass
        “You take the pairs out and write nothing in their place.”
    either_order: == pair ⇒ in (pair, pair[::-1])
        “You also merge the pair the wrong way round: (2, 1) is not (1, 2).”
    any_second: ids[place : place + 2] == pair ⇒ ids[place] == pair[0]
        “You merge wherever the first id of the pair is, whatever comes after it.”
    each_member:
        ids[place : place + 2] == pair ⇒ ids[place] in pair
        place += 2 ⇒ place += 1
        “You put the new id in the place of each single id of the pair; it replaces two neighbors at once.”
    one_lost: place += 2 ⇒ place += 3
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
    first_kept: merged.append(new_id) ⇒ merged += [pair[0], new_id]
        “You replace the second id of each pair, and leave the first.”
    inserted: merged.append(new_id) ⇒ merged += [*pair, new_id]
        “You write the new id after each pair, and the pair is still there.”
    """,
    also_right="""
    recursive:
        if len(ids) < 2:
            return ids
        if ids[:2] == pair:
            return (new_id, *merge_pair(ids[2:], pair, new_id))
        return (ids[0], *merge_pair(ids[1:], pair, new_id))
    by both ids: ids[place : place + 2] == pair ⇒ place + 1 < len(ids) and (ids[place], ids[place + 1]) == pair
    from a list:
        left, merged = list(ids), []
        while left:
            here = left[:2] == list(pair)
            merged.append(new_id if here else left[0])
            del left[: 2 if here else 1]
        return tuple(merged)
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
