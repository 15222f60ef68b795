"""Nobody can pass a notebook's questions by their looks: no letter is right too often, nor is the longest choice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

import pytest

from anatomy_course.judge import registry
from anatomy_course.judge.questions import Question
from anatomy_course.page.notebooks import NOTEBOOKS, Notebook

FEWEST = 5
MOST = 0.4


def letters(questions: Collection[Question]) -> Counter[str]:
    """Letter → how many questions have their right choice there."""
    return Counter("ABCDEFGH"[question.right] for question in questions)


def longest(question: Question) -> bool:
    """Whether the right choice is longer than every other one."""
    lengths = [len(choice.text) for choice in question.choices]
    return lengths.count(max(lengths)) == 1 and lengths[question.right] == max(lengths)


def too_often(questions: Collection[Question]) -> list[str]:
    """What gives the right choices away."""
    if len(questions) < FEWEST:
        return []
    counts = {f"{letter} is right": count for letter, count in letters(questions).items()}
    counts["the right choice is the longest"] = sum(map(longest, questions))
    most = MOST * len(questions)
    return [f"{what} in {count} of {len(questions)} questions" for what, count in counts.items() if count > most]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.file)
def test_looks_do_not_give_the_right_choice_away(notebook: Notebook) -> None:
    questions = registry.questions_of(notebook.prefix)
    assert too_often(questions.values()) == [], [id for id, each in questions.items() if longest(each)]
