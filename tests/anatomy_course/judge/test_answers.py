"""Wrong answers that no catalogue knows: each is recognized, and what its card says is true."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from functools import partial

import pytest
from answers import (  # noqa: F401 (every module adds its own to ANSWERS)
    ANSWERS,
    Answer,
    attention,
    capstone,
    crashes,
    decoder,
    encoder,
    encoder_decoder,
    modules,
    multi_head,
    slips,
    taxonomy,
    workshop_text,
    workshop_training,
)

from anatomy_course.judge import find_exercise
from anatomy_course.judge.card import card, card_page
from anatomy_course.judge.judging.judge import judge
from anatomy_course.judge.slips.search import find_repair


@pytest.fixture(autouse=True)
def uncollected() -> Iterator[None]:
    """What the test tools do at a garbage collection must not be what the alarm stops."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("wrong", ANSWERS, ids=lambda wrong: f"{wrong.id}-{wrong.name}")
def test_an_answer_in_no_catalogue_gets_a_true_sentence(
    wrong: Answer, shapes_unchecked: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy machine must not decide what a search finds."""
    monkeypatch.setattr("anatomy_course.judge.judging.slips.find_repair", partial(find_repair, seconds=10.0))
    exercise = find_exercise(wrong.id)
    seconds = 0.3 if wrong.found_by == "time" else exercise.seconds
    verdict = judge(exercise, wrong.function, seconds=seconds, search=wrong.search)
    assert not verdict.passed
    assert verdict.found_by == wrong.found_by
    assert wrong.says in verdict.sentence
    page = card_page(exercise, verdict)
    said = card(exercise, verdict)["sentence"]
    assert said.split("`")[0] in page.text
    assert "Traceback" not in page.text


def test_few_answers_are_left_with_nothing_but_the_first_cell() -> None:
    bare = [wrong for wrong in ANSWERS if wrong.found_by == "likeness:cell"]
    assert len(ANSWERS) >= 80 and len(bare) <= 0.1 * len(ANSWERS)
