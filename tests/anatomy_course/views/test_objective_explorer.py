"""The objective explorer: what it draws and refuses, its page with made-up objectives, and the real ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any
from unittest.mock import Mock

import pytest
import torch
from view_sizes import LAB, assert_fits, height_of
from widget_page import Browser, Shown, show

from anatomy_course import views
from anatomy_course.lab.objectives import OBJECTIVES, Objective
from anatomy_course.lab.street import parse
from anatomy_course.views import ObjectiveExplorer
from anatomy_course.views.objective_explorer.view import EXAMPLES, GIVEN, SENTENCE

HOSTILE = "</script><img/src=x/onerror=window.hit=1>"
QUESTIONS = [
    Objective(
        "hidden", "Which word?", "Someone 2019", "encoder", Mock(), 0.2, "of the words are hidden", ("BERT", HOSTILE)
    ),
    Objective("next", "What follows?", "Someone 2018", "decoder", Mock(), models=("GPT",)),
    Objective("pairs", "How is it said?", "Someone 2020", "encoder–decoder", Mock(), models=("T5",)),
]


def draw(name: str, sentence: str, rate: float | None, number: int) -> dict[str, Any]:
    """Hides the words from `number` on, as many as the rate says; writes the sentence; or writes it backwards."""
    if "raise" in sentence:
        raise ValueError("That is no sentence; use another.")
    words = sentence.split()
    length = len(words)
    told: dict[str, Any] = {"note": f"{name} {number} {rate}", "decoder_inputs": (), "marks": (), "marks_mean": ""}
    if name == "hidden":
        hidden = {(number + k) % length for k in range(round((rate or 0) * length))}
        return told | {
            "inputs": ["_" if i in hidden else word for i, word in enumerate(words)],
            "asked": [word if i in hidden else "" for i, word in enumerate(words)],
            "counts": [i in hidden for i in range(length)], "altered": [i in hidden for i in range(length)],
            "mask_kind": "everyone", "mask": [[True] * length] * length,
            "marks": [str(i) for i in range(length)], "marks_mean": "place",
        }  # fmt: skip
    if name == "next":
        return told | {
            "inputs": words, "asked": [*words[1:], "end"], "counts": [True] * length, "altered": [False] * length,
            "mask_kind": "causal", "mask": [[key <= query for key in range(length)] for query in range(length)],
        }  # fmt: skip
    size = length + 2
    return told | {
        "inputs": words, "decoder_inputs": ["start", "x"], "asked": ["x", "end"], "counts": [True, True],
        "altered": [False] * length, "mask_kind": "encoder–decoder",
        "mask": [[key < length or length <= key <= query for key in range(size)] for query in range(size)],
    }  # fmt: skip


def explorer(**settings: Any) -> ObjectiveExplorer:
    given: dict[str, Any] = {"questions": QUESTIONS, "draw": draw, "sentence": "a b c d e", "examples": ["v w x y z"]}
    given |= settings
    return ObjectiveExplorer(given.pop("questions"), given.pop("draw"), given.pop("sentence"), **given)


def answered(shown: Shown) -> None:
    """What the kernel has answered reaches the page."""
    shown.settle()
    names = ("drawing", "sentence", "number", "rates", "error", "answered")
    shown.update(**{name: getattr(shown.widget, name) for name in names})


# ---- Python


def test_first_drawings_are_handed_over() -> None:
    widget = explorer()
    assert {name: len(drawings) for name, drawings in widget.given.items()} == {q.name: GIVEN for q in QUESTIONS}
    assert widget.given["hidden"][2]["asked"] == ["", "", "c", "", ""]
    assert widget.given["next"][0]["mask"] == ["10000", "11000", "11100", "11110", "11111"]


def test_python_draws_what_is_asked() -> None:
    widget = explorer()
    widget.set_state({"question": {"name": "hidden", "sentence": "v w x y z", "rate": 0.4, "number": 3}})
    assert widget.drawing["asked"] == ["", "", "", "y", "z"] and widget.drawing["rate"] == 0.4
    assert (widget.sentence, widget.number, widget.rates, widget.error) == ("v w x y z", 3, {"hidden": 0.4}, "")
    widget.set_state({"question": {"name": "next", "sentence": "v w", "rate": None, "number": 0}})
    assert widget.drawing["note"] == "next 0 None" and widget.rates == {"hidden": 0.4}
    widget.set_state({"question": {"name": "hidden", "sentence": "v w", "rate": 0.2, "number": 0}})
    assert widget.rates == {}, "the published rate is no change"
    widget.set_state({"question": {"name": "hidden", "sentence": "raise"}})
    assert widget.error == "That is no sentence; use another." and widget.sentence == "v w"
    widget.set_state({"question": {"name": "guess", "sentence": "v w"}})
    assert widget.error == "There is no objective 'guess'; there are 'hidden', 'next', 'pairs'."


def test_the_twin_tells_all_objectives() -> None:
    alt = explorer().still_picture().alt
    assert alt.startswith("“a b c d e” under 3 objectives.")
    assert "hidden: in “_ b c d e”, asked “a” (1 of 5 positions)." in alt
    assert "pairs: in “a b c d e”, asked “x end” (2 of 2 positions)." in alt


def broken(**parts: Any) -> Callable[..., dict[str, Any]]:
    return lambda *arguments: draw(*arguments) | parts


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"questions": []}, "Give at least one objective"),
        ({"questions": QUESTIONS[:1] * 2}, "each its own name"),
        ({"chosen": "guess"}, "There is no objective 'guess'"),
        ({"sentence": " "}, "The sentence is empty"),
        ({"sentence": "raise"}, "That is no sentence"),
        ({"sentence": "a " * 81}, "inputs has 81 words"),
        ({"draw": broken(asked=["a"])}, "'asked': 1, .* expected {'asked': 5"),
        ({"draw": broken(marks=["a"])}, "'marks': 1, .* expected .*'marks': 5"),
        ({"draw": broken(mask=[[True]] * 5)}, "each row of the mask 5"),
    ],
)
def test_wrong_input_gets_one_sentence(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said) as error:
        explorer(**wrong)
    assert "\n" not in str(error.value)


# ---- on its page


def asked(shown: Shown) -> list[str]:
    return shown.page.locator(".oe-asked").all_inner_texts()


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_objectives_are_chosen_by_mouse_and_keys(browser: Browser, theme: Any) -> None:
    shown = show(browser, explorer(), theme=theme)
    page = shown.page
    widget: Any = shown.widget
    assert asked(shown) == ["a"] and page.locator(".oe-counted").inner_text() == "1 of 5 positions count in the loss."
    assert page.locator(".oe-in").all_inner_texts() == ["_", "b", "c", "d", "e"]
    assert page.get_by_role("option", name="_, place 0, altered, asked: a").count() == 1
    page.get_by_role("radio", name="next").click()
    shown.settle()
    assert widget.chosen == "next" and asked(shown) == ["b", "c", "d", "e", "end"]
    assert page.locator(".oe-line").inner_text() == "“a” may look at 1 of 5 positions."
    assert not page.get_by_role("slider").is_visible(), "nothing to choose a rate of"
    page.keyboard.press("ArrowDown")
    shown.settle()
    assert widget.chosen == "pairs" and asked(shown) == ["x", "end"]
    assert page.evaluate("document.activeElement.getAttribute('aria-checked')") == "true"
    assert page.locator(".oe-counted").inner_text() == "2 of 2 decoder positions count in the loss."
    assert page.locator(".oe-line").inner_text() == "“start” may look at 6 of 7 positions."
    page.keyboard.press("ArrowDown")
    shown.settle()
    assert widget.chosen == "hidden", "the last one is followed by the first"
    assert page.evaluate("window.hit === undefined && document.querySelectorAll('.anatomy img').length === 0")
    shown.check()


@pytest.mark.browser
def test_who_may_look_at_whom_follows_the_chosen_token(browser: Browser) -> None:
    shown = show(browser, explorer(chosen="next"))
    page = shown.page
    tokens = page.get_by_role("listbox", name="What goes in")
    tokens.press("End")
    tokens.press("ArrowLeft")
    assert page.locator(".oe-line").inner_text() == "“d” may look at 4 of 5 positions."
    assert [node.get_attribute("aria-selected") for node in page.locator(".oe-token").all()].index("true") == 3
    assert page.locator(".oe-token.unseen .oe-in").all_inner_texts() == ["e"]
    page.get_by_role("option", name="b, asked: c").click()
    assert page.locator(".oe-token.unseen .oe-in").all_inner_texts() == ["c", "d", "e"]
    picture = page.get_by_role("img", name="5 queries by 5 keys, causal: Each may look at itself")
    box = picture.bounding_box()
    assert box is not None
    picture.click(position={"x": box["width"] / 2, "y": box["height"] * 0.5})
    assert page.locator(".oe-line").inner_text() == "“c” may look at 3 of 5 positions."
    shown.check()


@pytest.mark.browser
def test_more_is_drawn_by_python_when_what_was_given_is_used_up(browser: Browser) -> None:
    shown = show(browser, explorer())
    again = shown.page.get_by_role("button", name="Draw again")
    for letter in "bcd":
        again.click()
        shown.settle()
        assert asked(shown) == [letter]
    assert shown.widget.answered == 0  # type: ignore[attr-defined]
    again.click()
    answered(shown)
    assert asked(shown) == ["e"] and shown.widget.drawing["number"] == GIVEN  # type: ignore[attr-defined]
    shown.page.get_by_role("slider", name="Rate").press("End")
    answered(shown)
    assert asked(shown) == ["a", "b", "c", "e"] and shown.widget.rates == {"hidden": 0.9}  # type: ignore[attr-defined]
    shown.page.get_by_role("slider", name="Rate").press("Home")
    answered(shown)
    assert asked(shown) == [] and "0 of 5" in shown.page.locator(".oe-counted").inner_text()
    shown.check()


@pytest.mark.browser
def test_another_sentence_stays_for_the_other_objectives(browser: Browser) -> None:
    shown = show(browser, explorer(), views=2)
    page = shown.page
    field = page.get_by_label("Sentence of the street").first
    field.fill(f"now {HOSTILE} too")
    field.press("Enter")
    answered(shown)
    assert asked(shown)[0] == "now"
    page.get_by_role("radio", name="next").first.click()
    answered(shown)
    assert asked(shown)[:3] == [HOSTILE, "too", "end"]
    assert page.evaluate("window.hit === undefined && document.querySelectorAll('.anatomy img').length === 0")
    field.fill("raise")
    field.press("Enter")
    answered(shown)
    assert page.locator(".error").first.inner_text() == "That is no sentence; use another."
    page.get_by_label("Another sentence").first.select_option("v w x y z")
    answered(shown)
    assert asked(shown)[:5] == ["w", "x", "y", "z", "end"] and field.input_value() == "v w x y z"
    shown.check()


@pytest.mark.browser
def test_without_a_kernel_what_was_given_can_be_read(browser: Browser) -> None:
    widget = explorer()
    shown = show(browser, widget)
    page = shown.page
    page.evaluate("window.anatomySave = async () => {}")
    page.evaluate("window.setTimeout = ((later) => (call, time) => later(call, Math.min(time, 60)))(window.setTimeout)")
    field = page.get_by_label("Sentence of the street")
    field.fill("v w x y z")
    field.press("Enter")
    page.get_by_text("No answer came").wait_for()
    assert field.is_disabled() and page.get_by_role("slider").is_disabled()
    for expected in "bcdab":
        page.get_by_role("button", name="Draw again").click()
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))")
        assert asked(shown) == [expected]
    page.get_by_role("radio", name="pairs").click()
    page.wait_for_function("document.querySelectorAll('.oe-asked').length === 2")
    shown.check()


@pytest.mark.browser
@pytest.mark.parametrize("width", LAB)
def test_it_fits_and_nothing_jumps(browser: Browser, width: int) -> None:
    from anatomy_course.views.objective_explorer.view import EXAMPLES, objective_explorer

    shown = show(browser, objective_explorer(), size=(LAB[width], 900))
    page, height = shown.page, height_of(shown.page)
    for name in shown.widget.given:  # type: ignore[attr-defined]
        page.get_by_role("radio", name=name, exact=True).click()
        shown.settle()
        assert_fits(page)
        assert height_of(page) == height, name
    page.get_by_label("Another sentence").select_option(EXAMPLES[1])
    answered(shown)
    assert height_of(page) == height
    assert page.evaluate(
        "document.querySelector('.oe-text').scrollWidth <= document.querySelector('.oe-text').clientWidth"
    )
    shown.check()


@pytest.mark.browser
def test_a_rate_that_is_not_there_cannot_be_reached(browser: Browser) -> None:
    shown = show(browser, explorer(chosen="next"))
    shown.page.get_by_role("button", name="Draw again").focus()
    shown.page.keyboard.press("Tab")
    assert shown.page.evaluate("document.activeElement.type") != "range"
    shown.check()


# ---- with the real objectives


@pytest.fixture(scope="module")
def real():
    return views.objective_explorer(seed=11)


def test_what_is_handed_over_is_what_the_objectives_draw(real):
    assert [each["name"] for each in real.objectives] == list(OBJECTIVES)
    scene = parse(SENTENCE, "english")
    for name, drawings in real.given.items():
        expected = asdict(OBJECTIVES[name].show(scene, torch.Generator().manual_seed(11 + 2)))
        given = drawings[2]
        assert [tuple(cell == "1" for cell in row) for row in given["mask"]] == list(expected.pop("mask"))
        assert all(
            given[key] == (list(value) if isinstance(value, tuple) else value) for key, value in expected.items()
        )


def test_each_objective_stands_with_its_branch(real):
    branches = [each["branch"] for each in real.objectives]
    assert branches == sorted(branches, key=["encoder", "decoder", "encoder–decoder"].index)


def test_more_is_drawn_with_the_next_seed(real):
    real.set_state({"question": {"name": "masked tokens", "sentence": EXAMPLES[1], "rate": 0.5,
                               "number": 7}})  # fmt: skip
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
def test_sentences_that_are_not_the_streets_are_refused(real, sentence, said):
    real.set_state({"question": {"name": "next token", "sentence": sentence}})
    assert said in real.error
    with pytest.raises(ValueError, match=said):
        views.objective_explorer(sentence)


def test_examples_and_the_first_drawing_are_worth_looking_at():
    real = views.objective_explorer()
    for sentence in EXAMPLES:
        parse(sentence, "english")
    first = {name: drawings[0] for name, drawings in real.given.items()}
    assert "1 hidden, 1 exchanged" in first["masked tokens"]["note"] and any(first["replaced tokens"]["altered"])
    assert first["next sentence"]["asked"][0] == "from elsewhere" and first["sentence order"]["asked"][0] == "swapped"
    assert "swapped" in first["sentence permutation"]["note"]
