"""Spelling: the street's words and a published tokenizer's pieces, asked in the same way."""

from __future__ import annotations

import pytest
from tokenizers import AddedToken, Tokenizer as RustTokenizer, decoders, models, pre_tokenizers

from anatomy_course.lab.street import street_vocabulary
from anatomy_course.views._kit.token_text import Spelling, byte_text, readable, spelling
from anatomy_utils.zoo.tokenizer import Tokenizer


@pytest.fixture
def pieces() -> Tokenizer:
    """Bytes as letters; “é” is the two bytes Ã and ©, “Ġ” a space, “Ċ” the end of a line."""
    letters = ["a", "b", "Ġ", "Ã", "©", "Ċ", "Ġa"]
    tokenizer = RustTokenizer(models.BPE({piece: i for i, piece in enumerate(letters)}, [("Ġ", "a")]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken("<|im_end|>", special=True)])
    return Tokenizer(tokenizer)


def test_pieces_show_their_white_space_and_half_letters(pieces: Tokenizer) -> None:
    spelled = spelling(pieces)
    ids = spelled.ids("b aé\n<|im_end|>")
    assert [spelled.word(each) for each in ids] == ["b", "␣a", "⟨C3⟩", "⟨A9⟩", "↵", "<|im_end|>"]
    assert spelled.text(ids) == "b aé\n"
    assert spelled.stop_ids == [pieces.vocab_size - 1] == [7]
    for nothing in ("", "     "):
        with pytest.raises(ValueError, match="The text is empty"):
            spelled.ids(nothing)
    with pytest.raises(ValueError, match="Token 8 is outside the vocabulary, whose ids run to 7"):
        pieces.piece(8)


def test_words_of_the_street(pieces: Tokenizer) -> None:
    spelled, vocabulary = spelling(street_vocabulary()), street_vocabulary()
    ids = spelled.ids("The animal didn't cross.")
    assert [spelled.word(each) for each in ids] == ["<bos>", "the", "animal", "didn't", "cross", "."]
    assert spelled.text([*ids, vocabulary.eos_id, vocabulary.pad_id]) == "The animal didn't cross."
    assert spelled.ids("") == [vocabulary.bos_id] and spelled.stop_ids == [vocabulary.eos_id]
    assert isinstance(spelled, Spelling) and isinstance(spelling(pieces), Spelling)
    with pytest.raises(ValueError, match="animl"):
        spelled.ids("the animl")


def test_half_an_emoji_is_shown_as_its_bytes_and_invisible_characters_by_number() -> None:
    assert byte_text("ĠðŁ") == " ⟨F0 9F⟩"
    assert [byte_text(piece) for piece in ("[SEP]", "abc", "日本")] == ["[SEP]", "abc", "日本"]
    assert readable(" \u200d\x00\n") == "␣⟨U+200D⟩⟨U+0000⟩↵"
