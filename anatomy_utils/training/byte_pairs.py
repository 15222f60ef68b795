"""Byte-pair encoding: a vocabulary learned from a text, in which frequent pieces are one token.

A text is UTF-8 bytes, and the 256 bytes are the first tokens, so nothing is unknown. Learning merges the most frequent
pair of neighbors again and again (Gage, "A New Algorithm for Data Compression", C Users Journal, 1994; for words of a
language Sennrich et al., 2016, section 3.2, arXiv:1508.07909; on bytes Radford et al., GPT-2, 2019). Notebook 10 builds
it. Published vocabularies number the bytes in another order; `published_tokenizer` reads them.
"""

from __future__ import annotations

import heapq
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from itertools import groupby

Pair = tuple[int, int]
BYTES = 256
"""Ids below this are bytes; the first merged pair gets this id."""
WORDS = re.compile(r"\0| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w\0]|_)+|\s+(?!\S)|\s+")
"""Letters, digits, or signs, each with the space before them; white space; the byte 0 alone, as the end of a text."""

ENDINGS = ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d")
"""What GPT-2 cuts off English words."""
PUBLISHED_WORDS = re.compile(rf"{'|'.join(ENDINGS)}| ?[^\W\d_]+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+")
"""As `WORDS`, with these endings."""


def split_words(text: str) -> list[str]:
    r"""Cut a text into words, signs and white space; nothing is lost.

    No token will reach across a cut, so that "dog.", "dog!" and "dog" share the token " dog". This is GPT-2's rule, but
    for its list of English endings.

    >>> split_words("def add(a, b):\n    return a + b")
    ['def', ' add', '(', 'a', ',', ' b', '):', '\n   ', ' return', ' a', ' +', ' b']
    """
    return WORDS.findall(text)


def count_pairs(words: dict[tuple[int, ...], int]) -> dict[Pair, int]:
    """How often each pair of neighbors occurs.

    Args:
        words: each distinct word as ids → how often the text has it.

    >>> count_pairs({(1, 2, 1, 2): 3, (2, 1): 1})
    {(1, 2): 6, (2, 1): 4}
    """
    counts: dict[Pair, int] = defaultdict(int)
    for ids, count in words.items():
        for pair in zip(ids, ids[1:], strict=False):
            counts[pair] += count
    return dict(counts)


def merge_pair(ids: tuple[int, ...], pair: Pair, new_id: int) -> tuple[int, ...]:
    """Put one id in the place of a pair, wherever it occurs, from left to right.

    >>> merge_pair((1, 1, 1, 2), (1, 1), 9)
    (9, 1, 2)
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


def train_byte_pairs(text: str, vocabulary_size: int) -> dict[Pair, int]:
    """Learn which pairs to merge: the most frequent one, merged everywhere, again and again.

    Of several pairs that are equally frequent the smallest one is taken, as numbers are compared: first by the left id,
    then by the right one. Only words that hold the merged pair are counted anew, so a million characters take seconds.

    Args:
        text: what to learn from.
        vocabulary_size: 256 bytes and the merged pairs; fewer where no pair is left that occurs twice.

    Returns:
        Pair → new id, in the order of learning: 256, 257, …

    Raises:
        ValueError: the vocabulary is smaller than the bytes alone.

    >>> train_byte_pairs("ab ab abab", 258)
    {(97, 98): 256, (32, 256): 257}
    """
    if vocabulary_size < BYTES:
        raise ValueError(f"A vocabulary of {vocabulary_size} has no room for the 256 bytes; give 256 or more.")
    distinct = Counter(split_words(text))
    words = [tuple(word.encode("utf-8", "replace")) for word in distinct]
    weights = list(distinct.values())
    counts: dict[Pair, int] = defaultdict(int)
    holding: dict[Pair, set[int]] = defaultdict(set)  # the numbers of the words with this pair, and of some that had it
    for number, (ids, weight) in enumerate(zip(words, weights, strict=True)):
        for pair in zip(ids, ids[1:], strict=False):
            counts[pair] += weight
            holding[pair].add(number)
    merges: dict[Pair, int] = {}
    most_frequent_first = [(-count, pair) for pair, count in counts.items()]
    heapq.heapify(most_frequent_first)
    while most_frequent_first and BYTES + len(merges) < vocabulary_size:
        count, pair = heapq.heappop(most_frequent_first)
        if -count != counts[pair]:  # fewer by now
            heapq.heappush(most_frequent_first, (-counts[pair], pair))
            continue
        if -count < 2:
            break
        new_id = BYTES + len(merges)
        merges[pair] = new_id
        won: set[Pair] = set()
        for number in holding.pop(pair):
            before = words[number]
            words[number] = after = merge_pair(before, pair, new_id)
            for lost in zip(before, before[1:], strict=False):
                counts[lost] -= weights[number]
            for now in zip(after, after[1:], strict=False):
                counts[now] += weights[number]
                if new_id in now:
                    holding[now].add(number)
                    won.add(now)
        for new in won:
            heapq.heappush(most_frequent_first, (-counts[new], new))
    return merges


def encode(text: str, merges: dict[Pair, int]) -> list[int]:
    """The ids of a text: its bytes, with pairs merged in the order in which they were learned, word by word.

    Args:
        text: any.
        merges: pair → new id, from `train_byte_pairs`.

    >>> encode("abba", {(97, 98): 256})
    [256, 98, 97]
    """
    known: dict[str, tuple[int, ...]] = {}
    ids: list[int] = []
    for word in split_words(text):
        if word not in known:
            known[word] = _merged(tuple(word.encode("utf-8")), merges)
        ids.extend(known[word])
    return ids


def _merged(ids: tuple[int, ...], merges: dict[Pair, int]) -> tuple[int, ...]:
    while len(ids) > 1:
        pair = min(zip(ids, ids[1:], strict=False), key=lambda pair: merges.get(pair, float("inf")))
        if pair not in merges:
            break
        ids = merge_pair(ids, pair, merges[pair])
    return ids


def decode(ids: list[int], merges: dict[Pair, int]) -> str:
    """The text of ids; bytes that do not form a whole character become the replacement character, �.

    Args:
        ids: such as `encode` gives.
        merges: the same as there.

    >>> decode([256, 98, 97], {(97, 98): 256})
    'abba'
    """
    pieces = token_bytes(merges)
    return b"".join(pieces[each] for each in ids).decode("utf-8", "replace")


def token_bytes(merges: dict[Pair, int]) -> dict[int, bytes]:
    """The bytes of every token.

    >>> token_bytes({(97, 98): 256, (256, 256): 257})[257]
    b'abab'
    """
    pieces = {number: bytes([number]) for number in range(BYTES)}
    for (left, right), new_id in merges.items():
        pieces[new_id] = pieces[left] + pieces[right]
    return pieces


def encode_words(
    text: str, merges: dict[Pair, int], encode: Callable[[str, dict[Pair, int]], list[int]] = encode
) -> list[int]:
    """The ids of a long text by any `encode`, which reads each distinct word only once.

    Args:
        text: of any length.
        merges: pair → new id.
        encode: merges within words only, so that a word's ids are the same wherever it occurs.

    >>> encode_words("ab ab ab", {(97, 98): 256})
    [256, 32, 256, 32, 256]
    """
    words = split_words(text)
    ids = {word: encode(word, merges) for word in dict.fromkeys(words)}
    return [each for word in words for each in ids[word]]


def split_as_published(text: str) -> list[str]:
    """Cut a text as SmolLM2's tokenizer does: GPT-2's words with its list of English endings, and each digit alone.

    >>> split_as_published("I'll add 12.")
    ['I', "'ll", ' add', ' ', '1', '2', '.']
    """
    words: list[str] = []
    for is_number, characters in groupby(text, key=lambda character: unicodedata.category(character)[0] == "N"):
        part = "".join(characters)
        words += part if is_number else PUBLISHED_WORDS.findall(part)
    return words


def numbered_merges(tokens: list[str], merges: list[str]) -> tuple[dict[Pair, int], dict[int, int]]:
    """Published merges in the numbers of `encode`, and the published id for each of these numbers.

    A published vocabulary of the GPT-2 kind writes bytes as letters (a space is "Ġ"), and its ids need not begin with
    the bytes. Here a byte is its own number, and the pairs are 256, 257, … in the order of learning.

    Args:
        tokens: id → the token as the vocabulary writes it.
        merges: "left right" in the order of learning.

    >>> numbered_merges(["<end>", "a", "b", "Ġ", "Ġa"], ["Ġ a"])
    ({(32, 97): 256}, {97: 1, 98: 2, 32: 3, 256: 4})
    """
    numbers = {letter: byte for byte, letter in byte_letters().items()}
    numbers |= {merge.replace(" ", ""): BYTES + place for place, merge in enumerate(merges)}
    pairs = [merge.split(" ") for merge in merges]
    renumbered = {(numbers[left], numbers[right]): numbers[left + right] for left, right in pairs}
    return renumbered, {numbers[token]: id for id, token in enumerate(tokens) if token in numbers}


def byte_letters() -> dict[int, str]:
    """The letter that stands for each byte in vocabularies of the GPT-2 kind; those that can be printed are their own.

    >>> byte_letters()[97], byte_letters()[32]
    ('a', 'Ġ')
    """
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(BYTES) if byte not in plain]
    return {byte: chr(byte) for byte in plain} | {byte: chr(BYTES + place) for place, byte in enumerate(others)}


def published_tokenizer(
    tokens: list[str],
    merges: list[str],
    special: Iterable[int] = (),
    encode: Callable[[str, dict[Pair, int]], list[int]] = encode,
) -> tuple[Callable[[str], list[int]], Callable[[Iterable[int]], str]]:
    """Text → ids and ids → text with a published vocabulary of the GPT-2 kind, digits alone, such as SmolLM2's.

    The merging is that of `encode`, which is asked once for each distinct word, with the pairs that can occur in it.
    What differs are the cut into words, the numbers, and the English endings, which are tokens as they are.

    Args:
        tokens: id → the token as the vocabulary writes it.
        merges: "left right" in the order of learning.
        special: ids of tokens that a text holds as they are, such as <|im_start|>; `decode` leaves them out.
        encode: a word and pairs → its ids.
    """
    pairs, id_of = numbered_merges(tokens, merges)
    bytes_of = token_bytes(pairs)
    pair_of = {bytes_of[new_id]: pair for pair, new_id in pairs.items()}
    byte_of = {letter: byte for byte, letter in byte_letters().items()}
    hidden = set(special)
    whole = re.compile("|".join(re.escape(tokens[number]) for number in sorted(hidden)) or r"(?!)")

    @cache
    def read_word(word: str) -> list[int]:
        if word in ENDINGS:
            return [tokens.index(word)]
        written = word.encode("utf-8")
        pieces = {written[i:j] for i in range(len(written)) for j in range(i + 2, len(written) + 1)}
        inside = sorted((pair_of[piece] for piece in pieces & pair_of.keys()), key=lambda pair: pairs[pair])
        return [id_of[each] for each in encode(word, {pair: pairs[pair] for pair in inside})]

    def read_plain(text: str) -> list[int]:
        return [each for word in split_as_published(text) for each in read_word(word)]

    def read(text: str) -> list[int]:
        ids: list[int] = []
        place = 0
        for found in whole.finditer(text):
            ids += [*read_plain(text[place : found.start()]), tokens.index(found.group())]
            place = found.end()
        return ids + read_plain(text[place:])

    def say(ids: Iterable[int]) -> str:
        written = "".join(tokens[number] for number in ids if number not in hidden)
        return bytes(byte_of[letter] for letter in written).decode("utf-8", "replace")

    return read, say
