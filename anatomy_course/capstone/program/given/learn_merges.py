"""Learning a vocabulary with the learner's two functions."""

from __future__ import annotations

from collections import Counter

from anatomy_course.capstone.program.own import count_pairs, merge_pair
from anatomy_utils.training.byte_pairs import split_words


def learn_merges(text: str, vocabulary_size: int) -> dict[tuple[int, int], int]:
    """Pair → new id: the most frequent pair (of several the smallest) is merged everywhere, again and again.

    Only words that hold the merged pair are counted anew.
    """
    words = {tuple(word.encode("utf-8", "replace")): count for word, count in Counter(split_words(text)).items()}
    counts = Counter(count_pairs(words))
    holding: dict[tuple[int, int], set[tuple[int, ...]]] = {}
    for ids in words:
        for pair in zip(ids, ids[1:], strict=False):
            holding.setdefault(pair, set()).add(ids)
    merges: dict[tuple[int, int], int] = {}
    while 256 + len(merges) < vocabulary_size and counts:
        most = max(counts.values())
        if most < 2:
            break
        best = min(pair for pair, count in counts.items() if count == most)
        merges[best] = new_id = 256 + len(merges)
        old = {ids: words.pop(ids) for ids in holding.pop(best) if ids in words}
        new = {merge_pair(ids, best, new_id): count for ids, count in old.items()}
        counts.update(count_pairs(new))
        counts.subtract(count_pairs(old))
        counts = +counts  # without zeros
        words.update(new)
        for ids in new:
            for pair in zip(ids, ids[1:], strict=False):
                holding.setdefault(pair, set()).add(ids)
    return merges
