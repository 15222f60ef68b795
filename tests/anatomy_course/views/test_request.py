"""A sentence that a learner types: what is read, and what is refused with one sentence."""

from __future__ import annotations

import pytest

from anatomy_course.views._kit.request import usable_sentence


@pytest.mark.parametrize("text", ["", "     ", "\t\n", "\u200d\u200b", "\x00", "\u00a0\u3000"])
def test_what_cannot_be_seen_is_empty(text: str) -> None:
    with pytest.raises(ValueError, match="The sentence is empty; type at least one word"):
        usable_sentence(text)


def test_a_long_paste_is_refused_and_counted_whole() -> None:
    with pytest.raises(ValueError, match="The sentence has 2500 characters; at most 300 fit: shorten it."):
        usable_sentence("word " * 500)


def test_control_characters_become_spaces_and_letters_stay() -> None:
    assert usable_sentence("two\x00 \x07words\u200d") == "two   words\u200d"
    assert usable_sentence("  שלום 👩‍👧 ") == "  שלום 👩‍👧 "
