"""Notebook 10: how often each pair of neighbors occurs, the first half of byte-pair encoding."""

# mypy: disable-error-code="var-annotated"
# A solution's lines are as learners read them, without types of their own.

from collections.abc import Mapping
from typing import Any

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Objection, Tensor, written
from anatomy_course.judge.effects.plain import PlainDrive, not_a, shown
from anatomy_utils.training import byte_pairs


def count_pairs(words: dict[tuple[int, ...], int]) -> dict[tuple[int, int], int]:
    """words: each word as a tuple of ids → how often the text has it.
    Returns each pair of neighbors → how often it occurs in all words together. Words do not touch each other.
    """
    counts = {}
    for word, count in words.items():
        for pair in zip(word, word[1:]):
            counts[pair] = counts.get(pair, 0) + count
    return counts


Counts = dict[tuple[int, int], int]


def cases(generator: Generator) -> Cases:
    a, b, c, d = torch.randperm(200, generator=generator)[:4].tolist()
    big = 256 + int(torch.randint(99, (1,), generator=generator))
    few, some, many, most = (each + int(torch.randint(2, (1,), generator=generator)) for each in (2, 4, 6, 8))
    for kind, words in (
        ("three short words", {(a, b): few, (b, a, c): some, (c, a, b): many}),
        ("a pair twice in one word", {(a, b, c, a, b): some, (b, c): few, (d,): most}),
        ("id 0, and one that repeats", {(0, b, 0): most, (a, a, a): few, (b, b, a, a): many, (c, a, a, a, a): some}),
        ("merged ids", {(a, big, b, big): many, (big, b, c, d): some, (big, big): most}),
        ("one long word", {(a, b, d, c, b, d, a): 1}),
        ("words of one id", {(a,): many, (b,): few}),
        ("no words at all", {}),
    ):
        yield Case({"words": words}, kind)


def _look(result: Any, wanted: Counts, given: Mapping[str, Any]) -> Objection | None:
    if objection := not_a(dict, result, "each key a pair of ids, each value how often it occurs."):
        return objection
    for pair, count in result.items():
        if not isinstance(pair, tuple) or len(pair) != 2 or any(type(each) is not int for each in pair):
            words = f"Your dict has the key {shown(pair)}; each key should be a pair of ids, such as (1, 2)."
            return Objection("key", words, shown(result))
        if type(count) is not int:
            words = f"Your dict says {shown(count)} for {pair}; each value should be a whole number."
            return Objection("count", words, shown(result))
    counts = {pair: count for pair, count in sorted(result.items()) if count}
    of = f"In words {shown(given['words'])}"
    for pair in sorted(wanted.keys() | counts.keys()):
        have, want = counts.get(pair, 0), wanted.get(pair, 0)
        if have != want:
            how = f"you count {have}" if have else "your dict lacks it"
            if pair not in wanted:
                return Objection("value", f"{of}, you count {have} of the pair {pair}, and there is none.", counts)
            return Objection("value", f"{of}, the pair {pair} occurs {_times(want)}; {how}.", counts)
    return None


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _as_tensor(counts: Counts) -> Tensor:
    return torch.tensor([(*pair, count) for pair, count in sorted(counts.items())], dtype=torch.long)


EXERCISE = written(
    count_pairs,
    same_as="anatomy_utils.training.byte_pairs.count_pairs",
    title="Count the pairs",
    task="Count how often each pair of neighboring ids occurs; a word that occurs three times counts three times.",
    level="easy, 5 minutes",
    returns="counts",
    cases=cases,
    observe=PlainDrive(byte_pairs.count_pairs, ("words",), _look, _as_tensor),
    mistakes="""
    unweighted: + count ⇒ + 1
        “You count each word once, no matter how often the text has it.”
    overwritten: counts.get(pair, 0) + count ⇒ count
        “Your counts are those of the last word that has the pair: what was counted before is overwritten.”
    replaced_by_the_last_word:
        for pair in ⇒
            counts.update(dict.fromkeys(zip(word, word[1:]), 0))
            for pair in
        “Within a word your counts add up, but then they take the place of what earlier words gave, as `update` does it
        with a dict: add those up, too.”
    first_kept: counts[pair] = counts.get(pair, 0) + count ⇒ counts.setdefault(pair, count)
        “Your counts stop when a pair is met for the first time: whatever comes later is not added.”
    first_is_one: counts.get(pair, 0) + count ⇒ counts[pair] + count if pair in counts else 1
        “Where a pair is met for the first time, you count 1 in place of the number of times that its word occurs.”
    first_word: words.items() ⇒ [*words.items()][:1]
        “You count the pairs of the first word only: does the loop end too early?”
    in_one_text: words.items() ⇒ [(sum((word * count for word, count in words.items()), ()), 1)]
        “You also count pairs that begin in one word and end in the next, as if the words were one text.”
    any_two: zip(word, word[1:]) ⇒ [(id, later) for place, id in enumerate(word) for later in word[place + 1 :]]
        “You count any two ids of a word, also those with others between them; only neighbors make a pair.”
    every_second: zip(word, word[1:]) ⇒ zip(word[::2], word[1::2])
        “You cut the words into twos: the pair that begins with the second id of a word is not among yours.”
    once_per_word: zip(word, word[1:]) ⇒ set(zip(word, word[1:]))
        “A pair that occurs twice in one word counts only once there.”
    without_overlap:
        for pair in zip(word, word[1:]): ⇒
            free = {}
            for place, pair in enumerate(zip(word, word[1:])):
                if place < free.get(pair, 0):
                    continue
                free[pair] = place + 2
        “Right, but for an id that repeats: in (1, 1, 1) there are two pairs (1, 1), which share an id; you count one.”
    last_missing: word[1:] ⇒ word[1:-1]
        “The last pair of each word is missing.”
    first_missing: zip(word, word[1:]) ⇒ zip(word[1:], word[2:])
        “The first pair of each word is missing.”
    in_a_circle: word[1:] ⇒ word[1:] + word[:1]
        “You also pair the last id of each word with its first one, as if the word were a circle.”
    swapped: zip(word, word[1:]) ⇒ zip(word[1:], word)
        “Your pairs are the wrong way round: the left id comes first.”
    sorted: zip(word, word[1:]) ⇒ map(tuple, map(sorted, zip(word, word[1:])))
        “You take (2, 1) and (1, 2) for the same pair; their order matters.”
    """,
    also_right="""
    with Counter:
        counts = {} ⇒
            from collections import Counter
            counts = Counter()
        counts[pair] = counts.get(pair, 0) + count ⇒ counts.update({pair: count})
    by places:
        for pair in zip(word, word[1:]): ⇒
            for place in range(len(word) - 1):
                pair = word[place : place + 2]
    pair by pair:
        pairs = {pair for word in words for pair in zip(word, word[1:])}
        return {pair: sum([*zip(word, word[1:])].count(pair) * words[word] for word in words) for pair in pairs}
    """,
    hints="""
    - Two loops: over the words with their counts (`words.items()`), and over the pairs of each word.
    - `zip(word, word[1:])` gives the neighbors of a word, each as a tuple.
    - `counts[pair] = counts.get(pair, 0) + count` works for a pair that was not there yet, too.
    """,
    explanation="""
    A text of a million characters has few distinct words, so each is stored and counted once, with its weight. The pair
    with the largest count is the next piece of the vocabulary.
    """,
)
