"""Two questions need two heads, one thing needs one, and heads are judged on sentences that they were not ranked on."""

import torch

from anatomy_course.lab.experiments import which_heads
from anatomy_course.lab.experiments.two_questions import TwoQuestionsTask, answer_two_questions


def test_one_head_answers_one_question_two_heads_both_and_equal_heads_stay_one():
    one, two = (answer_two_questions(count, seed=3, steps=300) for count in (1, 2))
    assert one.loss.min() < 0.4 < 0.8 < one.loss.max() and one.both < 0.5
    assert two.loss.max() < 0.1 and two.both > 0.97
    assert two.weights.max(dim=1).values.min() > 0.8 and set(two.weights.argmax(dim=1).tolist()) == {0, 1}
    assert answer_two_questions(1, seed=3, one_thing=True, steps=300).both > 0.97
    equal = answer_two_questions(2, seed=3, equal_heads=True, steps=300)
    assert equal.both < 0.5 and torch.allclose(equal.weights[0], equal.weights[1], atol=1e-3)


def test_the_second_color_is_at_the_second_place():
    task = TwoQuestionsTask(seed=2)
    street, _, colors, places = task.questions(40)
    found = street[torch.arange(40)[:, None], places] - task.colors[colors]
    assert (torch.cdist(found, task.things).min(-1).values < 1e-5).all()
    assert (places[:, 0] != places[:, 1]).all()


def test_the_two_lists_share_no_noun_and_each_sentence_has_one_it():
    lists = [which_heads.pairs(text) for text in (which_heads.TO_RANK, which_heads.TO_JUDGE)]
    assert [len(each) for each in lists] == [12, 12]
    for pair in lists[0] + lists[1]:
        assert pair[0] != pair[1]
        assert all(sentence.replace(",", "").split().count("it") == 1 for sentence in pair)
    nouns = [{word.strip(".,") for first, _ in each for word in first.split() if len(word) > 5} for each in lists]
    assert nouns[0] & nouns[1] <= {"because", "before", "although", "Although", "please"}
