"""The explorer over the real objectives: its drawings are theirs, and its refusals the street's."""

from dataclasses import asdict

import pytest
import torch

from anatomy_course import views
from anatomy_course.lab.objectives import OBJECTIVES
from anatomy_course.lab.street import parse
from anatomy_course.views.objective_explorer.view import EXAMPLES, SENTENCE


@pytest.fixture(scope="module")
def explorer():
    return views.objective_explorer(seed=11)


def test_what_is_handed_over_is_what_the_objectives_draw(explorer):
    assert [each["name"] for each in explorer.objectives] == list(OBJECTIVES)
    scene = parse(SENTENCE, "english")
    for name, drawings in explorer.given.items():
        expected = asdict(OBJECTIVES[name].show(scene, torch.Generator().manual_seed(11 + 2)))
        given = drawings[2]
        assert [tuple(cell == "1" for cell in row) for row in given["mask"]] == list(expected.pop("mask"))
        assert all(
            given[key] == (list(value) if isinstance(value, tuple) else value) for key, value in expected.items()
        )


def test_each_objective_stands_with_its_branch(explorer):
    branches = [each["branch"] for each in explorer.objectives]
    assert branches == sorted(branches, key=["encoder", "decoder", "encoder–decoder"].index)


def test_more_is_drawn_with_the_next_seed(explorer):
    explorer.set_state({"question": {"name": "masked tokens", "sentence": EXAMPLES[1], "rate": 0.5,
                                     "number": 7}})  # fmt: skip
    scene = parse(EXAMPLES[1], "english")
    expected = OBJECTIVES["masked tokens"].show(scene, torch.Generator().manual_seed(18), 0.5)
    assert explorer.drawing["inputs"] == list(expected.inputs) and explorer.rates == {"masked tokens": 0.5}


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("The animal didn't cross the stret because it was too tired.", "does not know 'stret'"),
        ("The bus didn't enter the garage because it was too old.", "two readings"),
    ],
)
def test_sentences_that_are_not_the_streets_are_refused(explorer, sentence, said):
    explorer.set_state({"question": {"name": "next token", "sentence": sentence}})
    assert said in explorer.error
    with pytest.raises(ValueError, match=said):
        views.objective_explorer(sentence)


def test_examples_and_the_first_drawing_are_worth_looking_at():
    explorer = views.objective_explorer()
    for sentence in EXAMPLES:
        parse(sentence, "english")
    first = {name: drawings[0] for name, drawings in explorer.given.items()}
    assert "1 hidden, 1 exchanged" in first["masked tokens"]["note"] and any(first["replaced tokens"]["altered"])
    assert first["next sentence"]["asked"][0] == "from elsewhere" and first["sentence order"]["asked"][0] == "swapped"
    assert "swapped" in first["sentence permutation"]["note"]
