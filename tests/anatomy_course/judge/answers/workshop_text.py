"""Wrong answers to the exercises on text of notebook 08 that are in no catalogue."""

from __future__ import annotations

from anatomy_utils.training.byte_pairs import merge_pair, split_words  # what the notebook has by then
from answers import answer


@answer("workshop.count_pairs", "objection:type", "You return a list; a dict is wanted")
def pairs_listed(words):
    return [pair for word in words for pair in zip(word, word[1:], strict=False)]


@answer("workshop.count_pairs", "crash", "A list cannot be a key of a dict")
def pairs_as_lists(words):
    counts = {}
    for word in words:
        for i in range(len(word) - 1):
            pair = [word[i], word[i + 1]]
            counts[pair] = counts.get(pair, 0) + words[word]
    return counts


@answer("workshop.count_pairs", "objection:value", "occurs")
def pairs_plus_one(words):
    counts = {}
    for word, count in words.items():
        for pair in zip(word, word[1:], strict=False):
            counts[pair] = counts.get(pair, 0) + count + 1
    return counts


@answer("workshop.count_pairs", "objection:key", "each key should be a pair of ids, such as (1, 2)")
def pairs_as_texts(words):
    counts = {}
    for word, count in words.items():
        for left, right in zip(word, word[1:], strict=False):
            counts[f"{left} {right}"] = counts.get(f"{left} {right}", 0) + count
    return counts


@answer("workshop.count_pairs", "objection:count", "each value should be a whole number")
def pairs_as_shares(words):
    total = sum(words.values())
    return {pair: count / total for word, count in words.items() for pair in zip(word, word[1:], strict=False)}


@answer("workshop.merge_pair", "objection:type", "You return a list; a tuple is wanted: words are keys of a dict")
def merged_list(ids, pair, new_id):
    merged = []
    place = 0
    while place < len(ids):
        here = ids[place : place + 2] == pair
        merged.append(new_id if here else ids[place])
        place += 2 if here else 1
    return merged


@answer("workshop.merge_pair", "objection:type", "You return a str; a tuple is wanted")
def merged_text(ids, pair, new_id):
    return str(ids).replace(str(pair)[1:-1], str(new_id))


@answer("workshop.merge_pair", "objection:value", "should return")
def merged_at_the_end(ids, pair, new_id):
    return (*[each for each in ids if each not in pair], new_id)


@answer("workshop.merge_pair", "objection:value", "should return")
def merged_with_a_zero_at_the_end(ids, pair, new_id):
    merged, skip = [], False
    for both in zip(ids, (*ids[1:], 0), strict=True):
        if not skip:
            merged.append(new_id if both == pair else both[0])
        skip = not skip and both == pair
    return tuple(merged)


@answer("workshop.encode", "objection:entry", "each should be an id: a whole number, 0 or more")
def encoded_words_apart(text, merges):
    words = []
    for word in split_words(text):
        parts = tuple(word.encode())
        for pair, new_id in merges.items():
            parts = merge_pair(parts, pair, new_id)
        words.append(parts)
    return words


@answer("workshop.encode", "crash", "NoneType and int cannot be compared by size")
def encoded_by_none(text, merges):
    parts = tuple(text.encode())
    while len(parts) > 1:
        pair = min(zip(parts, parts[1:], strict=False), key=merges.get)
        parts = merge_pair(parts, pair, merges[pair])
    return list(parts)


@answer("workshop.encode", "crash", "A dict is asked for the key")
def encoded_by_letters(text, merges):
    vocabulary = {character: number for number, character in enumerate("abc")}
    return [vocabulary[character] for character in text]


@answer("workshop.decode", "crash", "A byte is a number from 0 to 255, and `bytes` was given a larger one.")
def decoded_bytes_alone(ids, merges):
    return bytes(ids).decode("utf-8", errors="replace")


@answer("workshop.decode", "crash", 'UTF-8 writes one with up to four bytes. `decode` with `errors="replace"`')
def decoded_strictly(ids, merges):
    pieces = {i: bytes([i]) for i in range(256)}
    for (left, right), new_id in merges.items():
        pieces[new_id] = pieces[left] + pieces[right]
    return b"".join(pieces[i] for i in ids).decode("utf-8")


@answer("workshop.decode", "objection:type", "You return a bytes; a str is wanted")
def decoded_to_bytes(ids, merges):
    pieces = {i: bytes([i]) for i in range(256)}
    for (left, right), new_id in merges.items():
        pieces[new_id] = pieces[left] + pieces[right]
    return b"".join(pieces[i] for i in ids)


@answer("workshop.decode", "objection:changed", "your function changes its input: `ids` is not as before")
def decoded_and_emptied(ids, merges):
    pairs = {new_id: pair for pair, new_id in merges.items()}
    found = []
    while ids:
        each = ids.pop(0)
        if each in pairs:
            ids[:0] = pairs[each]
        else:
            found.append(each)
    return bytes(found).decode("utf-8", "replace")


@answer("workshop.count_pairs", "objection:value", "the pair (0, 57) occurs 8 times; your dict lacks it")
def pairs_without_id_0(words):
    counts = {}
    for word, times in words.items():
        previous = None
        for each in word:
            if previous:
                counts[previous, each] = counts.get((previous, each), 0) + times
            previous = each
    return counts
