"""Bodies that were asked different questions: each is asked its own, and what is recorded is whole."""

import pytest
import torch

from anatomy_course.content.taxonomy.soft_loss import soft_loss
from anatomy_course.lab.objectives import compared
from anatomy_course.lab.objectives.compared import QUESTIONS, asked, loss_behind_masks, recorded, trial
from anatomy_course.lab.organs.filling import as_rows, short_sentences


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_changes_the_body_it_is_asked(question):
    before, after = (asked(question, 3, steps=steps) for steps in (0, 2))
    assert len(after.body.layers) == QUESTIONS[question]
    same = all(torch.equal(one, other) for one, other in zip(before.parameters(), after.parameters(), strict=True))
    assert same == (question == "nothing")


def test_a_trial_is_repeatable_and_only_bodies_that_say_words_have_a_loss():
    first, again = (trial("masked words, a teacher", 1, steps=1) for _ in range(2))
    assert first == again and 0 < first.right < 1 and first.loss > 1
    assert trial("words replaced by any", 1, steps=1).loss is None
    with pytest.raises(ValueError, match="no question 'all words'; choose one of nothing, masked words"):
        trial("all words", 0)


def test_the_teachers_part_of_the_loss_is_the_exercises():
    teacher, student = (asked("masked words", seed, steps=0) for seed in (0, 1))
    texts = as_rows(short_sentences(5, torch.Generator().manual_seed(0)))
    wanted = soft_loss(student(texts), teacher(texts), compared.TEMPERATURE)
    torch.testing.assert_close(compared._soft_loss(student(texts), teacher, texts), wanted)


def test_a_body_that_knows_nothing_hesitates_between_all_words():
    assert loss_behind_masks(asked("masked words", 0, steps=0)) > 4  # of 109 words, ln 109 = 4.7


def test_what_is_recorded_has_every_question_and_seed():
    found = recorded()
    assert set(found) == set(QUESTIONS) and {len(each) for each in found.values()} == {compared.SEEDS}
    for question, each in found.items():
        assert all((judged.loss is None) == ("masked" not in question) for judged in each)
