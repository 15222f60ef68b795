"""Wrong answers that no catalogue knows: each is recognised, and what its card says is true."""

from __future__ import annotations

import pytest
from answers import (  # noqa: F401 (every module adds its own to ANSWERS)
    ANSWERS,
    Answer,
    attention,
    capstone,
    decoder,
    encoder,
    encoder_decoder,
    multi_head,
    taxonomy,
    workshop_modules,
    workshop_text,
    workshop_training,
)
from unchecked import shapes_unchecked

from anatomy_course.judge import find_exercise
from anatomy_course.judge.card import card_page
from anatomy_course.judge.judging.judge import judge


@pytest.mark.parametrize("wrong", ANSWERS, ids=lambda wrong: wrong.name)
def test_an_answer_in_no_catalogue_gets_a_true_sentence(wrong: Answer) -> None:
    exercise = find_exercise(wrong.id)
    with shapes_unchecked():
        verdict = judge(exercise, wrong.function, seconds=1.0)
    assert not verdict.passed
    assert verdict.found_by == wrong.found_by
    assert wrong.says in verdict.sentence
    page = card_page(exercise, verdict)
    assert verdict.sentence.split("`")[0] in page.text
    assert "Traceback" not in page.text


def test_few_answers_are_left_with_nothing_but_the_first_cell() -> None:
    bare = [wrong for wrong in ANSWERS if wrong.found_by == "likeness:cell"]
    assert len(ANSWERS) >= 80 and len(bare) <= 0.1 * len(ANSWERS)
