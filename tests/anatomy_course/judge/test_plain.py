"""Answers that are lists, dicts and texts: what is lent to them, and what a card says beside a known mistake."""

from __future__ import annotations

from itertools import pairwise

import torch

from anatomy_course.judge import find_exercise, solution_source
from anatomy_course.judge.definition import Objection
from anatomy_course.judge.effects.plain import PlainDrive, ids_as_tensor, other_ids
from anatomy_course.judge.judging.judge import judge
from anatomy_course.judge.stub import with_names


def lengths(texts: list[str]) -> list[int]:
    return [len(text) for text in texts]


def look(result: list[int], wanted: list[int], given: object) -> Objection | None:
    return other_ids(result, wanted, f"`lengths({given['texts']})`")  # type: ignore[index]


DRIVE = PlainDrive(lengths, ("texts",), look, ids_as_tensor)


def test_a_right_answer_becomes_a_tensor_and_another_one_an_objection() -> None:
    assert torch.equal(DRIVE(lengths, ["a", "bc"]), torch.tensor([1, 2]))  # type: ignore[arg-type]
    assert DRIVE(lambda texts: None, ["a"]) is None
    said = DRIVE(lambda texts: [1, 3], ["a", "bc"])
    assert isinstance(said, Objection)
    assert said.sentence == "`lengths(['a', 'bc'])` should return [1, 2]; yours returns [1, 3]."
    assert said == DRIVE(lambda texts: [1, 3], ["a", "bc"]) != DRIVE(lambda texts: [1, 4], ["a", "bc"])


def test_a_long_answer_is_shown_from_its_first_difference_on() -> None:
    said = DRIVE(lambda texts: [*lengths(texts)[:20], 7, 7], ["a"] * 30)
    assert isinstance(said, Objection)
    assert "should return 30 ids, and yours returns 22. The first 20 agree; then yours go on with 7, 7" in said.sentence


def test_an_answer_may_not_change_what_it_was_given() -> None:
    said = DRIVE(lambda texts: [len(texts.pop(0)) for _ in range(len(texts))], ["a", "bc"])
    assert isinstance(said, Objection) and "changes its input: `texts`" in said.sentence


def test_names_are_lent_only_while_an_answer_runs_and_never_in_place_of_its_own() -> None:
    names: dict[str, object] = {"mine": 1}
    exec("def answer():\n    return mine, lent", names)
    with with_names(names["answer"], {"mine": max, "lent": min}):  # type: ignore[arg-type]
        assert names["answer"]() == (1, min)  # type: ignore[operator]
    assert "lent" not in names


def test_a_known_mistake_has_an_example_as_a_note() -> None:
    def count_pairs(words):  # type: ignore[no-untyped-def]
        return {pair: 1 for word in words for pair in pairwise(word)}

    exercise = find_exercise("workshop.count_pairs")
    overwritten = next(mistake for mistake in exercise.mistakes if mistake.name == "overwritten")
    verdict = judge(exercise, overwritten.function)
    assert verdict.found_by == "mistake:overwritten" and "occurs" in verdict.notes[0]
    assert judge(exercise, count_pairs).found_by == "objection:value"


def test_encode_runs_with_the_notebooks_own_merge_pair() -> None:
    called = []

    def merge_pair(ids, pair, new_id):  # type: ignore[no-untyped-def]
        called.append(pair)
        return ids

    exercise = find_exercise("workshop.encode")
    names = {"exercise": lambda id: lambda function: function, "merge_pair": merge_pair}
    exec(solution_source(exercise.id), names)
    assert judge(exercise, names["encode"], seconds=0.2).state == "stopped" and called  # type: ignore[arg-type]
