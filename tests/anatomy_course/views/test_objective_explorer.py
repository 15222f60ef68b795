"""The objective explorer: what it draws and refuses, its page with made-up objectives, and the real ones."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest
import torch
from on_page import OnPage, Show
from small import EVIL, QUESTIONS, STREET, objective_explorer
from view_sizes import LAB, assert_fits, height_of

from anatomy_course import views
from anatomy_course.lab.objectives import OBJECTIVES
from anatomy_course.lab.street import parse
from anatomy_course.views.objective_explorer.view import EXAMPLES, GIVEN


def test_first_drawings_are_handed_over_and_python_draws_what_is_asked() -> None:
    widget = objective_explorer()
    assert {name: len(drawings) for name, drawings in widget.given.items()} == {q.name: GIVEN for q in QUESTIONS}
    assert widget.given["hidden"][2]["asked"] == ["", "", "c", "", ""]
    assert widget.given["next"][0]["mask"] == ["10000", "11000", "11100", "11110", "11111"]

    def ask(name: str, sentence: str, **question: Any) -> None:
        widget.set_state({"question": {"name": name, "sentence": sentence, "id": widget.answered + 1, **question}})

    ask("hidden", "v w x y z", rate=0.4, number=3)
    assert widget.drawing["asked"] == ["", "", "", "y", "z"] and widget.drawing["rate"] == 0.4
    assert (widget.sentence, widget.number, widget.rates, widget.error) == ("v w x y z", 3, {"hidden": 0.4}, "")
    ask("next", "v w", rate=None, number=0)
    assert widget.drawing["note"] == "next 0 None" and widget.rates == {"hidden": 0.4}
    ask("hidden", "v w", rate=0.2, number=0)
    assert widget.rates == {}, "the published rate is no change"
    ask("hidden", "raise")
    assert widget.error == "That is no sentence; use another." and widget.sentence == "v w"
    ask("guess", "v w")
    assert widget.error == "There is no objective 'guess'; there are 'hidden', 'next', 'pairs'."


def asked(shown: OnPage) -> list[str]:
    return shown.texts(".oe-asked")


def test_objectives_are_chosen_by_mouse_and_keys(show: Show) -> None:
    shown = show(objective_explorer())
    page, widget = shown.page, shown.widget
    assert asked(shown) == ["a"] and shown.text(".oe-counted") == "1 of 5 positions count in the loss."
    assert shown.texts(".oe-in") == ["_", "b", "c", "d", "e"]
    assert page.get_by_role("option", name="_, place 0, altered, asked: a").count() == 1
    shown.click("radio", "next")
    assert widget.chosen == "next" and asked(shown) == ["b", "c", "d", "e", "end"]
    assert shown.text(".oe-line") == "“a” may look at 1 of 5 positions."
    assert not page.get_by_role("slider").is_visible(), "nothing to choose a rate of"
    shown.keys("ArrowDown")
    assert widget.chosen == "pairs" and asked(shown) == ["x", "end"]
    assert page.evaluate("document.activeElement.getAttribute('aria-checked')") == "true"
    assert shown.text(".oe-counted") == "2 of 2 decoder positions count in the loss."
    assert shown.text(".oe-line") == "“start” may look at 6 of 7 positions."
    shown.keys("ArrowDown")
    assert widget.chosen == "hidden", "the last one is followed by the first"


def test_who_may_look_at_whom_follows_the_chosen_token(show: Show) -> None:
    shown = show(objective_explorer(chosen="next"))
    page = shown.page
    shown.page.get_by_role("button", name="Draw again").focus()
    shown.keys("Tab")
    assert page.evaluate("document.activeElement.type") != "range", "a rate that is not there cannot be reached"
    tokens = page.get_by_role("listbox", name="What goes in")
    tokens.press("End")
    tokens.press("ArrowLeft")
    assert shown.text(".oe-line") == "“d” may look at 4 of 5 positions."
    assert [node.get_attribute("aria-selected") for node in page.locator(".oe-token").all()].index("true") == 3
    assert shown.texts(".oe-token.unseen .oe-in") == ["e"]
    shown.click("option", "b, asked: c")
    assert shown.texts(".oe-token.unseen .oe-in") == ["c", "d", "e"]
    picture = page.get_by_role("img", name="5 queries by 5 keys, causal: Each may look at itself")
    box = picture.bounding_box()
    picture.click(position={"x": box["width"] / 2, "y": box["height"] * 0.5})
    assert shown.text(".oe-line") == "“c” may look at 3 of 5 positions."


def test_more_is_drawn_by_python_when_what_was_given_is_used_up(show: Show) -> None:
    shown = show(objective_explorer())
    for letter in "bcd":
        shown.click("button", "Draw again")
        assert asked(shown) == [letter]
    assert shown.widget.answered == 0
    shown.click("button", "Draw again")
    assert shown.follow().drawing["number"] == GIVEN and asked(shown) == ["e"]
    rate = shown.page.get_by_role("slider", name="Rate")
    rate.press("End")
    assert shown.follow().rates == {"hidden": 0.9} and asked(shown) == ["a", "b", "c", "e"]
    rate.press("Home")
    shown.follow()
    assert asked(shown) == [] and "0 of 5" in shown.text(".oe-counted")


def test_another_sentence_stays_for_the_other_objectives(show: Show) -> None:
    shown = show(objective_explorer(), views=2)
    shown.type("Sentence of the street", f"now {EVIL} too")
    shown.follow()
    assert asked(shown)[0] == "now"
    shown.click("radio", "next")
    shown.follow()
    assert asked(shown)[:3] == [EVIL, "too", "end"]
    shown.type("Sentence of the street", "raise")
    shown.follow()
    assert shown.text(".error") == "That is no sentence; use another."
    shown.page.get_by_label("Another sentence").first.select_option("v w x y z")
    shown.follow()
    assert asked(shown)[:5] == ["w", "x", "y", "z", "end"]
    assert shown.page.get_by_label("Sentence of the street").first.input_value() == "v w x y z"


def test_without_a_kernel_what_was_given_can_be_read(show: Show) -> None:
    shown = show(objective_explorer())
    page = shown.page
    page.evaluate("window.anatomySave = async () => {}")
    page.evaluate("window.setTimeout = ((later) => (call, time) => later(call, Math.min(time, 60)))(window.setTimeout)")
    field = page.get_by_label("Sentence of the street")
    field.fill("v w x y z")
    field.press("Enter")
    page.get_by_text("No answer came").wait_for()
    assert field.is_disabled() and page.get_by_role("slider").is_disabled()
    for expected in "bcdab":
        shown.click("button", "Draw again")
        assert asked(shown) == [expected]
    shown.click("radio", "pairs")
    page.wait_for_function("document.querySelectorAll('.oe-asked').length === 2")


# With the real objectives --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", LAB)
def test_it_fits_and_nothing_jumps(show: Show, width: int) -> None:
    shown = show(views.objective_explorer(), width=width)
    page, height = shown.page, height_of(shown.page)
    for name in shown.widget.given:
        shown.click("radio", name, exact=True)
        assert_fits(page)
        assert height_of(page) == height, name
    page.get_by_label("Another sentence").select_option(EXAMPLES[1])
    shown.follow()
    assert height_of(page) == height
    inside = "document.querySelector('.oe-text').scrollWidth <= document.querySelector('.oe-text').clientWidth"
    assert page.evaluate(inside)


@pytest.fixture(scope="module")
def real() -> Any:
    return views.objective_explorer(seed=11)


def test_what_is_handed_over_is_what_the_objectives_draw(real: Any) -> None:
    assert [each["name"] for each in real.objectives] == list(OBJECTIVES)
    branches = [each["branch"] for each in real.objectives]
    assert branches == sorted(branches, key=["encoder", "decoder", "encoder–decoder"].index)
    scene = parse(STREET, "english")
    for name, drawings in real.given.items():
        expected = asdict(OBJECTIVES[name].show(scene, torch.Generator().manual_seed(11 + 2)))
        given = drawings[2]
        assert [tuple(cell == "1" for cell in row) for row in given["mask"]] == list(expected.pop("mask"))
        for key, value in expected.items():
            assert given[key] == (list(value) if isinstance(value, tuple) else value)


def test_more_is_drawn_with_the_next_seed(real: Any) -> None:
    question = {"name": "masked tokens", "sentence": EXAMPLES[1], "rate": 0.5, "number": 7}
    real.set_state({"question": question})
    scene = parse(EXAMPLES[1], "english")
    expected = OBJECTIVES["masked tokens"].show(scene, torch.Generator().manual_seed(18), 0.5)
    assert real.drawing["inputs"] == list(expected.inputs) and real.rates == {"masked tokens": 0.5}


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("The animal didn't cross the stret because it was too tired.", "does not know 'stret'"),
        ("The bus didn't enter the garage because it was too old.", "two readings"),
    ],
)
def test_sentences_that_are_not_the_streets_are_refused(real: Any, sentence: str, said: str) -> None:
    real.set_state({"question": {"name": "next token", "sentence": sentence}})
    assert said in real.error
    with pytest.raises(ValueError, match=said):
        views.objective_explorer(sentence)


def test_examples_and_the_first_drawing_are_worth_looking_at() -> None:
    for sentence in EXAMPLES:
        parse(sentence, "english")
    first = {name: drawings[0] for name, drawings in views.objective_explorer().given.items()}
    assert "1 hidden, 1 exchanged" in first["masked tokens"]["note"] and any(first["replaced tokens"]["altered"])
    assert first["next sentence"]["asked"][0] == "from elsewhere" and first["sentence order"]["asked"][0] == "swapped"
    assert "swapped" in first["sentence permutation"]["note"]
