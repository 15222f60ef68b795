"""The idea behind two mistakes of two exercises."""

from __future__ import annotations

from anatomy_course.content.ideas import IDEAS
from anatomy_course.judge.again.ideas import idea_behind
from anatomy_course.judge.progress.record import Progress
from anatomy_course.judge.registry import find_exercise


def test_it_is_said_when_another_exercise_had_it_too(record: Progress) -> None:
    def said(id: str, found_by: str) -> str:
        return idea_behind(id, found_by, record.read())

    assert said("attention.attention", "mistake:no_scale") == ""
    record.attempted("attention.scores", passed=False, source=None, found_by="mistake:no_root")
    assert said("attention.attention", "mistake:no_scale").startswith(
        "It is the idea that was missing in *Scaled scores*, too. A dot product of d numbers spreads by √d."
    )
    assert said("attention.scores", "mistake:no_root") == "", "the same exercise once more is no second one"
    assert said("encoder.layer_norm", "mistake:no_root") == "", "this is another idea of the same name"
    assert said("attention.attention", "shape") == said("attention.attention", "no_scale") == ""


def test_a_damaged_record_says_nothing(record: Progress) -> None:
    record.change("exercises", "attention.scores", {"met": [1]})
    assert idea_behind("attention.attention", "mistake:no_scale", record.read()) == ""


def test_every_idea_is_behind_mistakes_of_two_exercises() -> None:
    for idea in IDEAS:
        has = {id: {mistake.name for mistake in find_exercise(id).mistakes} for id in idea.exercises.split()}
        wanted = set(idea.mistakes.split())
        assert len(has) > 1 and all(names & wanted for names in has.values()), idea.sentence
        assert wanted <= set().union(*has.values()), idea.sentence
