"""The nearest sentence of the street: always a scene, with the words of the text that go together."""

from __future__ import annotations

import pytest

from anatomy_course.lab.street.nearest import nearest_scene
from anatomy_course.lab.street.parser import is_grammatical, say
from anatomy_course.lab.street.text import tokenize
from anatomy_course.lab.street.word_types import Language


@pytest.mark.parametrize(
    ("text", "language", "kept"),
    [
        ("The dog crossed the big brigde.", "english", {"dog", "bridge", "big"}),
        ("I love you so much", "english", set()),
        ("The bus eats the cat because it was too wide", "english", {"bus"}),
        ("Le chat mange la soupe", "french", {"chat", "soupe", "mangé"}),
        ("", "english", {"animal", "street", "tired"}),
    ],
)
def test_it_is_a_sentence_and_keeps_what_it_can(text: str, language: Language, kept: set[str]) -> None:
    said = str(say(nearest_scene(tokenize(text), language), language))
    assert is_grammatical(said, language)
    assert kept <= set(tokenize(said))
